package flow

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// The audit of rounds of several turns on one draw of noise. With quadratic losses, Phi(x) = r
// L x, the view is one joint Gaussian. Seen values are subtracted before they go on, so hidden
// states follow x_(t+1) = M_K (I-P) y_t, and each round shows P y_t. Any combination w of the
// view has a shift, sum of s_t p_t[u], and a variance, sum of |p_t|^2, with p_t = P w_t + r L
// ((I-P) M_K') p_(t+1). Their quotient is a lower bound for every w.

// curvesTried lists the values of r that are tried for all nodes: as flat as possible,
// reflecting, and forgetting.
var curvesTried = []float64{1, -1, 0}

// veilAttack limits the work on the combination of a pair, and manyVeilAttacks that on one of
// many pairs.
var (
	veilAttack      = effort{gradients: 200, inner: 1e-8}
	manyVeilAttacks = effort{gradients: 40, inner: 1e-4}
)

// attackVeils returns the largest energy that attacks on u attain, and its curve. The energy
// is 0 if a veil was not decided.
func (a *Accountant) attackVeils(veils []*veil, u int, curves []float64, work effort) (attained, curve float64) {
	curve = curves[0]
	for _, v := range veils {
		if !v.decided {
			return 0, curve
		}
	}
	for _, r := range curves {
		s := &veilTest{Accountant: a, veils: veils, u: u, curve: r}
		if e := s.best(work); e > attained {
			attained, curve = e, r
		}
	}
	return attained, curve
}

// A veilTest is one combination of the seen values.
type veilTest struct {
	*Accountant
	veils []*veil
	u     int
	curve float64
}

func (s *veilTest) zeros() [][]float64 { return newTrace(len(s.veils), s.n).c }

// times sets dst to the projection of x.
func (v *veil) times(dst, x []float64) {
	for i := range v.n {
		dst[i] = sparse.Dot(v.seen[i*v.n:(i+1)*v.n], x)
	}
}

// back sets p to the weight of every node's noise in combinations w.
func (s *veilTest) back(p, w [][]float64) {
	later := make([]float64, s.n)
	for t := len(s.veils) - 1; t >= 0; t-- {
		s.veils[t].times(p[t], w[t])
		if t+1 == len(s.veils) {
			continue
		}
		clear(later)
		for i := range s.n {
			if y := s.spread[t+1].at(i) * s.curve * p[t+1][i]; y != 0 {
				sparse.Axpy(later, y, s.veils[t].onwards[i*s.n:(i+1)*s.n])
			}
		}
		sparse.Axpy(p[t], 1, later)
	}
}

// ahead sets g to the seen values if updates are moved by p.
func (s *veilTest) ahead(g, p [][]float64) {
	y, x := make([]float64, s.n), make([]float64, s.n)
	for t, v := range s.veils {
		for j := range y {
			if y[j] = p[t][j]; t > 0 {
				y[j] += float64(s.spread[t].at(j) * s.curve * x[j])
			}
		}
		v.times(g[t], y)
		for i := range s.n {
			x[i] = sparse.Dot(v.onwards[i*s.n:(i+1)*s.n], y)
		}
	}
}

// best returns the energy that the best combination attains, found by conjugate gradients.
func (s *veilTest) best(work effort) float64 {
	w, r, p, g := s.zeros(), s.zeros(), s.zeros(), s.zeros()
	for t := range p {
		p[t][s.u] = s.gives[t].at(s.u)
	}
	s.ahead(r, p)
	d := s.zeros()
	for t := range d {
		copy(d[t], r[t])
	}
	size := dots(r, r)
	for target, i := size*work.inner*work.inner, 0; i < work.gradients && size > target; i++ {
		s.back(p, d)
		s.ahead(g, p)
		curvature := dots(d, g)
		if !(curvature > 0) {
			break
		}
		for t := range w {
			sparse.Axpy(w[t], size/curvature, d[t])
			sparse.Axpy(r[t], -size/curvature, g[t])
		}
		next := dots(r, r)
		for t := range d {
			for j, x := range r[t] {
				d[t][j] = x + float64(next/size*d[t][j])
			}
		}
		size = next
	}
	s.back(p, w)
	shift, slack := 0.0, 0.0
	for t := range p {
		gives := s.gives[t].at(s.u)
		shift += float64(gives * p[t][s.u])
		slack += gives
	}
	norm := math.Sqrt(dots(p, p))
	sure := math.Abs(shift) - float64(1e-8*slack*norm) // entries of P are off by 1e-10
	if !(sure > 0) || !(norm > 0) {
		return 0
	}
	return sure / norm * (sure / norm) * (1 - 1e-7)
}

func dots(x, y [][]float64) float64 {
	sum := 0.0
	for t := range x {
		sum += sparse.Dot(x[t], y[t])
	}
	return sum
}
