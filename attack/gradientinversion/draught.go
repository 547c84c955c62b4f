package gradientinversion

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/internal/tile"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A draught is the least-squares problem of a step of an annealing: the residual of sums, the distance from home, and labels beyond 1.
type draught struct {
	*annealing
	draw, bound float64 // square roots of the weights of home and of labels
}

// residual returns the residual of a step: missed, then the weighted distance from home of each unknown number, then the weighted
// excess of each node's label.
func (p *draught) residual() []float64 {
	r := slices.Clone(p.missed)
	for i, x := range p.e {
		r = append(r, p.draw*(p.home[i]-x))
	}
	for i := range p.free {
		r = append(r, -p.bound*p.beyond(p.e, i))
	}
	return r
}

// moves returns the reduction of the residual by a step v.
func (p *draught) moves(v []float64) []float64 {
	r := p.along(v)
	for _, x := range v {
		r = append(r, p.draw*x)
	}
	d := p.part.dim
	for i := range p.free {
		by := 0.0
		if p.beyond(p.e, i) != 0 {
			for k := range d {
				by += float64(p.bound * p.dirs[k*d+d-1] * v[i*d+k])
			}
		}
		r = append(r, by)
	}
	return r
}

// force returns the transpose of moves times r.
func (p *draught) force(r []float64) []float64 {
	m, d := p.numbers(), p.part.dim
	heard, home, labels := r[:len(p.missed)], r[len(p.missed):len(p.missed)+m], r[len(p.missed)+m:]
	f := make([]float64, p.padded())
	parallel.Each(len(p.panels), p.workers, func(a int) { p.turn(a, heard, f) })
	f = f[:m]
	sparse.Axpy(f, p.draw, home)
	for i, x := range labels {
		if p.beyond(p.e, i) != 0 {
			for k := range d {
				f[i*d+k] += float64(p.bound * p.dirs[k*d+d-1] * x)
			}
		}
	}
	return f
}

// turn adds up the rows of panel a, weighted by weights.
func (s *annealing) turn(a int, weights, dst []float64) {
	sum := dst[a*tile.Width : (a+1)*tile.Width]
	clear(sum)
	for i, w := range weights {
		sparse.Axpy(sum, w, s.panels[a][i*tile.Width:(i+1)*tile.Width])
	}
}

// along returns the derivative of the weighted messages along v.
func (s *annealing) along(v []float64) []float64 {
	out := make([]float64, len(s.missed))
	for a, panel := range s.panels {
		some := v[min(len(v), a*tile.Width):min(len(v), (a+1)*tile.Width)]
		for i := range out {
			out[i] += sparse.Dot(some, panel[i*tile.Width:i*tile.Width+len(some)])
		}
	}
	return out
}

// factor factorises the Gram matrix with the weights of home and of labels, and damping. It returns false if the matrix is not
// positive definite.
func (s *annealing) factor(draw, bound, damp float64) (*mat.Cholesky, bool) {
	m, p, d := s.numbers(), s.padded(), s.part.dim
	sum := 0.0
	for i := range m {
		sum += s.hessian[i*p+i]
	}
	damp += draw + s.slack*sum/float64(m)
	h := mat.NewSymDense(m, nil)
	parallel.Each(m, s.workers, func(i int) {
		for j := range i + 1 {
			h.SetSym(j, i, s.hessian[i*p+j])
		}
		h.SetSym(i, i, h.At(i, i)+damp)
	})
	for i := range s.free {
		if s.beyond(s.e, i) == 0 {
			continue
		}
		for k := range d {
			for j := range k + 1 {
				h.SetSym(i*d+j, i*d+k, h.At(i*d+j, i*d+k)+float64(bound*s.dirs[j*d+d-1]*s.dirs[k*d+d-1]))
			}
		}
	}
	var c mat.Cholesky
	return &c, c.Factorize(h)
}

// step returns a Levenberg-Marquardt step with its second-order correction. It returns nil if the correction is too large.
func (s *annealing) step(draw, bound, damp float64) []float64 {
	c, ok := s.factor(draw, bound, damp)
	if !ok {
		return nil
	}
	p := &draught{s, math.Sqrt(draw), math.Sqrt(bound)}
	v := p.solve(c, p.residual(), damp)
	const h = 0.1
	e, missed := slices.Clone(s.e), make([]float64, len(s.missed))
	sparse.Axpy(e, h, v)
	s.try(missed, e)
	bend := s.along(v)
	for i := range bend {
		bend[i] = 1 / h * (bend[i] - (s.missed[i]-missed[i])/h)
	}
	more := p.solve(c, append(bend, make([]float64, len(v)+len(s.free))...), damp)
	if !(4*math.Sqrt(square(more)) < 0.75*math.Sqrt(square(v))) {
		return nil
	}
	sparse.Axpy(v, 1, more)
	return v
}

// solve returns the step that minimises r. With a small slack it is that of the normal equations, which lose weak directions. It
// counts its work.
func (p *draught) solve(c *mat.Cholesky, r []float64, damp float64) []float64 {
	if p.slack < slack {
		return solve(c, p.force(r))
	}
	v, taken := conjugate(p, c, r, damp)
	size := float64(len(v))
	p.budget -= float64(float64(taken) * size * (size + float64(2*float64(len(p.missed)))))
	return v
}
