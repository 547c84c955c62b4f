package subspace

import (
	"math"

	"github.com/hearsay-dp/hearsay/internal/exact"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A PreciseSpan is a Span in twice the precision, for spaces that are too ill
// conditioned for one. How many directions are new is not decided by size: the
// caller knows (see exact.Profile). Inner products may be weighted.
type PreciseSpan struct {
	weights  []float64 // of the entries in inner products
	basis    [][]exact.Double
	faintest float64
}

// NewPreciseSpan returns {0} in R^n, n = len(weights), with the inner product
// sum of weights[i] x[i] y[i]. The weights are borrowed, positive.
func NewPreciseSpan(weights []float64) *PreciseSpan {
	return &PreciseSpan{weights: weights, faintest: 1}
}

// Rank is the dimension.
func (s *PreciseSpan) Rank() int { return len(s.basis) }

// Faintest is the least length, relative to the vector offered, of what
// counted as a new direction. Below 1e-16 the span has fewer than 16 digits.
func (s *PreciseSpan) Faintest() float64 { return s.faintest }

// Insert adds to the span the count directions that are most new among the
// candidates, which it overwrites. Their lengths are relative to 1.
func (s *PreciseSpan) Insert(candidates [][]exact.Double, count int) {
	for _, c := range candidates {
		s.clear(c, s.basis)
		s.clear(c, s.basis)
	}
	for range count {
		best, length := 0, exact.Double{Hi: -1}
		for k, c := range candidates {
			if l := s.dot(c, c); l.Hi > length.Hi {
				best, length = k, l
			}
		}
		q := candidates[best]
		candidates[best] = candidates[len(candidates)-1]
		candidates = candidates[:len(candidates)-1]
		s.faintest = min(s.faintest, math.Sqrt(max(0, length.Hi)))
		s.add(q)
		for _, c := range candidates {
			s.clear(c, s.basis[len(s.basis)-1:])
		}
	}
}

// add scales q to length 1, cleans it again and appends it. A q that is 0
// beyond rounding stays 0: faintest tells.
func (s *PreciseSpan) add(q []exact.Double) {
	for range 2 {
		length := s.dot(q, q).Sqrt()
		if length.Hi == 0 {
			break
		}
		for i, v := range q {
			q[i] = v.Div(length)
		}
		s.clear(q, s.basis)
	}
	s.basis = append(s.basis, q)
}

// clear removes from x its parts along unit vectors.
func (s *PreciseSpan) clear(x []exact.Double, along [][]exact.Double) {
	for _, q := range along {
		factor := s.dot(q, x).Neg()
		for i, v := range q {
			x[i] = x[i].AddMul(factor, v)
		}
	}
}

func (s *PreciseSpan) dot(x, y []exact.Double) exact.Double {
	var sum exact.Double
	for i, v := range x {
		if w := s.weights[i]; w != 1 {
			v = v.Mul(exact.Double{Hi: w})
		}
		sum = sum.AddMul(v, y[i])
	}
	return sum
}

// Energy sets dst[i] to the sum over the basis of the squares of entry i.
func (s *PreciseSpan) Energy(dst []float64) {
	for i := range dst {
		dst[i] = s.Product(i, i)
	}
}

// Product is the sum over the basis of the products of entries i and j.
func (s *PreciseSpan) Product(i, j int) float64 {
	var sum exact.Double
	for _, q := range s.basis {
		sum = sum.Add(q[i].Mul(q[j]))
	}
	return sum.Hi
}

// PreciseKrylov is span{ m^t e_w : w in starts, t < len(profile) } with the
// unit vectors of extra added, m given by its entries in the order of Values.
// The profile tells how many directions each power adds, and last how many the
// extra vectors do.
func PreciseKrylov(m *sparse.Matrix, entries []exact.Double, weights []float64, starts, extra []int, profile exact.Profile) *PreciseSpan {
	s := NewPreciseSpan(weights)
	block := units(m.N, weights, starts)
	for t, count := range profile.Powers {
		before := s.Rank()
		if t > 0 {
			block = times(m, entries, block)
		}
		s.Insert(block, count)
		block = s.basis[before:]
	}
	s.InsertUnits(extra, profile.Extra)
	return s
}

// InsertUnits inserts the unit vectors of the given indices, count of which
// are new.
func (s *PreciseSpan) InsertUnits(indices []int, count int) {
	s.Insert(units(len(s.weights), s.weights, indices), count)
}

// units are unit vectors, of length 1 under the weights.
func units(n int, weights []float64, indices []int) [][]exact.Double {
	var vectors [][]exact.Double
	for _, i := range indices {
		x := make([]exact.Double, n)
		x[i] = exact.Double{Hi: 1}.Div(exact.Double{Hi: weights[i]}.Sqrt())
		vectors = append(vectors, x)
	}
	return vectors
}

// times returns m times each vector.
func times(m *sparse.Matrix, entries []exact.Double, block [][]exact.Double) [][]exact.Double {
	var products [][]exact.Double
	for _, x := range block {
		product := make([]exact.Double, m.N)
		for i := range product {
			for k := m.Offsets[i]; k < m.Offsets[i+1]; k++ {
				product[i] = product[i].Add(entries[k].Mul(x[m.Columns[k]]))
			}
		}
		products = append(products, product)
	}
	return products
}
