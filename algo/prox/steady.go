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
	most := min(mostSteps+steadySteps*root, mostSteady)
	carry := (root - 1) / (root + 1)
	before := append(s.full[:0], s.p...)
	for {
		q.bend()
		s.residual(w)
		a.Off = sparse.Norm(s.r)
		if a.Off <= max(tolerance, q.rounding(w, s.p)) || !(a.Off <= math.MaxFloat64) || float64(a.Steps) > most {
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

// mostSteady is where they end in any case. Rows that are so long that it takes more (a norm of 1e9
// and more, of data that nobody has scaled) have numbers at whose rounding no point is found to within a
// tolerance; the answer's Off says how far it is.
const mostSteady = 1 << 15
