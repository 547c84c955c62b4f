package subspace

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/tile"
)

// A candidate for a new direction counts as one when what is new in it exceeds
// newDirection of its length: a hundred times what rounding leaves of
// a vector that is not new.
const newDirection = 1e-12

// Gram-Schmidt by blocks. A stage takes the candidates that are independent by
// a factor of 1000 or more: Cholesky squares it, and stays far above rounding.
// The others are cleaned and looked at again.
const (
	clearCut    = 1e-6 // the least pivot of a stage
	stillWhole  = 0.5  // below this much of its square a unit vector lost digits on the way
	needsAll    = 1e-5 // below this length old directions may be what is left
	mostRepairs = 4
)

// workspace is what Insert and Grow need besides the basis.
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

// accept adds what is new in the first count candidates to the basis.
// Their lengths are relative to 1. They are known to be orthogonal, up to
// rounding, to the basis vectors before panel first; what is taken of them is made
// so to those from panel from on.
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

// inner are the inner products of the first count columns of a panel, the only ones.
func inner(panel []float64, count int) (gram tile.Tile) {
	tile.CrossFirst(&gram, panel, panel, count)
	return gram
}

// shortest is the least length among the candidates.
func shortest(gram *tile.Tile, count int) float64 {
	least := 1.0
	for k := range count {
		least = min(least, math.Sqrt(gram[k*(tile.Width+1)]))
	}
	return least
}

// stage takes the candidates that are independent by a wide margin, whatever their lengths,
// into the basis, drops those in which nothing is new, and returns how many are left.
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

// lengths are those of the candidates, and lists those in which something is new.
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

// take orthonormalises the chosen candidates among themselves and against the
// basis from panel from on, and appends them. Where that does not do, by what is watched,
// it is against the whole basis.
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

// polish orthonormalises the accepted panel, which nearly is, and reports
// whether little had to change.
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
