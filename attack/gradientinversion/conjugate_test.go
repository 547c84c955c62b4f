package gradientinversion

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/sparse"
)

// Steps by conjugate gradients leave as little as those of one orthogonal factorisation of everything, where sums are known to so many digits
// that normal equations forget how slopes are pulled.
func TestStepsLeaveLittle(t *testing.T) {
	worst, without := 0.0, 0.0
	rapid.Check(t, func(t *rapid.T) {
		l, r := lifted(t)
		slopes := l.begin(l.home)
		for _, k := range l.open {
			slopes[l.spot(k)] *= 1 + 0.1*r.NormFloat64()
		}
		now := l.stands(slopes, 1e-12, 1e-2)
		n, damp := l.normal(now), rapid.SampledFrom([]float64{1e-2, 1}).Draw(t, "damp")
		whole := func(r, v []float64) []float64 {
			v = slices.Clone(v)
			scale(v, -math.Sqrt(damp))
			return slices.Concat(r, v)
		}
		size := len(l.open)
		start := whole(l.residual(now), make([]float64, size))
		a := mat.NewDense(len(start), size, nil)
		for j := range size {
			v := make([]float64, size)
			v[j] = 1
			column := whole(n.moves(v), v)
			column[len(start)-size+j] *= -1
			a.SetCol(j, column)
		}
		left := func(v []float64) float64 {
			r := l.residual(now)
			sparse.Axpy(r, -1, n.moves(v))
			return square(whole(r, v))
		}
		var qr mat.QR
		var best mat.VecDense
		qr.Factorize(a)
		_ = qr.SolveVecTo(&best, false, mat.NewVecDense(len(start), start)) // damped, so that there is one
		c := n.factor(damp)
		if c == nil {
			t.Skip("there is no preconditioner")
		}
		least := left(best.RawVector().Data)
		got, _ := conjugate(n, c, l.residual(now), damp)
		worst = max(worst, left(got)/least-1)
		without = max(without, left(solve(c, n.force(l.residual(now))))/least-1)
	})
	if !(worst < 1e-3 && without > 1) {
		t.Errorf("as much as %g more than needed is left, without conjugate gradients %g", worst, without)
	}
	t.Logf("%g more than needed is left, without conjugate gradients %g", worst, without)
}
