package admm

import (
	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/prox"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// A Holder is the state of one node between rounds.
type Holder struct {
	U      []float64    // its variable, shown to nobody
	Scale  float64      // of its losses
	Factor *prox.Factor // the common part of its updates; nil: none
}

// Answer takes one round: it updates h.U and sets change to the difference.
func (k *Kernel) Answer(change []float64, h *Holder, z []float64, ex model.Examples, node step.NodeID, t step.Turn) step.Release {
	copy(change, h.U)
	r := k.Update(h.U, z, ex, h.Scale, h.Factor, node, t, 0)
	for j, before := range change {
		change[j] = h.U[j] - before
	}
	return r
}

// An Examiner holds all that the server knows of one node's variable, which is the whole variable, because it is the
// sum of the changes. The server can therefore compute everything in a change but the clipped gradients and noise.
type Examiner struct{ U []float64 }

// Confine shortens change to one with which a node that follows the protocol can answer z, but for
// a probability below 2^-180: the part that does not follow from U and z has length at most Rate x (clip +
// noise). An honest change stays as it is, bit for bit. U then moves by change.
func (e *Examiner) Confine(p *Local, change, z []float64) {
	if room := p.longest(); !math.IsInf(room, 1) {
		e.confine(p, change, z, room)
	}
	for j, x := range change {
		e.U[j] += x
	}
}

// longest returns the largest distance of an honest change from the value that follows from U and z.
func (l *Local) longest() float64 {
	return l.StepSize.Base * (l.Noise.Clip + float64((math.Sqrt(float64(l.Params))+deviations)*l.Noise.Std()))
}

// deviations of a Gaussian's norm above its root mean square: it is beyond with
// probability at most exp(-deviations^2/2) < 2^-180.
const deviations = 16

func (e *Examiner) confine(p *Local, change, z []float64, room float64) {
	expected, own, size := make([]float64, len(z)), make([]float64, len(z)), 0.0
	shrink, twice := 1/(1+float64(p.Gamma*p.Objective.L2)), 2*p.Lambda
	for j, v := range z {
		y := float64(float64(float64(2*v)-e.U[j]) * shrink)
		expected[j] = float64(twice * (y - v))
		own[j] = change[j] - expected[j]
		size = max(size, math.Abs(v), math.Abs(e.U[j]))
	}
	length := sparse.Norm(own)
	if length <= room+float64(1e-9*size) { // rounding among numbers of that size
		return
	}
	copy(change, expected)
	if length <= math.MaxFloat64 {
		sparse.Axpy(change, room/length, own)
	}
}

// NewHolder returns the state of a node at the start of a run.
func (k *Kernel) NewHolder(ex model.Examples, scale float64) Holder {
	return Holder{U: k.p.Begin(), Scale: scale, Factor: k.Factor(ex, scale)}
}

// confined returns a copy of z in the box of half-width bound.
func confined(z []float64, bound float64) []float64 {
	z = append([]float64{}, z...)
	descent.Confine(z, bound)
	return z
}
