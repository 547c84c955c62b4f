package gradientinversion

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A belief is the attackers' prior of examples: a normal law with the mean and the covariance of the examples that
// they know.
type belief struct {
	mean []float64
	root []float64 // dim rows: the columns of a square root of the covariance
}

// fewKnown is the weight, in examples, of the prior assumption that numbers are independent.
const fewKnown = 5

// believe fits a belief to known vectors of dim numbers one after the other.
func believe(known []float64, dim int) belief {
	n := len(known) / dim
	b := belief{mean: make([]float64, dim), root: make([]float64, dim*dim)}
	for i := range n {
		sparse.Axpy(b.mean, 1/float64(n), known[i*dim:(i+1)*dim])
	}
	whole, off := mat.NewSymDense(dim, nil), make([]float64, dim)
	for i := range n {
		copy(off, known[i*dim:(i+1)*dim])
		sparse.Axpy(off, -1, b.mean)
		whole.SymRankOne(whole, 1/float64(n+fewKnown), mat.NewVecDense(dim, off))
	}
	size := 1.0
	if n > 0 {
		size = sparse.Dot(known, known) / float64(len(known))
	}
	for j := range dim {
		// Numbers that never changed may change later: by a tenth of their size.
		whole.SetSym(j, j, float64(whole.At(j, j)*(1+fewKnown/float64(n+1)))+0.1*size*fewKnown/float64(n+fewKnown)+float64(1e-3*size))
	}
	var factor mat.Cholesky
	if !factor.Factorize(whole) {
		panic("believe: a covariance with a floor is positive")
	}
	var lower mat.TriDense
	factor.LTo(&lower)
	for k := range dim {
		for j := range dim {
			b.root[k*dim+j] = lower.At(j, k)
		}
	}
	return b
}

// put sets z to the example of the numbers e, in units of the belief.
func (b belief) put(z, e []float64) {
	copy(z, b.mean)
	for k, v := range e {
		sparse.Axpy(z, v, b.root[k*len(z):(k+1)*len(z)])
	}
}

// twoSided returns the model if the joint search applies to it. It must have a loss of the margin that is the same
// for both labels, and a constant.
func (i Inversion) twoSided() (model.Margined, bool) {
	m, ok := i.Model.(model.Margined)
	if !ok || !i.classifies() || i.Model.Params(i.Features) != i.Features+1 || len(i.Theta) != i.Features+1 {
		return nil, false
	}
	for _, z := range []float64{-2, 0, 0.5, 3} {
		up, _ := m.Bend(z, 1)
		if down, _ := m.Bend(-z, -1); math.Abs(up+down) > 1e-12 {
			return nil, false
		}
	}
	return m, true
}
