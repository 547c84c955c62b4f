package subspace

import (
	"math"

	"github.com/hearsay-dp/hearsay/internal/tile"
)

// A candidate for a new direction counts as one when what is new in it exceeds
// newDirection of its length: a hundred times what rounding leaves of
// a vector that is not new.
const newDirection = 1e-12

// Gram-Schmidt by blocks. A stage takes the candidates that are independent by
// a factor of 1000 or more: Cholesky squares it, and stays far above rounding.
// The others are cleaned, scaled up and looked at again.
const (
	clearCut    = 1e-6 // the least pivot of a stage
	stillWhole  = 0.5  // below this much of its square a unit vector lost digits on the way
	needsAll    = 1e-2 // below this length old directions may be what is left
	mostRepairs = 4
)

// workspace is what Insert and Grow need besides the basis.
type workspace struct {
	candidates []float64 // a panel
	accepted   []float64 // a panel
	source     []float64 // a panel
	lengths    [tile.Width]float64
}

func (w *workspace) fit(n int) {
	if len(w.candidates) != n*tile.Width {
		w.candidates, w.accepted, w.source = make([]float64, n*tile.Width), make([]float64, n*tile.Width), make([]float64, n*tile.Width)
	}
}

// accept adds what is new in the first count candidates to the basis.
// Their lengths are relative to 1. They are known to be orthogonal, up to
// rounding, to the basis vectors before panel first.
func (s *Span) accept(count, first int) {
	for k := range s.room.lengths {
		s.room.lengths[k] = 1
	}
	for count > 0 && !s.Full() {
		s.clearFrom(first, s.room.candidates, count)
		if first > 0 && s.shortest(count) < needsAll {
			s.clearFrom(0, s.room.candidates, count)
		}
		count = s.reject(count)
		if count > 0 {
			count = s.stage(count)
		}
		first = 0
	}
}

// shortest is the least length among the candidates.
func (s *Span) shortest(count int) float64 {
	var gram tile.Tile
	tile.Cross(&gram, s.room.candidates, s.room.candidates)
	least := 1.0
	for k := range count {
		least = min(least, math.Sqrt(gram[k*tile.Width+k]))
	}
	return least
}

// reject drops the candidates in which nothing is new and scales the others
// to length 1. It returns how many are left.
func (s *Span) reject(count int) int {
	var gram tile.Tile
	c := s.room.candidates
	tile.Cross(&gram, c, c)
	kept := 0
	for k := range count {
		length := math.Sqrt(gram[k*tile.Width+k])
		news := s.room.lengths[k] * length
		if news <= newDirection {
			s.margin.Brightest = max(s.margin.Brightest, news)
			continue
		}
		for i := range s.n {
			c[i*tile.Width+kept] = c[i*tile.Width+k] / length
		}
		s.room.lengths[kept] = news
		kept++
	}
	s.erase(kept)
	return kept
}

// erase sets candidates first.. to 0.
func (s *Span) erase(first int) {
	for i := range s.n {
		clear(s.room.candidates[i*tile.Width+first : (i+1)*tile.Width])
	}
}

// stage takes the candidates, of length 1, that are independent by a wide
// margin into the basis and returns how many are left.
func (s *Span) stage(count int) int {
	var gram tile.Tile
	tile.Cross(&gram, s.room.candidates, s.room.candidates)
	f := factorise(&gram, count, clearCut)
	if f.rank == 0 {
		panic("subspace: candidates that are not finite")
	}
	f.rank = min(f.rank, s.n-s.rank)
	for j, pivot := range f.pivots[:f.rank] {
		s.margin.Faintest = min(s.margin.Faintest, s.room.lengths[f.order[j]]*math.Sqrt(pivot))
	}
	s.take(f)
	s.keep(f.order[f.rank:count])
	return count - f.rank
}

// take orthonormalises the chosen candidates among themselves and against the
// whole basis, and appends them.
func (s *Span) take(f factor) {
	inverse := f.inverse()
	clear(s.room.accepted)
	tile.Minus(s.room.accepted, s.room.candidates, &inverse)
	for range mostRepairs {
		s.clearFrom(0, s.room.accepted, f.rank)
		if s.polish(f.rank) {
			break
		}
	}
	s.append(s.room.accepted, f.rank)
}

// polish orthonormalises the accepted panel, which nearly is, and reports
// whether little had to change.
func (s *Span) polish(count int) bool {
	var gram tile.Tile
	a := s.room.accepted
	tile.Cross(&gram, a, a)
	f := factorise(&gram, count, 0)
	if f.rank < count {
		panic("subspace: accepted directions are dependent")
	}
	inverse := f.inverse()
	copy(s.room.source, a)
	clear(a)
	tile.Minus(a, s.room.source, &inverse)
	least := 1.0
	for _, pivot := range f.pivots[:count] {
		least = min(least, pivot)
	}
	return least > stillWhole
}

// keep moves the given candidates to the front and erases the others.
func (s *Span) keep(which []int) {
	copy(s.room.source, s.room.candidates)
	lengths := s.room.lengths
	for to, from := range which {
		s.copyColumns(s.room.candidates, to, s.room.source, from, 1)
		s.room.lengths[to] = lengths[from]
	}
	s.erase(len(which))
}
