package gradientinversion

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Solution holds the attackers' estimates of gradients.
type Solution struct {
	Dim int
	// Gradients are those of all nodes, as nodes add them times the step size, and zeros for the attackers. If a node is
	// Resolved, and gradients are the same in all rounds, its gradient is the true one up to noise and rounding. Elsewhere it
	// is the shortest of all that fit the messages.
	Gradients [][]float64
	Resolved  []bool
	// Gain is the standard deviation of a number of an estimate over that of one draw of noise in a gradient. It is NaN if it
	// would take too long to compute.
	Gain []float64
	// Rounding estimates the error of a number of an estimate by rounding of the messages. Gain and Rounding are NaN for nodes
	// whose gradient is not one of the combinations by itself.
	Rounding []float64
	// Residual is the root mean square of the part of the messages that constant gradients do not explain, relative to the part
	// that they should explain.
	Residual float64
}

// rounding is the relative rounding error of a message.
const rounding = 0x1p-50

// Solve returns the gradients behind the others' part of messages of dim numbers (Knowledge.Remove). largest, the largest
// number of the messages themselves, gives their rounding.
func (s *Solver) Solve(rest []float64, dim int, largest float64) *Solution {
	out := s.solve(rest, dim, negligible)
	s.assess(out, largest)
	return out
}

// assess judges a solution that uses all directions.
func (s *Solver) assess(out *Solution, largest float64) {
	j := s.judge(s.inverse(negligible))
	out.Resolved, out.Gain = j.resolved, j.gain
	for _, spread := range j.spread {
		out.Rounding = append(out.Rounding, spread*largest*rounding)
	}
}

// corrections is the largest number of corrections of a solution by its residual. An explicit inverse loses digits in weak
// directions, and each correction doubles the number of right digits.
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

// correct returns the gradients of all nodes and the norm of their residual in rest. If all directions count it corrects them
// as long as the residual falls.
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

// missed returns the residual of gradients in rest.
func (s *Solver) missed(rest, values []float64, dim int) []float64 {
	out := s.knowledge.Matrix(values, dim)
	for i, x := range rest {
		out[i] = x - out[i]
	}
	return out
}

// gradients returns the solver's solution for rest.
func (s *Solver) gradients(rest []float64, dim int, cut float64) []float64 {
	var z, g mat.Dense
	heard := mat.NewDense(len(s.knowledge.rows), dim, rest)
	if s.ridge == nil || cut < leastCut || !s.ridge.solve(&z, heard, cut) {
		s.combine(&z, heard, cut)
	}
	g.Mul(s.basis, &z)
	return g.RawMatrix().Data
}

// combine sets z to the solution in the directions whose singular value is more than cut times the largest.
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
