package gradientinversion

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Solution is what attackers make of what they saw.
type Solution struct {
	Dim int
	// Gradients are those of all nodes, as nodes add them times the step size; of the attackers zeros. Where
	// Resolved says so, and gradients are the same in all rounds, they are the true ones but for
	// noise and rounding; elsewhere the least of all that fit the messages.
	Gradients [][]float64
	Resolved  []bool
	// Gain is the standard deviation of a number of an estimate over that of one draw of noise in a
	// gradient; not a number where it was too long to work out.
	Gain []float64
	// Rounding is how far rounding of the messages may have moved a number of an estimate. Both are of nodes whose gradient
	// is a combination of its own, not numbers elsewhere.
	Rounding []float64
	// Residual is the root mean square of what gradients that are the same in all rounds leave unexplained,
	// relative to what they should explain.
	Residual float64
}

// rounding is what a message is off by, relative to the largest.
const rounding = 0x1p-50

// Solve finds the gradients behind what is left of messages of dim numbers (Knowledge.Remove). The
// largest number of the messages themselves says how much they were rounded.
func (s *Solver) Solve(rest []float64, dim int, largest float64) *Solution {
	out := s.solve(rest, dim, negligible)
	s.assess(out, largest)
	return out
}

// assess says how good a solution is that uses all directions.
func (s *Solver) assess(out *Solution, largest float64) {
	j := s.judge(s.inverse(negligible))
	out.Resolved, out.Gain = j.resolved, j.gain
	for _, spread := range j.spread {
		out.Rounding = append(out.Rounding, spread*largest*rounding)
	}
}

// corrections is how often at most a solution is corrected by what it leaves: an inverse that is written out loses digits where
// directions are weak, and each correction brings as many again as it has.
const corrections = 3

// solve leaves out directions whose singular value is at most cut times the largest.
func (s *Solver) solve(rest []float64, dim int, cut float64) *Solution {
	n := s.knowledge.Len()
	out := &Solution{Dim: dim}
	values := make([]float64, n*dim)
	if s.left != nil {
		left := 0.0
		values, left = s.correct(rest, dim, cut)
		out.Residual = over(left, floats.Norm(rest, 2))
	}
	for u := range n {
		out.Gradients = append(out.Gradients, values[u*dim:(u+1)*dim])
	}
	return out
}

// correct is the gradients of all nodes and the norm of what they leave of rest. If all directions count they are corrected
// as long as less is left.
func (s *Solver) correct(rest []float64, dim int, cut float64) (values []float64, left float64) {
	values = s.gradients(rest, dim, cut)
	missed := s.missed(rest, values, dim)
	left = floats.Norm(missed, 2)
	for range corrections {
		if cut > negligible {
			break
		}
		next := s.gradients(missed, dim, cut)
		floats.Add(next, values)
		now := s.missed(rest, next, dim)
		norm := floats.Norm(now, 2)
		if !(norm < left) {
			break
		}
		values, missed, left = next, now, norm
	}
	return values, left
}

// missed is what gradients leave of rest.
func (s *Solver) missed(rest, values []float64, dim int) []float64 {
	out := s.knowledge.Matrix(values, dim)
	for i, x := range rest {
		out[i] = x - out[i]
	}
	return out
}

// gradients are those that the solver makes of rest.
func (s *Solver) gradients(rest []float64, dim int, cut float64) []float64 {
	var z, g mat.Dense
	heard := mat.NewDense(len(s.knowledge.rows), dim, rest)
	if s.ridge == nil || cut < leastCut || !s.ridge.solve(&z, heard, cut) {
		s.combine(&z, heard, cut)
	}
	g.Mul(s.basis, &z)
	return g.RawMatrix().Data
}

// combine is the solution in the directions whose singular value is more than cut times the largest.
func (s *Solver) combine(z, heard *mat.Dense, cut float64) {
	var along mat.Dense
	along.Mul(s.left, heard)
	for i, x := range s.values {
		by := 0.0
		if x > cut*s.values[0] {
			by = 1 / x
		}
		floats.Scale(by, along.RawRowView(i))
	}
	z.Mul(s.right, &along)
}
