package exact

import (
	"github.com/hearsay-dp/hearsay/internal/tile"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A block of columns modulo the small prime, as panels of 16.
type block [][]float64

func newBlock(n, width int) block {
	b := make(block, width/tile.Width)
	for k := range b {
		b[k] = make([]float64, n*tile.Width)
	}
	return b
}

// smallLanczos is the state of KrylovRank. The block under way is the newest; a
// column of it that depends on the others is set to 0 once that is known.
type smallLanczos struct {
	m                      *sparse.Matrix
	rank                   int
	newest, last, previous block   // candidates, or V_i; V_{i-1}; room
	gram                   *square // candidates' V_i: V_{i-1}'M V_i
	inverse, before        *square // of G_i and of G_{i-1}
}

func newSmallLanczos(m *sparse.Matrix, starts []int, width int) *smallLanczos {
	l := &smallLanczos{m: m, newest: newBlock(m.N, width), last: newBlock(m.N, width), previous: newBlock(m.N, width)}
	l.before, l.inverse = newSquare(width), newSquare(width)
	state := uint64(len(starts))
	for k, w := range starts {
		for c := range width {
			switch {
			case len(starts) > width:
				state = state*6364136223846793005 + 1442695040888963407
				l.newest[c/tile.Width][w*tile.Width+c%tile.Width] = nearest(float64(state >> 40))
			case c == k:
				l.newest[c/tile.Width][w*tile.Width+c%tile.Width] = 1
			}
		}
	}
	return l
}

// orthogonal turns candidates, orthogonal to all blocks before, into V_i: it
// leaves columns out until G_i is regular. It reports false if there is
// nothing to go on with: no columns are left, or some that were left out are no
// combinations of the others.
func (l *smallLanczos) orthogonal() bool {
	l.gram = l.product(l.newest, l.newest)
	kept, inverse := l.gram.invert()
	l.inverse = inverse
	count := 0
	for _, k := range kept {
		if k {
			count++
		}
	}
	l.rank += count
	if count == len(kept) {
		return true
	}
	return l.dropped(kept) && count > 0
}

// dropped sets the columns to 0 that are not kept, and their columns in gram.
// It reports whether they were combinations of those kept.
func (l *smallLanczos) dropped(kept []bool) bool {
	var away block // the columns that go, where they are not 0
	for c, keep := range kept {
		if keep || l.zero(c) {
			continue
		}
		if away == nil {
			away = newBlock(l.m.N, len(kept))
		}
		for i := range l.m.N {
			at := i*tile.Width + c%tile.Width
			away[c/tile.Width][at], l.newest[c/tile.Width][at] = l.newest[c/tile.Width][at], 0
		}
	}
	if away == nil {
		return true
	}
	l.subtract(away, l.newest, l.inverse.times(l.gram))
	return l.forget(kept, away)
}

// zero reports whether a column of the newest block is 0.
func (l *smallLanczos) zero(c int) bool {
	for i := c % tile.Width; i < len(l.newest[c/tile.Width]); i += tile.Width {
		if l.newest[c/tile.Width][i] != 0 {
			return false
		}
	}
	return true
}

// forget clears the columns of gram that are not kept, and reports whether
// nothing is left of what was away.
func (l *smallLanczos) forget(kept []bool, away block) bool {
	nothing := true
	for c, keep := range kept {
		if keep {
			continue
		}
		for i := range l.m.N {
			nothing = nothing && nearest(away[c/tile.Width][i*tile.Width+c%tile.Width]) == 0
		}
		for r := range kept {
			l.gram.set(r, c, 0)
		}
	}
	return nothing
}

// next makes candidates of M V_i: less its parts along V_i and V_{i-1}, it is
// orthogonal to all blocks.
func (l *smallLanczos) next() {
	room := l.previous
	for k, panel := range l.newest {
		clear(room[k])
		l.m.ThreeTerm(room[k], panel, tile.Width, 1, 0, 0)
		reduceAll(room[k])
	}
	along := l.inverse.times(l.product(l.newest, room))
	back := l.before.times(l.gram)
	l.subtract(room, l.newest, along)
	l.subtract(room, l.last, back)
	for _, panel := range room {
		reduceAll(panel)
	}
	l.previous, l.last, l.newest = l.last, l.newest, room
	l.before = l.inverse
}

// product is a'b, symmetric.
func (l *smallLanczos) product(a, b block) *square {
	s := newSquare(len(a) * tile.Width)
	var h, sum tile.Tile
	for i := range a {
		for j := i; j < len(b); j++ {
			clear(sum[:])
			for lo := 0; lo < len(a[i]); lo += exactSums * tile.Width {
				hi := min(lo+exactSums*tile.Width, len(a[i]))
				tile.Cross(&h, a[i][lo:hi], b[j][lo:hi])
				for k, x := range h {
					sum[k] += nearest(x)
				}
			}
			s.put(i, j, &sum)
		}
	}
	return s
}

// subtract sets c = c - q h without reducing it.
func (l *smallLanczos) subtract(c, q block, h *square) {
	var t tile.Tile
	for j := range c {
		for i := range q {
			h.get(i, j, &t)
			tile.Minus(c[j], q[i], &t)
		}
	}
}
