package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/model"
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
	required(cmd, "nodes", "steps")
	return cmd
}

func (f *completeFlags) run(cmd *cobra.Command) error {
	if err := f.check(); err != nil {
		return err
	}
	var b bill
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
	if err := oneOf("--task", f.task, "sum", "histogram", "sgd"); err != nil {
		return err
	}
	if err := checkDelta(f.delta); err != nil {
		return err
	}
	if f.nodes < 1 {
		return privacy.CheckNodes(f.nodes)
	}
	if err := privacy.CheckCount(f.steps, "turns"); err != nil {
		return err
	}
	if max(f.nodes, f.steps) > mostOnComplete || f.walks < 0 || f.contributions < 0 {
		return fault.New(fmt.Sprintf("%d nodes, %d steps, %d contributions, %d walks are out of range", f.nodes, f.steps, f.contributions, f.walks),
			fmt.Sprintf("give up to %d nodes and steps, and no negative number", mostOnComplete))
	}
	if f.task == "histogram" {
		if err := checkLocal(f.local); err != nil {
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
		return sums.Complete{Nodes: f.nodes, Turns: f.steps}.Law(f.final)
	}
	return pathloss.Walk{Walk: schedule.Walk{
		Nodes: f.nodes, Start: schedule.AnyStart, Turns: f.steps, Cap: f.contributions, Final: f.final, Sensitivity: 1, Noise: 1,
		Update: unknownModel().Update(model.Descent{}),
	}}.Law(0, 1)
}

func (f *completeFlags) renewal(b *bill) {
	c, m := sums.Complete{Nodes: f.nodes, Turns: f.steps}, f.metric()
	m.Conversion = privacy.CanonneKamathSteinke
	if f.eps != 0 {
		noise, cal, err := c.Tight(f.eps, m)
		b.add(privacy.Sound, tightened("sound", noise.Claim, cal), err)
		return
	}
	loss, claim, err := c.Sound(f.sigma, m)
	b.add(privacy.Sound, lost("sound", claim, loss, m), err)
}

// published is section D.1 at a third of delta each for visits, cycles and
// composition.
func (f *completeFlags) published(sigma float64, proved bool) (privacy.Guarantee, error) {
	c := sums.Complete{Nodes: f.nodes, Turns: f.steps}
	cycles, _ := c.Cycles(f.delta / 3)
	each := f.delta / 3 / cycles
	eps0, err := privacy.ClassicalEpsilon(sigma, each)
	if err != nil {
		return privacy.Guarantee{}, err
	}
	if proved {
		return c.Proved(eps0, each, f.delta/3, f.delta/3)
	}
	return c.Published(eps0, each, f.delta/3, f.delta/3)
}

func (f *completeFlags) sum(b *bill) {
	f.sound(b)
	if f.eps != 0 {
		b.calibrate(f.eps, func(sigma float64) (privacy.Guarantee, error) { return f.published(sigma, false) })
		return
	}
	g, err := f.published(f.sigma, false)
	b.add(privacy.Published, guaranteed("published", g), err)
	g, err = f.published(f.sigma, true)
	b.add(privacy.Published, guaranteed("published, slip repaired", g), err)
	g, err = sums.Complete{Nodes: f.nodes, Turns: f.steps}.SoundCycles(f.sigma, f.delta)
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
	eps0, err := privacy.ClassicalEpsilon(f.sigma, f.delta/2)
	var g privacy.Guarantee
	if err == nil {
		g, err = c.Published(eps0, f.delta/2, f.delta/2)
	}
	b.add(privacy.Published, guaranteed("published, Theorem 7.2", g), err)
}

func (f *completeFlags) histogram(b *bill) {
	c := sums.CompleteHistogram{Nodes: f.nodes, Turns: f.steps}
	g, err := c.Local(f.local, f.delta)
	b.add(privacy.Sound, guaranteed("sound", g), err)
	cycles, _ := sums.Complete(c).Cycles(f.delta / 3)
	g, err = c.Published(f.local, f.delta/3/max(1, cycles), f.delta/3, f.delta/3)
	b.add(privacy.Published, guaranteed("published", g), err)
}

// spotted prices the contributions beside the observer's own turns. Without a
// cap, half of delta is for their number.
func (f *completeFlags) spotted(b *bill) {
	s, counted := walkloss.Spotted{Nodes: f.nodes, Contributions: f.contributions}, 0.0
	if f.contributions == 0 {
		counted = f.delta / 2
		s.Contributions = privacy.BinomialUpper(f.steps, 1/float64(max(1, f.nodes)), counted)
	}
	g, err := s.Sound(f.sigma, f.delta-counted)
	g.Delta += counted
	b.add(privacy.Sound, guaranteed("sound, spotted alone", g), err)
	eps0, err := privacy.ClassicalEpsilon(f.sigma, f.delta/4)
	if err == nil {
		g, err = s.Published(eps0, f.delta/4, f.delta/4, false)
	}
	b.add(privacy.Published, guaranteed("published, spotted alone", g), err)
}

// simulate charges walks that were drawn: means over walks, extremes over all.
func (f *completeFlags) simulate(b *bill) error {
	var sound, published spreadOver
	for k := range f.walks {
		walk := f.draw(k)
		pairs, claim, err := f.charge(walk)
		if err != nil {
			return err
		}
		sound.add(pairs, claim)
		if f.task == "histogram" {
			continue
		}
		if pairs, claim, err := f.cycles(walk); err == nil {
			published.add(pairs, claim)
		}
	}
	b.add(privacy.Sound, sound.priced("sound, simulated walks", f.metric()), nil)
	if published.walks > 0 {
		b.add(privacy.Published, published.priced("published, simulated walks", f.metric()), nil)
	}
	return nil
}

// cycles is the published evaluation, at half of delta for the contributions
// and half for their composition, in equal shares of the cycles.
func (f *completeFlags) cycles(walk sums.ActualWalk) (*sums.PairValues, privacy.Claim, error) {
	each := f.delta / 2 / float64(slices.Max(walk.Visits()))
	eps0, err := privacy.ClassicalEpsilon(f.sigma, each)
	if err != nil {
		return nil, privacy.Claim{}, err
	}
	pairs, _, claim, err := walk.Published(eps0, each)
	return pairs, claim, err
}

func (f *completeFlags) charge(walk sums.ActualWalk) (*sums.PairValues, privacy.Claim, error) {
	if f.task == "histogram" {
		return walk.SoundHistogram(sums.Respond(f.values, f.local), f.delta)
	}
	return walk.Sound(f.sigma, f.metric())
}

func (f *completeFlags) draw(k int) sums.ActualWalk {
	r := rand.New(rand.NewPCG(f.seed, uint64(k)))
	w := sums.ActualWalk{Nodes: f.nodes, Holders: make([]int32, f.steps)}
	for t := range w.Holders {
		w.Holders[t] = r.Int32N(int32(max(1, f.nodes)))
	}
	return w
}

// spreadOver gathers the losses of pairs over walks.
type spreadOver struct {
	claim             privacy.Claim
	walks             int
	mean, least, most float64
}

func (s *spreadOver) add(p *sums.PairValues, c privacy.Claim) {
	mean, least, most := p.Summary()
	if s.walks == 0 {
		s.least = math.Inf(1)
	}
	s.claim, s.walks = c, s.walks+1
	s.mean, s.least, s.most = s.mean+mean, min(s.least, least), max(s.most, most)
}

func (s *spreadOver) priced(name string, m privacy.Metric) priced {
	p, mean := lost(name, s.claim, s.most, m), s.mean/float64(s.walks)
	p.Mean, p.Least = &mean, &s.least
	return p
}
