package model

import (
	"math/bits"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Linear model's loss depends on x'theta (plus the intercept) only, so that
// its gradient is a slope times (x, 1).
type Linear interface {
	Model
	// Slope returns the derivative of the loss in x'theta.
	Slope(theta, x []float64, y float64) float64
	// Slopes returns the interval in which the slope lies for label y.
	Slopes(y float64) (low, high float64)
}

// Norms returns the norms of the rows of ex, with the intercept's 1 if m has one.
// The norm of a gradient is that norm times the slope. Norms returns nil for a
// model that is not Linear.
func Norms(m Model, ex Examples) []float64 {
	if _, ok := m.(Linear); !ok {
		return nil
	}
	norms := make([]float64, ex.Len())
	intercept := m.Params(ex.Features) > ex.Features
	for i := range norms {
		x, _ := ex.Row(i)
		norms[i] = RowNorm(x, intercept)
	}
	return norms
}

// RowNorm returns the norm of x, or of (x, 1), even if squares leave the range of
// numbers.
func RowNorm(x []float64, intercept bool) float64 {
	if intercept {
		return sparse.NormWithOne(x)
	}
	return sparse.Norm(x)
}

// Slopes returns 0 and -w y, the ends of the slopes of the logistic loss, in ascending order.
func (l Logistic) Slopes(y float64) (low, high float64) {
	steepest := -l.weight(y) * y
	return math.Min(0, steepest), math.Max(0, steepest)
}

// Slopes returns -Inf and +Inf, because the slopes of the squared loss are not bounded.
func (Ridge) Slopes(float64) (low, high float64) { return math.Inf(-1), math.Inf(1) }

// Reach returns an upper bound, over all theta, on the norm of the mean over ex of gradients
// clipped to norm clip. It is at most clip, and less if the examples'
// gradients cannot all point the same way.
//
// A mean of clipped gradients scaled by clip/Reach still has norm at most
// clip. It is still the gradient of a convex function, because the scale is a
// constant of the node. It uses the whole sensitivity that the noise
// hides.
func Reach(m Model, ex Examples, clip float64) float64 {
	linear, ok := m.(Linear)
	if !ok || ex.Len() == 0 || math.IsInf(clip, 1) {
		return clip
	}
	box := newBox(linear, ex, clip)
	switch n := ex.Len(); {
	case n <= cornersUpTo:
		return min(clip, box.farthestCorner())
	case n*n*box.dim <= gramWork:
		return min(clip, box.gramBound())
	}
	return clip
}

const (
	cornersUpTo = 10       // examples whose 2^n corners are tried one by one
	gramWork    = 10000000 // multiplications worth spending on a bound otherwise
)

// A box is the set of means (1/n) sum of s_i g_i, s_i in [low_i, high_i], as
// its centre and its half-widths: row i of half is (high_i-low_i)/(2n) g_i.
type box struct {
	dim    int
	centre []float64
	half   []float64 // n x dim
}

func newBox(m Linear, ex Examples, clip float64) *box {
	n, dim := ex.Len(), m.Params(ex.Features)
	b := &box{dim: dim, centre: make([]float64, dim), half: make([]float64, n*dim)}
	g := make([]float64, dim)
	for i := range n {
		x, y := ex.Row(i)
		scale(g, 1, x)
		low, high := m.Slopes(y)
		if size := math.Sqrt(sparse.Dot(g, g)); size > 0 {
			low, high = max(low, -clip/size), min(high, clip/size)
		} else {
			low, high = 0, 0
		}
		sparse.Axpy(b.centre, (high+low)/(2*float64(n)), g)
		sparse.Axpy(b.half[i*dim:(i+1)*dim], (high-low)/(2*float64(n)), g)
	}
	return b
}

func (b *box) row(i int) []float64 { return b.half[i*b.dim : (i+1)*b.dim] }

// farthestCorner returns the largest norm in the box, because a convex function is largest
// at a corner. Corners are visited so that each differs from the last in one
// sign.
func (b *box) farthestCorner() float64 {
	n := len(b.half) / b.dim
	at := append([]float64{}, b.centre...)
	for i := range n {
		sparse.Axpy(at, -1, b.row(i))
	}
	sign := make([]float64, n)
	farthest := sparse.Dot(at, at)
	for corner := 1; corner < 1<<n; corner++ {
		i := bits.TrailingZeros(uint(corner))
		sign[i] = 1 - sign[i] // 0 is the low end, 1 the high end
		sparse.Axpy(at, float64(4*sign[i])-2, b.row(i))
		farthest = max(farthest, sparse.Dot(at, at))
	}
	return math.Sqrt(farthest) * (1 + 1e-12) // rounding never makes it too small
}

// gramBound returns norm(centre) + sqrt(n lambda) with lambda at least the largest
// eigenvalue of the Gram matrix of the half-widths, by its largest row sum.
func (b *box) gramBound() float64 {
	n := len(b.half) / b.dim
	var largest float64
	for i := range n {
		var sum float64
		for j := range n {
			sum += math.Abs(sparse.Dot(b.row(i), b.row(j)))
		}
		largest = max(largest, sum)
	}
	return (math.Sqrt(sparse.Dot(b.centre, b.centre)) + math.Sqrt(float64(n)*largest)) * (1 + 1e-12)
}
