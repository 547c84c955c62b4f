package subspace

import (
	"github.com/hearsay-dp/hearsay/internal/tile"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Krylov space grows by powers of a matrix,
//
//	span{ M^t e_w : w in starts, t < steps },
//
// in an orthonormal basis. The powers themselves are too close to each other; the basis is well conditioned. It is made by
// block Lanczos with partial reorthogonalisation (Simon 1984), or by Arnoldi with a full one if M is not symmetric. Directions
// that are not new are left out.
type Krylov struct {
	Span      *Span
	m         *sparse.Matrix
	symmetric bool
	scale     float64 // bounds the norm of m
	previous  int     // where the block before the last one begins
	last      int     // where the last block begins
	steps     int
	due       int // number of steps to make orthogonal to the whole basis
}

// NewKrylov returns the space for t = 0: the unit vectors of the given indices. m is borrowed. symmetric must be the result of
// m.Symmetric.
func NewKrylov(m *sparse.Matrix, symmetric bool, starts []int) *Krylov {
	k := &Krylov{Span: NewSpan(m.N), m: m, symmetric: symmetric, scale: m.NormBound(), steps: 1}
	k.Span.InsertUnits(starts)
	if symmetric {
		k.Span.watch()
	}
	return k
}

// InsertUnits adds the unit vectors of the given indices and returns the growth of the rank.
func (s *Span) InsertUnits(indices []int) int {
	before := s.rank
	s.room.fit(s.n)
	for len(indices) > 0 && !s.Full() {
		count := min(tile.Width, len(indices))
		clear(s.room.candidates)
		for k, i := range indices[:count] {
			s.room.candidates[i*tile.Width+k] = 1
		}
		s.accept(count, 0, 0)
		indices = indices[count:]
	}
	return s.rank - before
}

// Check divides m by a number near 1, for a second run whose result is compared. The space is the same, but all roundings
// differ. Its basis is made orthogonal ten times less well, which is faster.
func (k *Krylov) Check(by float64) {
	if k.scale *= by; k.symmetric {
		k.Span.watched.allowed *= 10
	}
}

// Invariant reports whether another step would add nothing.
func (k *Krylov) Invariant() bool { return k.last == k.Span.rank || k.Span.Full() }

// Grow raises the number of powers to steps, or until the space becomes invariant. Callers must not add to the Span between
// steps.
func (k *Krylov) Grow(steps int) {
	for k.steps < steps && !k.Invariant() {
		k.step()
		k.steps++
	}
}

// step multiplies the last block by m and keeps the new part. By symmetry the product is orthogonal to all blocks but the last
// two, up to rounding, which grows from step to step. Before it becomes too large, two steps are made orthogonal to all blocks.
// The steps after them follow from these two, and start again with the least rounding.
func (k *Krylov) step() {
	s := k.Span
	end, near, from := s.rank, 0, 0
	if k.symmetric {
		near = k.previous / tile.Width
	}
	if k.due > 0 {
		k.due--
	} else {
		from = near
	}
	s.room.fit(s.n)
	for first := k.last; first < end && !s.Full(); first += tile.Width {
		count := min(tile.Width, end-first)
		k.times(first, count)
		s.accept(count, near, from)
	}
	if from > 0 && s.watched.most() > foreseen*s.watched.allowed {
		k.due = 2
	}
	k.previous, k.last = k.last, end
}

// times sets the candidates to m times basis vectors first..first+count-1.
func (k *Krylov) times(first, count int) {
	room := &k.Span.room
	k.Span.columns(room.source, first, count)
	if k.scale != 1 {
		for i := range room.source {
			room.source[i] /= k.scale
		}
	}
	clear(room.candidates)
	k.m.MulFirst(room.candidates, room.source, count)
}
