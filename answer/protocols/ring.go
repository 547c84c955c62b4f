package protocols

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/sums"
)

// A RingQuestion holds the settings of `hearsay privacy ring`.
type RingQuestion struct {
	form.Asker
	Task                  string
	Nodes, Rounds, Values int
	Sigma, Eps, Delta     float64
	Local                 float64
	Spread, Final         bool
	Colluders             []int
	Sensitivities         []float64
}

// Answer prices or calibrates a ring. It returns an error if every accountant refuses.
func (f *RingQuestion) Answer() (*Bill, error) {
	if err := form.OneOf("--task", f.Task, "sum", "histogram"); err != nil {
		return nil, err
	}
	if err := form.CheckDelta(f.Delta); err != nil {
		return nil, err
	}
	for _, v := range f.Colluders {
		if v < 0 || v >= f.Nodes {
			return nil, fault.New(fmt.Sprintf("--colluders: node %d is not in a ring of %d nodes", v, f.Nodes), "number nodes from 0")
		}
	}
	if f.Sensitivities != nil {
		if f.Task == "histogram" {
			return nil, fault.New("--sensitivities: an answer of a histogram can change altogether", "leave them out")
		}
		if err := checkSensitivities(f.Sensitivities, f.Nodes); err != nil {
			return nil, err
		}
	}
	var b Bill
	switch {
	case f.Task == "histogram":
		if err := checkLocal(f.Local); err != nil {
			return nil, err
		}
		f.histogram(&b)
	case f.Sensitivities != nil:
		f.soundEach(&b)
	case f.Eps != 0:
		f.calibrate(&b)
	default:
		f.sum(&b)
	}
	return b.shown()
}

func (f *RingQuestion) ring() sums.Ring {
	return sums.Ring{Nodes: f.Nodes, Rounds: f.Rounds, Spread: f.Spread, Final: f.Final}
}

func (f *RingQuestion) metric() privacy.Metric { return privacy.Metric{Delta: f.Delta} }

func (f *RingQuestion) sum(b *Bill) {
	loss, claim, err := f.ring().Sound(f.Sigma, f.metric(), f.Colluders...)
	b.add(privacy.Sound, lost("sound", claim, loss, f.metric()), err)
	g, err := f.ring().PublishedAt(f.Sigma, f.Delta)
	b.add(privacy.Published, guaranteed("published", g), err)
}

func (f *RingQuestion) calibrate(b *Bill) {
	noise, cal, err := f.ring().Tight(f.Eps, f.metric(), f.Colluders...)
	b.add(privacy.Sound, tightened("sound", noise.Claim, cal), err)
	b.calibrate(f.Eps, func(sigma float64) (privacy.Guarantee, error) { return f.ring().PublishedAt(sigma, f.Delta) })
}

func (f *RingQuestion) histogram(b *Bill) {
	h := sums.RingHistogram{Nodes: f.Nodes, Rounds: f.Rounds, Response: sums.Respond(f.Values, f.Local), Final: f.Final}
	g, err := h.Sound(f.Delta)
	b.add(privacy.Sound, guaranteed("sound", g), err)
	g, err = h.SoundFeldman(f.Delta)
	b.add(privacy.Sound, guaranteed("feldman", g), err)
	g, err = h.PublishedAt(f.Values, f.Local, f.Delta)
	b.add(privacy.Published, guaranteed("published", g), err)
}
