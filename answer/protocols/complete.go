package protocols

import (
	"fmt"
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/answer/price"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/sums"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/privacy/walkpublished"
	"github.com/hearsay-dp/hearsay/schedule"
)

// A CompleteQuestion holds the settings of `hearsay privacy complete`.
type CompleteQuestion struct {
	form.Asker
	Task                     string
	Nodes, Steps, Walks      int
	Contributions, Values    int
	Sigma, Eps, Delta, Local float64
	Seed                     uint64
	Final, Known             bool
	Sensitivities            []float64
}

// Answer prices or calibrates a walk on the complete graph. It returns an error if every accountant refuses.
func (f *CompleteQuestion) Answer() (*Bill, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	var b Bill
	if f.Sensitivities != nil {
		f.soundEach(&b)
		return b.shown()
	}
	switch f.Task {
	case "histogram":
		f.histogram(&b)
	case "sgd":
		f.sgd(&b)
	default:
		f.sum(&b)
	}
	if f.Known && f.Eps == 0 && f.Task != "histogram" {
		f.spotted(&b)
	}
	if f.Walks > 0 && f.Eps == 0 && f.Task != "sgd" {
		if err := f.simulate(&b); err != nil {
			return nil, err
		}
	}
	return b.shown()
}

// mostOnComplete is the largest number of nodes and of turns.
const mostOnComplete = 10_000_000

// mostWalked is the largest product of turns and observers in a simulation.
const mostWalked = 1e11

func (f *CompleteQuestion) check() error {
	if err := form.OneOf("--task", f.Task, "sum", "histogram", "sgd"); err != nil {
		return err
	}
	if err := form.CheckDelta(f.Delta); err != nil {
		return err
	}
	if f.Nodes < 1 {
		return privacy.CheckNodes(f.Nodes)
	}
	if err := privacy.CheckCount(f.Steps, "turns"); err != nil {
		return err
	}
	if max(f.Nodes, f.Steps) > mostOnComplete || f.Walks < 0 || f.Contributions < 0 {
		return fault.New(fmt.Sprintf("%d nodes, %d steps, %d contributions, %d walks are out of range", f.Nodes, f.Steps, f.Contributions,
			f.Walks),
			fmt.Sprintf("give up to %d nodes and steps, and no negative number", mostOnComplete))
	}
	if f.Task == "histogram" {
		if err := checkLocal(f.Local); err != nil {
			return err
		}
	}
	if f.Sensitivities != nil {
		if f.Task == "histogram" || f.Eps != 0 || f.Walks > 0 || f.Known {
			return fault.New("--sensitivities: only the losses of a sum or of sgd at --sigma are known node by node",
				"leave them out; a sigma for --eps holds for who can change most, at whatever fraction of it for the others")
		}
		if err := checkSensitivities(f.Sensitivities, f.Nodes); err != nil {
			return err
		}
	}
	if f.Walks > 0 && float64(f.Walks)*float64(f.Steps)*float64(f.Nodes) > mostWalked {
		return fault.New(fmt.Sprintf("%d walks of %d turns over %d nodes take too long", f.Walks, f.Steps, f.Nodes), "simulate fewer walks")
	}
	return nil
}

func (f *CompleteQuestion) metric() privacy.Metric { return privacy.Metric{Delta: f.Delta} }

// most returns the number of contributions that sgd is charged for.
func (f *CompleteQuestion) most() int {
	if f.Contributions > 0 {
		return min(f.Contributions, f.Steps)
	}
	return f.Steps
}

// sound prices or calibrates by the path accountant. For a sum whose total is not shown it uses the tighter
// accountant of sums.
func (f *CompleteQuestion) sound(b *Bill) {
	if f.Task == "sum" && !f.Final {
		f.renewal(b)
		return
	}
	law, err := f.path()
	if err != nil {
		b.add(privacy.Sound, Price{Name: "sound"}, err)
		return
	}
	if f.Eps != 0 {
		cal, err := law.Sigma(f.Eps, f.metric())
		b.add(privacy.Sound, tightened("sound", law.Claim, cal), err)
		return
	}
	loss, err := law.Loss(f.Sigma, f.metric())
	b.add(privacy.Sound, lost("sound", law.Claim, loss, f.metric()), err)
}

func (f *CompleteQuestion) path() (*walkpath.Law, error) {
	if f.Task == "sum" {
		return f.complete().Law(f.Final)
	}
	p := walk.Protocol{
		Local: descent.Local{StepSize: descent.StepSize{Base: 1}, Noise: noise.Gaussian{Clip: 0.5, Multiplier: 1}},
		Nodes: f.Nodes, Steps: f.Steps, Cap: f.Contributions, Final: f.Final,
	}
	s := p.Schedule(nil, price.UnknownModel())
	s.Start = schedule.AnyStart
	return walkpath.Walk{Walk: s}.Law(0, 1)
}

func (f *CompleteQuestion) complete() sums.Complete {
	return sums.Complete{Nodes: f.Nodes, Turns: f.Steps}
}

func (f *CompleteQuestion) renewal(b *Bill) {
	c, m := f.complete(), f.metric()
	m.Conversion = privacy.CanonneKamathSteinke
	if f.Eps != 0 {
		noise, cal, err := c.Tight(f.Eps, m)
		b.add(privacy.Sound, tightened("sound", noise.Claim, cal), err)
		return
	}
	loss, claim, err := c.Sound(f.Sigma, m)
	b.add(privacy.Sound, lost("sound", claim, loss, m), err)
}

func (f *CompleteQuestion) sum(b *Bill) {
	f.sound(b)
	c := f.complete()
	if f.Eps != 0 {
		b.calibrate(f.Eps, func(sigma float64) (privacy.Guarantee, error) { return c.PublishedAt(sigma, f.Delta) })
		return
	}
	g, err := c.PublishedAt(f.Sigma, f.Delta)
	b.add(privacy.Published, guaranteed("published", g), err)
	g, err = c.ProvedAt(f.Sigma, f.Delta)
	b.add(privacy.Published, guaranteed("published, slip repaired", g), err)
	g, err = c.SoundCycles(f.Sigma, f.Delta)
	b.add(privacy.Sound, guaranteed("sound, cycles", g), err)
}

func (f *CompleteQuestion) sgd(b *Bill) {
	f.sound(b)
	c := walkpublished.CompleteSGD{Nodes: f.Nodes, Turns: f.Steps}
	if f.Eps != 0 {
		noise, cal, err := c.PublishedTight(f.most(), f.Eps, f.metric())
		b.add(privacy.Published, tightened("published", noise.Claim, cal), err)
		return
	}
	loss, claim, err := c.PublishedLoss(f.most(), f.Sigma, f.metric())
	b.add(privacy.Published, lost("published", claim, loss, f.metric()), err)
	g, err := c.PublishedAt(f.Sigma, f.Delta)
	b.add(privacy.Published, guaranteed("published, Theorem 7.2", g), err)
}

func (f *CompleteQuestion) histogram(b *Bill) {
	c := sums.CompleteHistogram(f.complete())
	g, err := c.Local(f.Local, f.Delta)
	b.add(privacy.Sound, guaranteed("sound", g), err)
	g, err = c.PublishedAt(f.Local, f.Delta)
	b.add(privacy.Published, guaranteed("published", g), err)
}

// spotted prices the contributions between the observer's own turns. Without a cap, half of delta covers
// their number.
func (f *CompleteQuestion) spotted(b *Bill) {
	s, counted := walkpublished.Spotted{Nodes: f.Nodes, Contributions: f.Contributions}, 0.0
	if f.Contributions == 0 {
		counted = f.Delta / 2
		s = walkpublished.SpottedIn(f.Nodes, f.Steps, counted)
	}
	g, err := s.Sound(f.Sigma, f.Delta-counted)
	g.Delta += counted
	b.add(privacy.Sound, guaranteed("sound, spotted alone", g), err)
	g, err = s.PublishedAt(f.Sigma, f.Delta)
	b.add(privacy.Published, guaranteed("published, spotted alone", g), err)
}

// simulate prices random walks: means over walks, extremes over all.
func (f *CompleteQuestion) simulate(b *Bill) error {
	var sound, published sums.Spread
	for k := range f.Walks {
		drawn := sums.DrawWalk(f.Nodes, f.Steps, rand.New(rand.NewPCG(f.Seed, uint64(k))))
		pairs, claim, err := f.charge(drawn)
		if err != nil {
			return err
		}
		sound.Add(pairs, claim)
		if f.Task == "histogram" {
			continue
		}
		if pairs, claim, err := drawn.PublishedAt(f.Sigma, f.Delta); err == nil {
			published.Add(pairs, claim)
		}
	}
	b.add(privacy.Sound, spread("sound, simulated walks", &sound, f.metric()), nil)
	if published.Walks > 0 {
		b.add(privacy.Published, spread("published, simulated walks", &published, f.metric()), nil)
	}
	return nil
}

func (f *CompleteQuestion) charge(walk sums.ActualWalk) (*sums.PairValues, privacy.Claim, error) {
	if f.Task == "histogram" {
		return walk.SoundHistogram(sums.Respond(f.Values, f.Local), f.Delta)
	}
	return walk.Sound(f.Sigma, f.metric())
}

// spread returns a line of losses over random walks.
func spread(name string, s *sums.Spread, m privacy.Metric) Price {
	p, mean := lost(name, s.Claim, s.Most, m), s.Mean()
	p.Mean, p.Least = &mean, &s.Least
	return p
}
