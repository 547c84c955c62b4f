package subspace

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/exact"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// A PreciseSpan is a Span in 72 digits after the point, for spaces too ill conditioned for 16. Size does not decide the number
// of new directions: the caller must know it (see exact.Profile). Inner products may be weighted.
type PreciseSpan struct {
	weights  []float64 // of the entries in inner products
	basis    []preciseVector
	faintest float64
	watched  *preciseWatch // nil: every new direction is made orthogonal to the whole basis
}

// A preciseVector holds a vector, and its entries times the weights.
type preciseVector struct{ entries, weighted []exact.Fixed }

// NewPreciseSpan returns {0} in R^n, n = len(weights), with the inner product
// sum of weights[i] x[i] y[i]. The weights are borrowed, positive and below 2^28.
func NewPreciseSpan(weights []float64) *PreciseSpan {
	return &PreciseSpan{weights: weights, faintest: 1}
}

// Rank returns the dimension.
func (s *PreciseSpan) Rank() int { return len(s.basis) }

// Faintest returns the least length, relative to the vector offered, of a part that counted as a new direction. Below 1e-56 the
// span has fewer than 16 digits.
func (s *PreciseSpan) Faintest() float64 { return s.faintest }

// Insert adds to the span the count directions with the largest new parts among the candidates, which it overwrites. Their
// lengths are relative to 1.
func (s *PreciseSpan) Insert(candidates [][]exact.Fixed, count int) { s.insert(candidates, count, 0) }

// insert does the same for candidates that are orthogonal, up to rounding, to the basis before vector near.
func (s *PreciseSpan) insert(candidates [][]exact.Fixed, count, near int) {
	for _, c := range candidates {
		s.clear(c, s.basis[near:])
	}
	for range count {
		best, longest := s.longest(candidates)
		if longest < preciseNeedsAll && near > 0 {
			for _, c := range candidates {
				s.clear(c, s.basis)
			}
			near = 0
			best, longest = s.longest(candidates)
		}
		q := candidates[best]
		candidates[best] = candidates[len(candidates)-1]
		candidates = candidates[:len(candidates)-1]
		s.faintest = min(s.faintest, longest)
		s.add(q, longest, near)
		for _, c := range candidates {
			s.clear(c, s.basis[len(s.basis)-1:])
		}
	}
}

// longest returns the index and the length of the longest candidate.
func (s *PreciseSpan) longest(candidates [][]exact.Fixed) (best int, longest float64) {
	longest = -1
	for k, c := range candidates {
		if l := s.length(c); l > longest {
			best, longest = k, l
		}
	}
	return best, longest
}

// add scales q, of a given length, to length 1 and appends it. It cleans q again if q was short or there is no watch. A q that
// is 0 beyond rounding stays 0, which faintest shows.
func (s *PreciseSpan) add(q []exact.Fixed, length float64, near int) {
	s.normalise(q)
	if s.watched == nil || length < preciseNeedsAll {
		s.clear(q, s.basis[near:])
		s.normalise(q)
	}
	weighted := s.weigh(q)
	if s.watched != nil && s.watched.loss(weighted) > preciselyTolerated {
		s.clear(q, s.basis)
		s.normalise(q)
		weighted = s.weigh(q)
	}
	if s.watched != nil {
		s.watched.add(q)
	}
	s.basis = append(s.basis, preciseVector{q, weighted})
}

// length returns the length of x, to some 15 digits.
func (s *PreciseSpan) length(x []exact.Fixed) float64 {
	sum := 0.0
	for i, v := range x {
		f := v.Float64()
		sum += float64(s.weights[i] * f * f)
	}
	return math.Sqrt(sum)
}

// normalise scales x to length 1: first to 15 digits, then to all by Newton's method for the inverse of a root.
func (s *PreciseSpan) normalise(x []exact.Fixed) {
	length := s.length(x)
	if length == 0 {
		return
	}
	for i, v := range x {
		x[i] = scaled(v, 1/length)
	}
	square, factor := exact.DotFixed(s.weigh(x), x), exact.FixedOne
	for range 3 {
		rest := exact.FixedOf(3).Add(square.Mul(factor).Mul(factor).Neg())
		factor = factor.Mul(rest).Shift(-1)
	}
	for i, v := range x {
		x[i] = v.Mul(factor)
	}
}

// weigh returns x times the weights, or x itself if all weights are 1.
func (s *PreciseSpan) weigh(x []exact.Fixed) []exact.Fixed {
	if !slices.ContainsFunc(s.weights, func(w float64) bool { return w != 1 }) {
		return x
	}
	weighted := make([]exact.Fixed, len(x))
	for i, v := range x {
		if weighted[i] = v; s.weights[i] != 1 {
			weighted[i] = scaled(v, s.weights[i])
		}
	}
	return weighted
}

// scaled returns x times a positive number of any size.
func scaled(x exact.Fixed, by float64) exact.Fixed {
	fraction, exponent := math.Frexp(by)
	return x.Shift(exponent).Mul(exact.FixedOf(fraction))
}

// clear removes from x its parts along unit vectors.
func (s *PreciseSpan) clear(x []exact.Fixed, along []preciseVector) {
	for _, q := range along {
		exact.AxpyFixed(x, exact.DotFixed(q.weighted, x).Neg(), q.entries)
	}
}

// Energy sets dst[i] to the sum over the basis of the squares of entry i.
func (s *PreciseSpan) Energy(dst []float64) {
	for i := range dst {
		dst[i] = s.Product(i, i)
	}
}

// Product returns the sum over the basis of the products of entries i and j.
func (s *PreciseSpan) Product(i, j int) float64 {
	var sum exact.Fixed
	for _, q := range s.basis {
		sum = sum.Add(q.entries[i].Mul(q.entries[j]))
	}
	return sum.Float64()
}

// InsertUnits inserts the unit vectors of the given indices, count of which
// are new.
func (s *PreciseSpan) InsertUnits(indices []int, count int) {
	s.Insert(units(len(s.weights), s.weights, indices), count)
}

// units returns unit vectors, of length 1 under the weights.
func units(n int, weights []float64, indices []int) [][]exact.Fixed {
	var vectors [][]exact.Fixed
	for _, i := range indices {
		x := make([]exact.Fixed, n)
		x[i] = exact.FixedOf(1 / math.Sqrt(weights[i]))
		vectors = append(vectors, x)
	}
	return vectors
}
