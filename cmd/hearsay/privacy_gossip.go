package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/family/gossip"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	gossiploss "github.com/hearsay-dp/hearsay/privacy/gossip"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/spec"
)

// gossipFlags are what `privacy gossip` is asked.
type gossipFlags struct {
	cmd *cobra.Command
	onGraph
	steps        int
	sigma, alpha float64
}

func newPrivacyGossipCommand() *cobra.Command {
	var f gossipFlags
	cmd := &cobra.Command{
		Use:   "gossip --graph G --steps T --sigma S --alpha A",
		Short: "What averaging with neighbours tells every node about every other",
		Long: `Gossip prices T rounds of averaging after one draw of noise per node (Muffliato,
plain or accelerated). The sound accountant is exact: it takes all messages that
a node receives together. The published one (002, equation 6.3) adds them up one
by one and is not a bound. Local is what one noisy value costs that all can see.`,
		Example: "  hearsay privacy gossip --graph hypercube:5 --steps 8 --sigma 4\n" +
			"  hearsay privacy gossip --graph friends.edges --steps 20 --sigma 2 --alpha 3 --json",
		Args: cobra.NoArgs,
		RunE: answering(f.account),
	}
	f.cmd = cmd
	f.register(cmd)
	cmd.Flags().IntVar(&f.steps, "steps", 0, "rounds of averaging, T")
	cmd.Flags().Float64Var(&f.sigma, "sigma", 0, "noise multiplier, 0 for none")
	cmd.Flags().Float64Var(&f.alpha, "alpha", 2, "Renyi order")
	for _, name := range []string{"steps", "sigma"} {
		must(cmd.MarkFlagRequired(name))
	}
	return cmd
}

// mostRounds is how many rounds are priced.
const mostRounds = 1_000_000

// gossipAnswer is the JSON of `privacy gossip`.
type gossipAnswer struct {
	N           int               `json:"n"`
	Accountants gossipAccountants `json:"accountants"`
	graph       *graph.Graph
}

type gossipAccountants struct {
	Sound     pairsGossip `json:"sound"`
	Published pairsGossip `json:"published"`
	Local     localGossip `json:"local"`
}

type pairsGossip struct {
	form.Claim
	Eps     []report.Vector              `json:"eps"`               // [u][v]: u leaks, v learns
	Leakage []report.Vector              `json:"leakage,omitempty"` // [u][v], in [0, 1]
	Views   map[gossiploss.Certainty]int `json:"views,omitempty"`   // how many were decided how
	losses  *gossiploss.Losses
}

type localGossip struct {
	form.Claim
	Eps report.Number `json:"eps"`
}

// account answers the question.
func (f *gossipFlags) account() (*gossipAnswer, error) {
	w, err := f.open()
	if err != nil {
		return nil, err
	}
	if err := form.CheckMatrix(w.Len()); err != nil {
		return nil, err
	}
	if f.steps > mostRounds {
		return nil, fault.New(fmt.Sprintf("--steps %d is out of range", f.steps),
			fmt.Sprintf("give a number from 0 to %d: a view stops growing long before", mostRounds))
	}
	if _, err := (&gossiploss.Pairs{}).Losses(f.sigma, privacy.Metric{Order: f.alpha}); err != nil {
		return nil, err // before the work
	}
	s, err := f.schedule(w)
	if err != nil {
		return nil, err
	}
	g, err := gossiploss.Of(s)
	if err != nil {
		return nil, err
	}
	says := terminal.PulseOf(f.cmd.ErrOrStderr())
	says.Enter("what each node sees of all others")
	leakage := g.WithProgress(says.Progress).Leakage(form.Workers())
	a := &gossipAnswer{N: w.Len(), graph: w.Graph()}
	if a.Accountants.Sound, err = f.charge(leakage); err != nil {
		return nil, err
	}
	if a.Accountants.Published, err = f.charge(g.PublishedSum(form.Workers())); err != nil {
		return nil, err
	}
	a.Accountants.Sound.Leakage, a.Accountants.Sound.Views = form.LossRows(a.N, leakage.At), leakage.Views
	a.Accountants.Local = localGossip{
		form.NewClaim(privacy.Claim{Status: privacy.Sound, Assumptions: []string{"a node's noisy value is public"}}),
		report.Number(a.Accountants.Sound.losses.Local()),
	}
	return a, nil
}

// anyMean guarantees nothing but that values are bounded by clipping, which is all
// that averaging asks for.
var anyMean = model.Objective{Model: model.Mean{}}.Guarantees(math.Inf(1))

// schedule is that of the run that the flags describe; no turn at all is no run
// that a spec has.
func (f *gossipFlags) schedule(t *graph.Transition) (schedule.Gossip, error) {
	a, err := experiment.Outline(f.cmd.Context(), "gossip", t, anyMean, func(s *spec.Spec) {
		s.Algorithm.Steps, s.Algorithm.Own.(*gossip.Keys).Acceleration = max(1, f.steps), "none"
		s.Privacy.Sigma = &f.sigma
	})
	if err != nil {
		return schedule.Gossip{}, err
	}
	s := *a.Schedule().(*schedule.Gossip)
	s.TurnsPerRound = f.steps
	return s, nil
}

// charge turns values in units of the local loss into losses.
func (f *gossipFlags) charge(p *gossiploss.Pairs) (pairsGossip, error) {
	losses, err := p.Losses(f.sigma, privacy.Metric{Order: f.alpha})
	if err != nil {
		return pairsGossip{}, err
	}
	return pairsGossip{Claim: form.NewClaim(losses.Claim), Eps: form.LossRows(p.N, losses.At), losses: losses}, nil
}

// Print writes the losses by distance.
func (a *gossipAnswer) Print(w io.Writer) error {
	sound, published := a.Accountants.Sound, a.Accountants.Published
	fmt.Fprintf(w, "%s: %d nodes, %s\n", a.graph.Name(), a.N, sound.losses.Metric)
	up := func(x float64) string { return report.Loss(x, report.Sound) }
	fmt.Fprintf(w, "sound: mean %s, worst %s, worst beyond neighbours %s; published: mean %s, worst %s, worst beyond neighbours %s; local: %s\n\n",
		up(sound.losses.Mean()), up(sound.losses.Max()), form.BeyondNeighbours(report.Sound, a.graph, sound.losses.Table()),
		up(published.losses.Mean()), up(published.losses.Max()), form.BeyondNeighbours(report.Published, a.graph,
			published.losses.Table()), up(float64(a.Accountants.Local.Eps)))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "hops\tpairs\tsound: mean\tworst\tpublished: mean\tworst\tpublished below sound\t")
	for _, ring := range a.graph.Rings(sound.losses.At, published.losses.At, a.below) {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\t%d\t\n", form.Away(ring.Hops), ring.Pairs,
			up(ring.Of[0].Mean()), up(ring.Of[0].Max), up(ring.Of[1].Mean()), up(ring.Of[1].Max), int(ring.Of[2].Sum))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, assumption := range sound.Claim.Assumptions {
		fmt.Fprintf(w, "sound assumes: %s\n", assumption)
	}
	return nil
}

// below is 1 where the published number is below the sound one, which is exact.
func (a *gossipAnswer) below(u, v int) float64 {
	if a.Accountants.Published.losses.At(u, v) < a.Accountants.Sound.losses.At(u, v)*(1-1e-9) {
		return 1
	}
	return 0
}
