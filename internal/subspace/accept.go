package subspace

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/tile"
)

// newDirection is the least length of the new part of a candidate, relative to its length, that counts as a new direction. It
// is a hundred times the length that rounding leaves of a vector in the span.
const newDirection = 1e-12

// These constants are for block Gram-Schmidt. A stage takes the candidates that are independent by a factor of 1000 or more,
// because Cholesky squares that factor and stays far above rounding. The others are cleaned and examined again.
const (
	clearCut    = 1e-6 // the least pivot of a stage
	stillWhole  = 0.5  // a unit vector with less than this much of its square left has lost digits
	needsAll    = 1e-5 // below this length the rest may lie along old directions
	mostRepairs = 4
)

// workspace holds the scratch memory of Insert and Grow.
type workspace struct {
	candidates []float64 // a panel
	accepted   []float64 // a panel
	source     []float64 // a panel
}

func (w *workspace) fit(n int) {
	if len(w.candidates) != n*tile.Width {
		w.candidates, w.accepted, w.source = make([]float64, n*tile.Width), make([]float64, n*tile.Width), make([]float64, n*tile.Width)
	}
}

// accept adds the new parts of the first count candidates to the basis. Their lengths are relative to 1. They must be
// orthogonal, up to rounding, to the basis vectors before panel first. accept makes the new directions orthogonal to the basis
// vectors from panel from on.
func (s *Span) accept(count, first, from int) {
	for count > 0 && !s.Full() {
		s.clearFrom(first, s.room.candidates, count)
		gram := inner(s.room.candidates, count)
		if first > 0 && shortest(&gram, count) < needsAll {
			s.clearFrom(0, s.room.candidates, count)
			gram = inner(s.room.candidates, count)
			from = 0
		}
		count = s.stage(&gram, count, from)
		first, from = 0, 0
	}
}

// inner returns the inner products of the first count columns of a panel. All other columns must be 0.
func inner(panel []float64, count int) (gram tile.Tile) {
	tile.CrossFirst(&gram, panel, panel, count)
	return gram
}

// shortest returns the least length among the candidates.
func shortest(gram *tile.Tile, count int) float64 {
	least := 1.0
	for k := range count {
		least = min(least, math.Sqrt(gram[k*(tile.Width+1)]))
	}
	return least
}

// stage takes the candidates that are independent by a wide margin, for any lengths, into the basis. It drops those without a
// new part, and returns the number of candidates left.
func (s *Span) stage(gram *tile.Tile, count, from int) int {
	lengths, with := s.lengths(gram, count)
	if len(with) == 0 {
		return 0
	}
	for a := range count {
		for b := range count {
			gram[a*tile.Width+b] /= lengths[a] * lengths[b]
		}
	}
	f := factorise(gram, with, clearCut)
	if f.rank == 0 {
		panic("subspace: candidates that are not finite")
	}
	f.rank = min(f.rank, s.n-s.rank)
	for j, pivot := range f.pivots[:f.rank] {
		s.margin.Faintest = min(s.margin.Faintest, lengths[f.order[j]]*math.Sqrt(pivot))
	}
	s.take(f, &lengths, count, from)
	left := f.order[f.rank:]
	if len(left) > 0 {
		s.keep(left)
	}
	return len(left)
}

// lengths returns the lengths of the candidates, and lists those with a new part.
func (s *Span) lengths(gram *tile.Tile, count int) (lengths [tile.Width]float64, with []int) {
	for k := range count {
		lengths[k] = math.Sqrt(gram[k*(tile.Width+1)])
		if lengths[k] <= newDirection {
			s.margin.Brightest = max(s.margin.Brightest, lengths[k])
			continue
		}
		with = append(with, k)
	}
	return lengths, with
}

// take orthonormalises the chosen candidates among themselves and against the basis from panel from on, and appends them. If
// the watch measures too large a loss, it orthonormalises against the whole basis.
func (s *Span) take(f factor, lengths *[tile.Width]float64, count, from int) {
	inverse := f.inverse(lengths)
	clear(s.room.accepted)
	tile.MinusFirst(s.room.accepted, s.room.candidates, &inverse, count, f.rank)
	s.orthonormalise(f.rank, from)
	if from > 0 && s.watched.loss(s.room.accepted, f.rank) > s.watched.allowed {
		s.orthonormalise(f.rank, 0)
	}
	if s.watched != nil {
		s.watched.add(s.room.accepted, f.rank)
	}
	s.append(s.room.accepted, f.rank)
}

// orthonormalise makes the accepted panel orthogonal to the basis from panel from on, and orthonormal.
func (s *Span) orthonormalise(count, from int) {
	for range mostRepairs {
		s.clearFrom(from, s.room.accepted, count)
		if s.polish(count) {
			break
		}
	}
}

// polish orthonormalises the accepted panel, which is nearly orthonormal, and reports whether the change was small.
func (s *Span) polish(count int) bool {
	gram := inner(s.room.accepted, count)
	f := factorise(&gram, upTo(count), 0)
	if f.rank < count {
		panic("subspace: accepted directions are dependent")
	}
	inverse := f.inverse(nil)
	s.room.accepted, s.room.source = s.room.source, s.room.accepted
	clear(s.room.accepted)
	tile.MinusFirst(s.room.accepted, s.room.source, &inverse, count, count)
	least := 1.0
	for _, pivot := range f.pivots[:count] {
		least = min(least, pivot)
	}
	return least > stillWhole
}

// keep moves the given candidates to the front and erases the others.
func (s *Span) keep(which []int) {
	copy(s.room.source, s.room.candidates)
	clear(s.room.candidates)
	for to, from := range which {
		s.copyColumns(s.room.candidates, to, s.room.source, from, 1)
	}
}
