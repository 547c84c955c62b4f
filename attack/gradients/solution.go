package gradients

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

// solve leaves out directions whose singular value is at most cut times the largest.
func (s *Solver) solve(rest []float64, dim int, cut float64) *Solution {
	k := s.knowledge
	n := k.Len()
	out := &Solution{Dim: dim}
	values := make([]float64, n*dim)
	if s.left != nil {
		var z, g mat.Dense
		heard := mat.NewDense(len(k.rows), dim, rest)
		if s.ridge == nil || cut < leastCut || !s.ridge.solve(&z, heard, cut) {
			s.combine(&z, heard, cut)
		}
		g.Mul(s.basis, &z)
		copy(values, g.RawMatrix().Data)
		explained := k.Matrix(values, dim)
		floats.Sub(explained, rest)
		if of := floats.Norm(rest, 2); of > 0 {
			out.Residual = floats.Norm(explained, 2) / of
		}
	}
	for u := range n {
		out.Gradients = append(out.Gradients, values[u*dim:(u+1)*dim])
	}
	return out
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
