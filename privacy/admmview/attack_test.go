package admmview

import (
	"math"
	"math/cmplx"
)

// An attack is a run on losses whose proximal steps are affine, so that the observers' view is one joint
// Gaussian given the path. It is written independently of Plan. Vectors of the plane are complex numbers. T =
// kept (2z - u) + constant with kept in a disc of diameter [0, Memory] is everything that firm non-expansiveness
// allows of a proximal step in it, and more than gradients do.
type attack struct {
	step  Step
	nodes int
	u     int
	acts  []act
}

// An act is a turn of a holder, or a look at the mean.
type act struct {
	look   bool
	start  bool // z is taken from the mean as it is now; false: as it was at the last start
	holder int
	how    How
	kept   complex128 // of 2z - u, by this update's proximal step
	prox   float64    // z = prox times the mean, in [0, 1] where the step is regularised, else 1
	moved  complex128 // by how much u's data move it, of length at most 1
}

// leaks returns the exact squared shift over noise of the view, in units of the square of the sensitivity over
// noise.
func (a attack) leaks() float64 {
	turns := 0
	for _, x := range a.acts {
		if !x.look {
			turns++
		}
	}
	l, shrink := complex(a.step.Lambda, 0), complex(ratio(a.step.Shrink), 0)
	variables := make([][]complex128, a.nodes) // per unit of noise of each turn, and the difference of the two worlds last
	for j := range variables {
		variables[j] = make([]complex128, turns+1)
	}
	mean := func() []complex128 {
		m := make([]complex128, turns+1)
		for _, v := range variables {
			for k, x := range v {
				m[k] += x / complex(float64(a.nodes), 0)
			}
		}
		return m
	}
	var basis [][]complex128
	total, turn := 0.0, 0
	z := mean()
	for _, x := range a.acts {
		if x.look {
			basis, total = seen(basis, mean(), total)
			continue
		}
		if x.start {
			z = mean()
		}
		v := variables[x.holder]
		for k := range v {
			zk := complex(x.prox, 0) * z[k]
			if x.how != Stays {
				v[k] += 2 * l * (shrink*(1-x.kept)*(2*zk-v[k]) - zk)
			}
		}
		v[turn]++
		v[turns] += x.moved
		turn++
	}
	return total
}

// seen adds the information of one look to an orthonormal basis of noises, whose last entries are the shifts.
func seen(basis [][]complex128, row []complex128, total float64) ([][]complex128, float64) {
	last := len(row) - 1
	before := length(row[:last])
	for range 2 {
		for _, b := range basis {
			dot := complex128(0)
			for k := range last {
				dot += cmplx.Conj(b[k]) * row[k]
			}
			for k := range row {
				row[k] -= dot * b[k]
			}
		}
	}
	norm := length(row[:last])
	if norm <= 1e-9*before || norm == 0 {
		if cmplx.Abs(row[last]) > 1e-7*(1+before) {
			return basis, math.Inf(1)
		}
		return basis, total
	}
	for k := range row {
		row[k] /= complex(norm, 0)
	}
	return append(basis, row), total + real(row[last])*real(row[last]) + imag(row[last])*imag(row[last])
}

func length(x []complex128) float64 {
	sum := 0.0
	for _, v := range x {
		sum += real(v)*real(v) + imag(v)*imag(v)
	}
	return math.Sqrt(sum)
}

// planned returns the charge of a Plan for the same run.
func (a attack) planned() float64 {
	p, turns := NewPlan(a.step, a.nodes, a.u), []Turn(nil)
	together := false
	for _, x := range a.acts {
		if !x.look {
			together = together || !x.start
			turns = append(turns, Turn{x.holder, x.how})
			continue
		}
		if together {
			p.Round(turns)
		} else {
			p.Seen(turns)
		}
		turns, together = turns[:0], false
	}
	return p.Energy()
}
