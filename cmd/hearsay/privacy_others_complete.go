package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy"
	pathloss "github.com/hearsay-dp/hearsay/privacy/path"
	"github.com/hearsay-dp/hearsay/privacy/sums"
	walkloss "github.com/hearsay-dp/hearsay/privacy/walk"
	"github.com/hearsay-dp/hearsay/schedule"
)

// completeFlags are what `privacy complete` is asked.
type completeFlags struct {
	task                     string
	nodes, steps, walks      int
	contributions, values    int
	sigma, eps, delta, local float64
	seed                     uint64
	final, known             bool
	sensitivities            []float64
}

func newPrivacyCompleteCommand() *cobra.Command {
	var f completeFlags
	cmd := &cobra.Command{
		Use:   "complete --nodes N --steps T --delta D",
		Short: "What a token that walks on the complete graph tells",
		Long: `Complete prices a private sum, histogram or SGD whose token goes to a uniform node
each turn (002, Algorithms 7.1, D.1 and 7.2). --walks also simulates walks and
charges the cycles that occurred (Figure 7.1(b)). --known adds what contributions
beside the observer's own turns cost when nodes know whom they have the token from
and hand it to (Proposition D.14), to be added to accountants that hide it: those of
cycles, and the published ones. The other sound ones hide nothing of the path.`,
		Example: "  hearsay privacy complete --nodes 100 --steps 10000 --sigma 50 --walks 10\n" +
			"  hearsay privacy complete --task sgd --nodes 2000 --steps 20000 --contributions 12 --eps 1\n" +
			"  hearsay privacy complete --task histogram --nodes 500 --steps 5000 --local 0.4 --walks 1",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.task, "task", "sum", "sum, histogram or sgd")
	flags.IntVar(&f.nodes, "nodes", 0, "nodes")
	flags.IntVar(&f.steps, "steps", 0, "turns of the token, T")
	flags.IntVar(&f.contributions, "contributions", 0, "sgd: cap of a node's contributions (default: none)")
	flags.IntVar(&f.values, "values", 2, "histogram: number of values")
	flags.Float64Var(&f.sigma, "sigma", 0, "sum and sgd: noise of one contribution over its sensitivity")
	flags.Float64Var(&f.eps, "eps", 0, "sum and sgd: find the smallest sigma for this epsilon instead")
	flags.Float64Var(&f.local, "local", 0, "histogram: epsilon of one answer by itself")
	flags.Float64Var(&f.delta, "delta", 1e-6, "delta in all")
	flags.IntVar(&f.walks, "walks", 0, "simulate so many walks and charge what happened")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the simulated walks")
	flags.BoolVar(&f.final, "final", false, "the last token is shown to everybody")
	flags.BoolVar(&f.known, "known", false, "nodes know from and to whom the token goes")
	sensitivityFlag(cmd, &f.sensitivities, "sum and sgd")
	required(cmd, "nodes", "steps")
	return cmd
}

func (f *completeFlags) run(cmd *cobra.Command) error {
	if err := f.check(); err != nil {
		return err
	}
	var b bill
	if f.sensitivities != nil {
		f.soundEach(&b)
		return b.show(cmd)
	}
	switch f.task {
	case "histogram":
		f.histogram(&b)
	case "sgd":
		f.sgd(&b)
	default:
		f.sum(&b)
	}
	if f.known && f.eps == 0 && f.task != "histogram" {
		f.spotted(&b)
	}
	if f.walks > 0 && f.eps == 0 && f.task != "sgd" {
		if err := f.simulate(&b); err != nil {
			return err
		}
	}
	return b.show(cmd)
}

// mostOnComplete is how many nodes and turns are priced.
const mostOnComplete = 10_000_000

// mostWalked is the most turns times observers that a simulation may cost.
const mostWalked = 1e11

func (f *completeFlags) check() error {
	if err := form.OneOf("--task", f.task, "sum", "histogram", "sgd"); err != nil {
		return err
	}
	if err := form.CheckDelta(f.delta); err != nil {
		return err
	}
	if f.nodes < 1 {
		return privacy.CheckNodes(f.nodes)
	}
	if err := privacy.CheckCount(f.steps, "turns"); err != nil {
		return err
	}
	if max(f.nodes, f.steps) > mostOnComplete || f.walks < 0 || f.contributions < 0 {
		return fault.New(fmt.Sprintf("%d nodes, %d steps, %d contributions, %d walks are out of range", f.nodes, f.steps, f.contributions,
			f.walks),
			fmt.Sprintf("give up to %d nodes and steps, and no negative number", mostOnComplete))
	}
	if f.task == "histogram" {
		if err := checkLocal(f.local); err != nil {
			return err
		}
	}
	if f.sensitivities != nil {
		if f.task == "histogram" || f.eps != 0 || f.walks > 0 || f.known {
			return fault.New("--sensitivities: only the losses of a sum or of sgd at --sigma are known node by node",
				"leave them out; a sigma for --eps holds for who can change most, at whatever fraction of it for the others")
		}
		if err := checkSensitivities(f.sensitivities, f.nodes); err != nil {
			return err
		}
	}
	if f.walks > 0 && float64(f.walks)*float64(f.steps)*float64(f.nodes) > mostWalked {
		return fault.New(fmt.Sprintf("%d walks of %d turns over %d nodes take too long", f.walks, f.steps, f.nodes), "simulate fewer walks")
	}
	return nil
}

func (f *completeFlags) metric() privacy.Metric { return privacy.Metric{Delta: f.delta} }

// most is the number of contributions that sgd is charged for.
func (f *completeFlags) most() int {
	if f.contributions > 0 {
		return min(f.contributions, f.steps)
	}
	return f.steps
}

// sound prices, or calibrates, by the path accountant; and a sum whose total is
// not shown by the tighter one of sums.
func (f *completeFlags) sound(b *bill) {
	if f.task == "sum" && !f.final {
		f.renewal(b)
		return
	}
	law, err := f.path()
	if err != nil {
		b.add(privacy.Sound, priced{Name: "sound"}, err)
		return
	}
	if f.eps != 0 {
		cal, err := law.Sigma(f.eps, f.metric())
		b.add(privacy.Sound, tightened("sound", law.Claim, cal), err)
		return
	}
	loss, err := law.Loss(f.sigma, f.metric())
	b.add(privacy.Sound, lost("sound", law.Claim, loss, f.metric()), err)
}

func (f *completeFlags) path() (*pathloss.Law, error) {
	if f.task == "sum" {
		return f.complete().Law(f.final)
	}
	p := walk.Protocol{
		Local: descent.Local{StepSize: descent.StepSize{Base: 1}, Noise: noise.Gaussian{Clip: 0.5, Multiplier: 1}},
		Nodes: f.nodes, Steps: f.steps, Cap: f.contributions, Final: f.final,
	}
	s := p.Schedule(nil, unknownModel())
	s.Start = schedule.AnyStart
	return pathloss.Walk{Walk: s}.Law(0, 1)
}

func (f *completeFlags) complete() sums.Complete {
	return sums.Complete{Nodes: f.nodes, Turns: f.steps}
}

func (f *completeFlags) renewal(b *bill) {
	c, m := f.complete(), f.metric()
	m.Conversion = privacy.CanonneKamathSteinke
	if f.eps != 0 {
		noise, cal, err := c.Tight(f.eps, m)
		b.add(privacy.Sound, tightened("sound", noise.Claim, cal), err)
		return
	}
	loss, claim, err := c.Sound(f.sigma, m)
	b.add(privacy.Sound, lost("sound", claim, loss, m), err)
}

func (f *completeFlags) sum(b *bill) {
	f.sound(b)
	c := f.complete()
	if f.eps != 0 {
		b.calibrate(f.eps, func(sigma float64) (privacy.Guarantee, error) { return c.PublishedAt(sigma, f.delta) })
		return
	}
	g, err := c.PublishedAt(f.sigma, f.delta)
	b.add(privacy.Published, guaranteed("published", g), err)
	g, err = c.ProvedAt(f.sigma, f.delta)
	b.add(privacy.Published, guaranteed("published, slip repaired", g), err)
	g, err = c.SoundCycles(f.sigma, f.delta)
	b.add(privacy.Sound, guaranteed("sound, cycles", g), err)
}

func (f *completeFlags) sgd(b *bill) {
	f.sound(b)
	c := walkloss.CompleteSGD{Nodes: f.nodes, Turns: f.steps}
	if f.eps != 0 {
		noise, cal, err := c.PublishedTight(f.most(), f.eps, f.metric())
		b.add(privacy.Published, tightened("published", noise.Claim, cal), err)
		return
	}
	loss, claim, err := c.PublishedLoss(f.most(), f.sigma, f.metric())
	b.add(privacy.Published, lost("published", claim, loss, f.metric()), err)
	g, err := c.PublishedAt(f.sigma, f.delta)
	b.add(privacy.Published, guaranteed("published, Theorem 7.2", g), err)
}

func (f *completeFlags) histogram(b *bill) {
	c := sums.CompleteHistogram(f.complete())
	g, err := c.Local(f.local, f.delta)
	b.add(privacy.Sound, guaranteed("sound", g), err)
	g, err = c.PublishedAt(f.local, f.delta)
	b.add(privacy.Published, guaranteed("published", g), err)
}

// spotted prices the contributions beside the observer's own turns. Without a
// cap, half of delta is for their number.
func (f *completeFlags) spotted(b *bill) {
	s, counted := walkloss.Spotted{Nodes: f.nodes, Contributions: f.contributions}, 0.0
	if f.contributions == 0 {
		counted = f.delta / 2
		s = walkloss.SpottedIn(f.nodes, f.steps, counted)
	}
	g, err := s.Sound(f.sigma, f.delta-counted)
	g.Delta += counted
	b.add(privacy.Sound, guaranteed("sound, spotted alone", g), err)
	g, err = s.PublishedAt(f.sigma, f.delta)
	b.add(privacy.Published, guaranteed("published, spotted alone", g), err)
}

// simulate charges walks that were drawn: means over walks, extremes over all.
func (f *completeFlags) simulate(b *bill) error {
	var sound, published sums.Spread
	for k := range f.walks {
		drawn := sums.DrawWalk(f.nodes, f.steps, rand.New(rand.NewPCG(f.seed, uint64(k))))
		pairs, claim, err := f.charge(drawn)
		if err != nil {
			return err
		}
		sound.Add(pairs, claim)
		if f.task == "histogram" {
			continue
		}
		if pairs, claim, err := drawn.PublishedAt(f.sigma, f.delta); err == nil {
			published.Add(pairs, claim)
		}
	}
	b.add(privacy.Sound, spread("sound, simulated walks", &sound, f.metric()), nil)
	if published.Walks > 0 {
		b.add(privacy.Published, spread("published, simulated walks", &published, f.metric()), nil)
	}
	return nil
}

func (f *completeFlags) charge(walk sums.ActualWalk) (*sums.PairValues, privacy.Claim, error) {
	if f.task == "histogram" {
		return walk.SoundHistogram(sums.Respond(f.values, f.local), f.delta)
	}
	return walk.Sound(f.sigma, f.metric())
}

// spread is a line of losses over walks that were drawn.
func spread(name string, s *sums.Spread, m privacy.Metric) priced {
	p, mean := lost(name, s.Claim, s.Most, m), s.Mean()
	p.Mean, p.Least = &mean, &s.Least
	return p
}
