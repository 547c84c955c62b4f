package prox

import (
	"math"

	"github.com/hearsay-dp/hearsay/sparse"
)

// steady goes on from where Newton's method did not end, by Nesterov's accelerated
// gradients: what is minimised bends by at least 1 and at most by steep, so that the
// residual falls by 1 - 1/sqrt(steep) a step from wherever it begins, and what is
// certified does not depend on luck.
func (s *Solver) steady(w []float64, tolerance float64, a Answer) Answer {
	q := &s.rows
	steep := 1.0
	for _, norm := range q.norm {
		if norm > 0 {
			steep += float64(q.c * s.model.Guarantees(norm).Bend())
		}
	}
	root := math.Sqrt(steep)
	carry := (root - 1) / (root + 1)
	before := append(s.full[:0], s.p...)
	for {
		q.bend()
		s.residual(w)
		a.Off = sparse.Norm(s.r)
		if a.Off <= max(tolerance, q.rounding(w, s.p)) || !(a.Off <= math.MaxFloat64) || float64(a.Steps) > mostSteps+steadySteps*root {
			return a
		}
		for j, r := range s.r {
			after := s.p[j] - r/steep
			s.p[j] = after + float64(carry*(after-before[j]))
			before[j] = after
		}
		q.margins(s.p)
		a.Steps++
	}
}

// steadySteps times sqrt(steep) accelerated steps bring a residual below e^-60 of
// what it was, times steep: below all rounding.
const steadySteps = 128
