package subspace

import (
	"github.com/hearsay-dp/hearsay/internal/tile"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Krylov space grows by powers of a matrix,
//
//	span{ M^t e_w : w in starts, t < steps },
//
// in an orthonormal basis. The powers themselves are hopelessly close to each
// other; the basis is not (block Lanczos with partial reorthogonalisation, Simon
// 1984, or Arnoldi with a full one if M is not symmetric; directions that are not new are left out).
type Krylov struct {
	Span      *Span
	m         *sparse.Matrix
	symmetric bool
	scale     float64 // bounds the norm of m
	previous  int     // where the block before the last begins
	last      int     // where the last block begins
	steps     int
	due       int // so many steps are to be made orthogonal to all there is
}

// NewKrylov starts with t = 0: the unit vectors of the given indices. m is
// borrowed. symmetric is what m.Symmetric says.
func NewKrylov(m *sparse.Matrix, symmetric bool, starts []int) *Krylov {
	k := &Krylov{Span: NewSpan(m.N), m: m, symmetric: symmetric, scale: m.NormBound(), steps: 1}
	k.Span.InsertUnits(starts)
	if symmetric {
		k.Span.watch()
	}
	return k
}

// InsertUnits adds the unit vectors of the given indices and returns by how
// much the rank grew.
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

// Check goes on with m divided by a number near 1: the space is the same, and all roundings are others. To be compared
// with, it is made orthogonal ten times less well, which takes less time.
func (k *Krylov) Check(by float64) {
	if k.scale *= by; k.symmetric {
		k.Span.watched.allowed *= 10
	}
}

// Invariant reports whether another step would add nothing.
func (k *Krylov) Invariant() bool { return k.last == k.Span.rank || k.Span.Full() }

// Grow raises the number of powers to steps, or to where the space becomes
// invariant, whichever comes first. Nothing else may be added to the Span
// between steps.
func (k *Krylov) Grow(steps int) {
	for k.steps < steps && !k.Invariant() {
		k.step()
		k.steps++
	}
}

// step multiplies the last block by m and keeps what is new. By symmetry that
// is orthogonal already to all blocks but the last two, up to rounding, which grows from
// step to step. Before it is too much, two steps are made orthogonal to all blocks: those
// after them, which are made of these two, begin again with rounding.
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

// times makes candidates of m times basis vectors first..first+count-1.
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
