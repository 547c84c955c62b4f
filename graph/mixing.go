package graph

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// Mixing bounds the mixing time: the smallest t with max over starts u of
// ||row u of W^t - pi||_TV <= iota (002, Definition 2.12) lies from Lower to
// Upper. If Exact, they are equal and come from powers of W. Otherwise they
// come from the spectral gap. If that gap is only an Estimate, Lower still
// holds but Upper may be too small.
type Mixing struct {
	Iota         float64
	Lower, Upper int
	Exact        bool
	Estimate     bool
}

const (
	denseLimit  = 512     // nodes up to which dense powers of W are affordable
	neverMixes  = 1 << 40 // steps after which a walk is taken to be periodic
	periodicGap = 1e-12
)

// MixingTime computes the mixing time for 0 < iota < 1. gap is the spectral
// gap of W. The result is exact up to 512 nodes, and bounds beyond. It fails
// if the graph is not connected or the walk is periodic, because there is no
// mixing time then. It also fails on directed graphs beyond 512 nodes,
// because no bound is known there.
//
// The lower bound is (1/gap - 1) ln(1/(2 iota)) (Levin and Peres 2017,
// Theorem 12.5). The upper bound is the first t with sqrt(1/pi_min - 1)/2
// (1-gap)^t <= iota (Diaconis and Stroock 1991).
func (t *Transition) MixingTime(iota float64, gap Gap) (Mixing, error) {
	if !(iota > 0 && iota < 1) {
		panic("graph: a mixing time needs 0 < iota < 1")
	}
	pi, err := t.Stationary()
	switch {
	case err != nil:
		return Mixing{}, err
	case t.Len() <= denseLimit:
		return t.mixingByPowers(pi, iota)
	case !t.Reversible():
		return Mixing{}, fault.New(sprintf("no bound is known for the mixing time of weights %s on %s: the walk is not reversible", t.rule, t.graph.name),
			sprintf("ask on an undirected graph with weights hamilton, or one of at most %d nodes", denseLimit))
	case gap.Value < periodicGap:
		return Mixing{}, t.periodic()
	}
	return mixingFromGap(pi, iota, gap), nil
}

func mixingFromGap(pi []float64, iota float64, gap Gap) Mixing {
	decay := -math.Log1p(-min(gap.Value, 1-1e-15))
	distance := math.Sqrt(max(1/floats.Min(pi)-1, 0)) / 2
	upper := math.Ceil(math.Log(distance/iota) / decay)
	lower := math.Ceil((1/gap.Value - 1) * math.Log(1/(2*iota)))
	m := Mixing{Iota: iota, Lower: int(max(lower, 0)), Upper: int(max(upper, 0)), Estimate: !gap.Converged}
	m.Upper = max(m.Upper, m.Lower)
	return m
}

func (t *Transition) periodic() error {
	return fault.New(sprintf("the walk with weights %s on %s never mixes: it is periodic", t.rule, t.graph.name),
		"use weights hamilton, which stay with some probability")
}

// mixingByPowers squares W until it is mixed, then finds the mixing time by
// bisection, because the distance to pi never grows with t.
func (t *Transition) mixingByPowers(pi []float64, iota float64) (Mixing, error) {
	if t.Len() == 1 {
		return Mixing{Iota: iota, Exact: true}, nil
	}
	squares := []*mat.Dense{t.dense()}
	for farthest(squares[len(squares)-1], pi) > iota {
		if 1<<len(squares) > neverMixes {
			return Mixing{}, t.periodic()
		}
		last := squares[len(squares)-1]
		squares = append(squares, product(last, last))
	}
	var power *mat.Dense // W^time; nil is the identity, never mixed
	time := 0
	for k := len(squares) - 2; k >= 0; k-- {
		next := squares[k]
		if power != nil {
			next = product(power, squares[k])
		}
		if farthest(next, pi) > iota {
			power, time = next, time+1<<k
		}
	}
	if power == nil && startsMixed(pi, iota) {
		return Mixing{Iota: iota, Exact: true}, nil
	}
	return Mixing{Iota: iota, Lower: time + 1, Upper: time + 1, Exact: true}, nil
}

// startsMixed reports whether a point mass is already within iota of pi.
func startsMixed(pi []float64, iota float64) bool { return 1-floats.Min(pi) <= iota }

// dense returns W as a dense matrix.
func (t *Transition) dense() *mat.Dense {
	m := mat.NewDense(t.Len(), t.Len(), nil)
	for u := range t.Len() {
		m.Set(u, u, t.Self(u))
		for _, v := range t.graph.Neighbours(u) {
			m.Set(u, int(v), t.At(u, int(v)))
		}
	}
	return m
}

// product multiplies two stochastic matrices and rescales the rows to sum to
// 1.
func product(a, b *mat.Dense) *mat.Dense {
	var c mat.Dense
	c.Mul(a, b)
	n, _ := c.Dims()
	for u := range n {
		row := c.RawRowView(u)
		floats.Scale(1/floats.Sum(row), row)
	}
	return &c
}

// farthest returns the largest total variation distance of a row to pi.
func farthest(m *mat.Dense, pi []float64) float64 {
	worst := 0.0
	for u := range len(pi) {
		worst = max(worst, floats.Distance(m.RawRowView(u), pi, 1)/2)
	}
	return worst
}
