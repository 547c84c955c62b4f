package model

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// BatchReach returns the Reach of the worst batch of batch examples of ex: an upper bound on the
// norm of the mean of their clipped gradients, whichever they are. A batch of 0, or
// of at least all, is ex whole.
//
// With s_i g_i the clipped gradient of example i, s_i in an interval, the mean of a
// batch B of b has
//
//	b^2 |mean|^2 = sum over i, j in B of s_i s_j g_i'g_j
//	            <= sum of the b largest over i of (sum of the b largest over j of max(0, s_i s_j g_i'g_j)).
func BatchReach(m Model, ex Examples, batch int, clip float64) float64 {
	n := ex.Len()
	if batch <= 0 || batch >= n {
		return Reach(m, ex, clip)
	}
	linear, ok := m.(Linear)
	if !ok || math.IsInf(clip, 1) {
		return clip
	}
	slopes := newSlopes(linear, ex, clip)
	single := slopes.single()
	reach := topSum(single, batch) / float64(batch)
	if n*n*slopes.dim <= gramWork {
		reach = min(reach, math.Sqrt(slopes.gramBound(batch))/float64(batch))
	}
	return min(clip, reach*(1+1e-12)) // rounding never makes it too small
}

// slopes holds the clipped gradients of examples as slopes times directions: s_i from
// low_i to high_i, times the rows of g.
type slopes struct {
	dim       int
	g         []float64
	low, high []float64
}

func newSlopes(m Linear, ex Examples, clip float64) *slopes {
	s := &slopes{dim: m.Params(ex.Features), low: make([]float64, ex.Len()), high: make([]float64, ex.Len())}
	s.g = make([]float64, ex.Len()*s.dim)
	for i := range s.low {
		x, y := ex.Row(i)
		scale(s.row(i), 1, x)
		if size := sparse.Norm(s.row(i)); size > 0 {
			low, high := m.Slopes(y)
			s.low[i], s.high[i] = max(low, -clip/size), min(high, clip/size)
		}
	}
	return s
}

func (s *slopes) row(i int) []float64 { return s.g[i*s.dim : (i+1)*s.dim] }

// single returns the largest norm of each example's gradient.
func (s *slopes) single() []float64 {
	norms := make([]float64, len(s.low))
	for i := range norms {
		norms[i] = max(-s.low[i], s.high[i]) * sparse.Norm(s.row(i))
	}
	return norms
}

// gramBound returns the bound on b^2 |mean|^2.
func (s *slopes) gramBound(batch int) float64 {
	n := len(s.low)
	sums, products := make([]float64, n), make([]float64, n)
	for i := range n {
		for j := range n {
			dot := sparse.Dot(s.row(i), s.row(j))
			products[j] = 0
			for _, a := range []float64{s.low[i], s.high[i]} {
				products[j] = max(products[j], a*s.low[j]*dot, a*s.high[j]*dot)
			}
		}
		sums[i] = topSum(products, batch)
	}
	return topSum(sums, batch)
}

// topSum returns the sum of the k largest of x, which it sorts.
func topSum(x []float64, k int) float64 {
	slices.SortFunc(x, func(a, b float64) int {
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	sum := 0.0
	for _, v := range x[:k] {
		sum += v
	}
	return sum
}
