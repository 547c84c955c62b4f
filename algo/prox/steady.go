package prox

import (
	"github.com/hearsay-dp/hearsay/internal/math"
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
	most := mostSteps + float64(steadySteps*root)
	if root > steepest {
		most = mostSteady
	}
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

// steepest is the sqrt(steep) up to which they go on for as long as that takes: rows of norm
// LongestCertified have half of it times the root of the weight, and no more.
const steepest = 1 << 13

// mostSteady is where they end beyond it. Rows that are so long, of data that nobody has scaled, have
// numbers at whose rounding no point is found to within a tolerance; the answer's Off says how far it is.
const mostSteady = 1 << 15

// LongestCertified is the norm of a row up to which proximal points are found to within the tolerance
// that is asked for, and what accountants say of proximal steps holds. Who runs them checks it.
const LongestCertified = 1e4
