// Package sumsfamily implements sums and histograms that a token gathers: on a directed ring (002, chapter 5) and by a uniform
// walk (002, chapter 7).
package sumsfamily

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/sum"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// An Algorithm is a sum or histogram over the nodes of one run.
type Algorithm struct {
	family.Holdings
	protocol *walk.Protocol
	order    []step.NodeID // of a ring
	place    []int         // place of every node in order
	scales   []float64
}

// Prepare implements family.Family.
func (Family) Prepare(ctx context.Context, h family.Holdings) (family.Algorithm, error) {
	if h.Spec.Algorithm.Kind == averaging {
		return prepareAveraging(ctx, h)
	}
	a := &Algorithm{}
	if isRing(h.Spec) {
		order, err := ringOrder(h.Graph)
		if err != nil {
			return nil, err
		}
		a.order, a.place = order, make([]int, len(order))
		for i, v := range order {
			a.place[v] = i
		}
		if err := checkTurns(h.Spec, len(order)); err != nil {
			return nil, err
		}
	} else if err := h.CheckComplete(); err != nil {
		return nil, err
	}
	a.Holdings = h.WithSpec(func(s *spec.Spec) {
		if isRing(s) {
			s.Algorithm.Steps = s.Nodes * KeysOf(s).Rounds
		}
		if s.Report.Every == 0 {
			s.Report.Every = max(1, s.Algorithm.Steps/200)
		}
	})
	local, err := a.Step()
	if err != nil {
		return nil, err
	}
	local.StepSize = descent.StepSize{Base: 1}
	if isHistogram(a.Spec) {
		local.Noise.Shares = nil // a record is in an answer or it is not
	}
	a.protocol = a.made(local)
	a.scales, err = a.Holdings.Scales(ctx, a.Local())
	return a, err
}

// made returns the protocol whose turns take the noise of local.
func (a *Algorithm) made(local descent.Local) *walk.Protocol {
	s := a.Spec
	p := &walk.Protocol{
		Local: local, Nodes: s.Nodes, Steps: s.Algorithm.Steps, Cap: s.Algorithm.Contributions, Final: s.Privacy.Release == "final",
	}
	share := sum.Everywhere
	if isRing(s) {
		ring := a.ring(local)
		share, p.Holder, p.Start = ring.Share, ring.Holder, a.order[0]
	} else if a.Public || s.Federated() {
		p.Start = walk.StartAt(s.Nodes, s.Seed, 0)
	}
	if isHistogram(s) {
		answer := a.answer(local)
		p.Kernel, p.Box = sum.Answers{Answer: answer}.NewResponder(p.Steps), float64(p.Steps+answer.Start+answer.End)
		return p
	}
	adding := model.Adding(local.Noise.Sensitivity())
	p.Kernel, p.Updates = sum.NewAdder(share), &adding
	return p
}

// answer returns the mechanism of a histogram, whose noise multiplier is the probability of a random answer.
func (a *Algorithm) answer(local descent.Local) schedule.Answer {
	answer := schedule.Answer{Values: local.Params, Gamma: local.Noise.Multiplier}
	if !isRing(a.Spec) {
		return answer
	}
	answer.Start = sum.Hidden(answer.Gamma, a.Spec.Nodes)
	if a.Spec.Privacy.Release == "final" {
		answer.End = answer.Start
	}
	return answer
}

// ring returns the schedule of a ring with the noise of local.
func (a *Algorithm) ring(local descent.Local) schedule.Ring {
	final, k := a.Spec.Privacy.Release == "final", KeysOf(a.Spec)
	r := schedule.Ring{Nodes: a.Spec.Nodes, Rounds: k.Rounds, Order: a.order, Spread: k.Spread, Final: final, Sealed: final,
		Sensitivity: local.Noise.Sensitivity(), Sensitivities: local.Noise.Sensitivities(), CutDown: local.Noise.CutDown(local.Params), Noise: local.Noise.Std()}
	if isHistogram(a.Spec) {
		r.Answer = a.answer(local)
	}
	return r
}

// walk returns the schedule of a uniform walk.
func (a *Algorithm) walk() schedule.Walk {
	w := a.protocol.Schedule(nil, a.Guarantees)
	w.Start = schedule.AnyStart
	if a.Public || a.Spec.Federated() {
		w.Start = int(a.protocol.Start)
	}
	return w
}

// Schedule implements family.Algorithm.
func (a *Algorithm) Schedule() schedule.Schedule {
	switch {
	case isRing(a.Spec):
		return a.ring(a.protocol.Local)
	case isHistogram(a.Spec):
		return schedule.Answers{Walk: a.walk(), Answer: a.answer(a.protocol.Local)}
	}
	return a.walk()
}

// choose returns the route of the token.
func (a *Algorithm) choose() walk.Chooser {
	if isRing(a.Spec) {
		return around{a.order, a.place}
	}
	return walk.Uniform(a.Spec.Nodes)
}

// around is a route to the next place.
type around struct {
	order []step.NodeID
	place []int
}

// Next implements walk.Chooser.
func (r around) Next(u int, _ *rand.Rand) int { return int(r.order[(r.place[u]+1)%len(r.order)]) }

// Of implements family.Algorithm.
func (a *Algorithm) Of() *family.Holdings { return &a.Holdings }

// Local implements family.Algorithm.
func (a *Algorithm) Local() *descent.Local { return &a.protocol.Local }

// Scales implements family.Algorithm.
func (a *Algorithm) Scales() []float64 { return a.scales }

// Contributions implements family.Algorithm.
func (a *Algorithm) Contributions() int { return a.protocol.Cap }

// Turns implements family.Algorithm.
func (a *Algorithm) Turns() int64 { return int64(a.protocol.Turns()) }

// Draws implements family.Algorithm.
func (a *Algorithm) Draws() float64 { return float64(a.Turns()) }

// Bound implements family.Algorithm.
func (a *Algorithm) Bound() float64 { return a.protocol.Bound() }

// Work implements family.Algorithm.
func (a *Algorithm) Work() float64 {
	rows := float64(a.Train.Len()) / float64(a.Spec.Nodes)
	if isHistogram(a.Spec) {
		return float64(a.Turns())
	}
	return float64(a.Turns()) * (rows + 1) * float64(a.protocol.Params)
}

// WithNoise implements family.Algorithm.
func (a *Algorithm) WithNoise(multiplier float64) (family.Algorithm, error) {
	other, local := *a, a.protocol.Local
	local.Noise.Multiplier = multiplier
	other.protocol = other.made(local)
	return &other, nil
}

// WithPrivacy implements family.Algorithm.
func (a *Algorithm) WithPrivacy(p spec.Privacy) family.Algorithm {
	other := *a
	other.Holdings = a.WithSpec(func(s *spec.Spec) { s.Privacy = p })
	other.protocol = other.made(a.protocol.Local)
	return &other
}

// Scoring implements family.Algorithm.
func (a *Algorithm) Scoring() family.Scoring {
	return family.Scoring{Shares: slices.Repeat([]float64{1 / float64(a.Spec.Nodes)}, a.Spec.Nodes)}
}
