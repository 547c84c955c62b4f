package prox

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Solver owns scratch memory and must not be shared between goroutines.
type Solver struct {
	model  model.Margined
	params int
	clip   float64 // of each example's gradient; +Inf: none

	rows    problem
	p, r    []float64 // the point, the residual there
	to      []float64 // a direction
	full    []float64 // a row
	system  []float64
	active  []int
	columns []float64
	most    int // steps of Newton's method
}

// New returns a solver for losses of m clipped to norm clip > 0, with params parameters.
func New(m model.Margined, params int, clip float64) *Solver {
	made := func() []float64 { return make([]float64, params) }
	return &Solver{model: m, params: params, clip: clip, p: made(), r: made(), to: made(), full: made(), most: mostSteps}
}

// An Answer holds the slopes that the solver found, and their accuracy.
type Answer struct {
	Slopes []float64 // of each example's loss in its margin, clipped, borrowed until the next call
	Off    float64   // bounds the distance from the proximal point, but for rounding
	Steps  int
}

const (
	// mostSteps of Newton's method are more than any example took (some 10 do).
	mostSteps = 200
	// longestRow is the norm beyond which a row counts as none: squares would leave the
	// range of numbers.
	longestRow = 1e100
)

// Solve finds the slopes at the proximal point of w to within tolerance, or as far as
// rounding allows. weight > 0. Rows, labels or norms that are no numbers have the slope
// 0, a constant. Neither w nor ex is changed.
func (s *Solver) Solve(w []float64, ex model.Examples, weight, tolerance float64) Answer {
	return s.SolveFrom(nil, w, ex, weight, tolerance)
}

// SolveFrom solves as Solve does, with a start from f, which Factor made of the same examples and weight. A nil f
// starts from w. If no example's gradient is clipped, the start from f is the proximal point.
func (s *Solver) SolveFrom(f *Factor, w []float64, ex model.Examples, weight, tolerance float64) Answer {
	q := &s.rows
	q.take(s, ex, weight)
	if ex.Len() == 1 {
		return s.single(w, tolerance)
	}
	if copy(s.p, w); f != nil {
		f.lead(s, w)
	}
	q.margins(s.p)
	a := Answer{Slopes: q.slope}
	for ; ; a.Steps++ {
		q.bend()
		s.residual(w)
		a.Off = sparse.Norm(s.r)
		if a.Off <= max(tolerance, q.rounding(w, s.p)) || !(a.Off <= math.MaxFloat64) {
			return a
		}
		if a.Steps >= s.most {
			return s.steady(w, tolerance, a)
		}
		s.newton()
		s.search(w)
	}
}

// residual sets r = p - w + c sum of s_i x_i.
func (s *Solver) residual(w []float64) {
	for j := range s.r {
		s.r[j] = s.p[j] - w[j]
	}
	for i, slope := range s.rows.slope {
		s.rows.add(s.r, float64(s.rows.c*slope), i)
	}
}

// search goes along to until the slope of the objective has fallen to at most half,
// and little beyond 0. Along a line the objective is convex, so its slope rises.
func (s *Solver) search(w []float64) {
	q := &s.rows
	q.along(s.to)
	square, linear := 0.0, 0.0
	for j, d := range s.to {
		square += float64(d * d)
		linear += float64(d * (s.p[j] - w[j]))
	}
	at := func(t float64) float64 { return linear + float64(t*square) + float64(q.c*q.slopeAlong(t)) }
	begin := at(0)
	low, high, t := 0.0, math.Inf(1), 1.0
	for range 100 {
		slope := at(t)
		switch {
		case slope > -begin/16:
			high = t
		case slope < begin/2:
			low = t
		default:
			q.move(s.p, s.to, t)
			return
		}
		if math.IsInf(high, 1) {
			t *= 2
		} else {
			t = (low + high) / 2
		}
	}
	q.move(s.p, s.to, t)
}
