package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/pairwise"
	"github.com/hearsay-dp/hearsay/report"
)

// pairwiseFlags are what `privacy pairwise` is asked.
type pairwiseFlags struct {
	onGraph
	rounds           int
	own, pair, ratio float64
	coalition        []int
	any              int
	delta, eps       float64
}

func newPrivacyPairwiseCommand() *cobra.Command {
	f := pairwiseFlags{}
	cmd := &cobra.Command{
		Use:   "pairwise --graph G --rounds T --own A --pair B [--coalition 1,3 | --any K]",
		Short: "What gossip that learns tells of every node under noise that cancels between neighbours",
		Long: `Pairwise prices T rounds in which every node adds noise of its own to what it
sends, and for each neighbour noise that the neighbour subtracts. Observers see
every message of the run and know the noise of their own edges: an outsider has
none, --coalition names who pools it, --any takes the worst so many for each node.
Energy is mu^2 of the Gaussian that they see, in squared sensitivities; exact for
any gradients and any averaging of what was sent. --eps finds the least own noise.`,
		Example: "  hearsay privacy pairwise --graph hypercube:11 --rounds 50 --own 1.2 --pair 12 --any 1\n" +
			"  hearsay privacy pairwise --graph complete:4 --rounds 100 --eps 1 --ratio 10 --any 2\n" +
			"  hearsay privacy pairwise --graph friends.edges --rounds 20 --own 1 --pair 10 --coalition 0,3 --json",
		Args: cobra.NoArgs,
		RunE: answering(f.account),
	}
	f.cmd = cmd
	flags := cmd.Flags()
	flags.StringVar(&f.graph, "graph", "", "generator such as hypercube:11, or a graph file: who shares noise with whom")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of random graphs")
	flags.IntVar(&f.rounds, "rounds", 0, "rounds in which a node contributes, T")
	flags.Float64Var(&f.own, "own", 0, "standard deviation of a node's own noise over the sensitivity")
	flags.Float64Var(&f.pair, "pair", 0, "standard deviation of the noise of an edge over the sensitivity")
	flags.Float64Var(&f.ratio, "ratio", 10, "with --eps: noise of an edge over a node's own")
	flags.IntSliceVar(&f.coalition, "coalition", nil, "nodes that pool what they know; none: an outsider")
	flags.IntVar(&f.any, "any", 0, "the worst coalition of so many for each node")
	flags.Float64Var(&f.delta, "delta", 1e-6, "delta of eps")
	flags.Float64Var(&f.eps, "eps", 0, "find the least own noise at which nobody loses more than this")
	required(cmd, "graph", "rounds")
	return cmd
}

func (f *pairwiseFlags) check() error {
	if f.rounds < 1 || f.rounds > mostRounds {
		return fault.New(fmt.Sprintf("--rounds %d is out of range", f.rounds), fmt.Sprintf("give a number from 1 to %d", mostRounds))
	}
	if f.any != 0 && len(f.coalition) > 0 {
		return fault.New("both --coalition and --any", "name the colluders, or say how many of them there may be")
	}
	given := f.cmd.Flags().Changed
	switch {
	case f.eps == 0 && !given("own"):
		return fault.New("--own is missing", "give the noise in units of the sensitivity, such as 1.2, or --eps to find it")
	case f.eps == 0:
		return cmp.Or(form.CheckDelta(f.delta), privacy.CheckSigma(f.own))
	case given("own") || given("pair"):
		return fault.New("--eps finds the noise, and --own or --pair give it", "keep one of them; with --eps, --ratio says how one is to the other")
	case len(f.coalition) > 0:
		return fault.New("--eps finds the noise for every node, and --coalition has members", "say how many may collude with --any")
	}
	f.own, f.pair = 1, f.ratio
	return privacy.CheckTarget(f.eps, f.delta)
}

// pairwiseAnswer is the JSON of `privacy pairwise`.
type pairwiseAnswer struct {
	N         int           `json:"n"`
	Rounds    int           `json:"rounds"`
	Own       float64       `json:"own"`
	Pair      float64       `json:"pair"`
	Delta     float64       `json:"delta"`
	Coalition []int         `json:"coalition,omitempty"`
	Any       int           `json:"any,omitempty"`
	Energy    report.Vector `json:"energy"` // of every node, null in the coalition
	Eps       report.Vector `json:"eps"`
	Local     pairwiseLocal `json:"local"`
	form.Claim
	graph  *graph.Graph
	target float64 // 0: none
}

// pairwiseLocal is what the own noise alone would cost.
type pairwiseLocal struct {
	Energy report.Number `json:"energy"`
	Eps    report.Number `json:"eps"`
}

// account answers the question.
func (f *pairwiseFlags) account() (*pairwiseAnswer, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	t, err := f.open()
	if err != nil {
		return nil, err
	}
	metric := privacy.Metric{Delta: f.delta}
	problem := pairwise.Problem{Pairs: t.Sparse(), Own: f.own, Pair: f.pair, Contributions: f.rounds}
	if class, ok := form.Symmetry(t); ok {
		problem.Class = class
	}
	a, err := pairwise.New(problem)
	if err != nil {
		return nil, err
	}
	if f.eps > 0 {
		found, _, err := a.Calibrate(f.any, f.eps, metric, form.Workers())
		if err != nil {
			return nil, err
		}
		problem.Own, problem.Pair = found.Sigma, found.Sigma*f.ratio
		if a, err = pairwise.New(problem); err != nil {
			return nil, err
		}
	}
	answer := &pairwiseAnswer{
		N: t.Len(), Rounds: f.rounds, Own: problem.Own, Pair: problem.Pair, Delta: f.delta, Coalition: f.coalition, Any: f.any,
		graph: t.Graph(), target: f.eps,
	}
	answer.Local = pairwiseLocal{report.Number(a.Local(0)), report.Number(metric.GaussianView(a.Local(0)))}
	return answer, f.price(answer, a, metric)
}

// price sets the energies and what they cost.
func (f *pairwiseFlags) price(answer *pairwiseAnswer, a *pairwise.Accountant, metric privacy.Metric) error {
	claim := a.Claim()
	energies, err := a.Energies(f.coalition, form.Workers())
	if f.any > 0 {
		energies, claim, err = a.Worst(f.any, form.Workers())
	}
	if err != nil {
		return err
	}
	answer.Energy, answer.Claim = energies, form.NewClaim(claim)
	known := map[float64]float64{}
	for _, e := range energies {
		if _, found := known[e]; !found && !math.IsNaN(e) {
			known[e] = metric.GaussianView(e)
		}
		eps, found := known[e]
		if !found {
			eps = math.NaN()
		}
		answer.Eps = append(answer.Eps, eps)
	}
	return nil
}

// towards says who observes.
func (a *pairwiseAnswer) towards() string {
	switch {
	case a.Any == 1:
		return "any single other node"
	case a.Any > 1:
		return fmt.Sprintf("any %d of the other nodes together", a.Any)
	case len(a.Coalition) == 1:
		return fmt.Sprintf("node %d", a.Coalition[0])
	case len(a.Coalition) > 1:
		return fmt.Sprintf("nodes %v together", a.Coalition)
	}
	return "an outsider"
}

// Print writes mean and worst.
func (a *pairwiseAnswer) Print(w io.Writer) error {
	fmt.Fprintf(w, "%s: %d nodes, %d rounds, own noise %s, noise of an edge %s\n", a.graph.Name(), a.N, a.Rounds, report.Upwards(a.Own, 6),
		report.Upwards(a.Pair, 6))
	fmt.Fprintf(w, "what %s, seeing every message, learns of a node, %s:\n\n", a.towards(), privacy.Metric{Delta: a.Delta})
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tenergy\teps\t")
	for _, row := range []struct {
		name  string
		least bool
	}{{"best protected", true}, {"worst protected", false}} {
		if energy, eps, some := a.extreme(row.least); some {
			fmt.Fprintf(t, "%s\t%s\t%s\t\n", row.name, report.Loss(energy, report.Sound), report.Loss(eps, report.Status(a.Status)))
		}
	}
	fmt.Fprintf(t, "own noise alone (local)\t%s\t%s\t\n", form.Loss(a.Local.Energy, report.Sound), form.Loss(a.Local.Eps, report.Sound))
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, assumption := range a.Assumptions {
		fmt.Fprintf(w, "%s assumes: %s\n", a.Status, assumption)
	}
	return nil
}

// extreme is the least or the largest loss outside the coalition.
func (a *pairwiseAnswer) extreme(least bool) (energy, eps float64, some bool) {
	outside := func(v report.Vector) []float64 {
		return slices.DeleteFunc(slices.Clone([]float64(v)), math.IsNaN)
	}
	energies, losses := outside(a.Energy), outside(a.Eps)
	if len(energies) == 0 {
		return 0, 0, false
	}
	if least {
		return slices.Min(energies), slices.Min(losses), true
	}
	return slices.Max(energies), slices.Max(losses), true
}
