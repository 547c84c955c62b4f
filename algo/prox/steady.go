package prox

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// steady continues where Newton's method did not end, by Nesterov's accelerated
// gradients. The objective is 1-strongly convex and steep-smooth, so that the
// residual falls by the factor 1 - 1/sqrt(steep) a step from any start. The
// certified error thus does not depend on luck.
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

// steadySteps times sqrt(steep) accelerated steps bring a residual below its first value times
// e^-60 steep, which is below all rounding.
const steadySteps = 128

// steepest is the sqrt(steep) up to which the steps go on as long as they must. Rows of norm
// LongestCertified have half of it times the root of the weight, and no more.
const steepest = 1 << 13

// mostSteady is the largest number of steps if sqrt(steep) is beyond steepest. Rows that are so long, of data that nobody has scaled, have
// numbers whose rounding keeps every point outside the tolerance. The answer's Off says how far its point is.
const mostSteady = 1 << 15

// LongestCertified is the norm of a row up to which proximal points are found to within the requested
// tolerance, so that accountants' bounds on proximal steps hold. Callers must check that rows are no longer.
const LongestCertified = 1e4
