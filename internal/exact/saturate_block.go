package exact

import (
	"github.com/hearsay-dp/hearsay/internal/tile"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A block holds columns modulo the small prime, as panels of 16. Columns of the last panel beyond the block's are zeros.
type block [][]float64

// smallLanczos is the state of KrylovRank. The block under way is the newest; a
// column of it that depends on the others is set to 0 once that is known.
type smallLanczos struct {
	m                      *sparse.Matrix
	columns                int // of a block
	rank                   int
	newest, last, previous block   // candidates, or V_i; V_{i-1}; room
	gone                   []bool  // columns of the newest that are 0 and stay so
	gram                   *square // candidates' V_i: V_{i-1}'M V_i
	inverse, before        *square // of G_i and of G_{i-1}
}

func newSmallLanczos(m *sparse.Matrix, starts []int, columns int) *smallLanczos {
	l := &smallLanczos{m: m, columns: columns, gone: make([]bool, columns)}
	l.newest, l.last, l.previous = l.newBlock(), l.newBlock(), l.newBlock()
	width := len(l.newest) * tile.Width
	l.before, l.inverse = newSquare(width), newSquare(width)
	state := uint64(len(starts))
	for k, w := range starts {
		for c := range columns {
			switch {
			case len(starts) > columns:
				state = state*6364136223846793005 + 1442695040888963407
				l.newest[c/tile.Width][w*tile.Width+c%tile.Width] = nearest(float64(state >> 40))
			case c == k:
				l.newest[c/tile.Width][w*tile.Width+c%tile.Width] = 1
			}
		}
	}
	return l
}

func (l *smallLanczos) newBlock() block {
	b := make(block, (l.columns+tile.Width-1)/tile.Width)
	for k := range b {
		b[k] = make([]float64, l.m.N*tile.Width)
	}
	return b
}

// in returns the number of columns of a block in a panel.
func (l *smallLanczos) in(panel int) int { return min(tile.Width, l.columns-panel*tile.Width) }

// orthogonal turns candidates, orthogonal to all earlier blocks, into V_i. It leaves columns out until G_i is regular. It
// reports false if the recurrence cannot go on: no columns are left, or some left-out ones are no combinations of the others.
func (l *smallLanczos) orthogonal() bool {
	l.gram = l.product(l.newest, l.newest)
	kept, inverse := l.gram.invert()
	kept = kept[:l.columns]
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

// dropped sets the columns that are not kept to 0, and their columns in gram. It reports whether they were combinations of
// those kept.
func (l *smallLanczos) dropped(kept []bool) bool {
	var away block // the nonzero columns that go
	for c, keep := range kept {
		if keep || l.gone[c] {
			continue
		}
		l.gone[c] = true
		if l.zero(c) {
			continue
		}
		if away == nil {
			away = l.newBlock()
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

// forget clears the columns of gram that are not kept, and reports whether the columns in away became 0.
func (l *smallLanczos) forget(kept []bool, away block) bool {
	nothing := true
	for c, keep := range kept {
		if keep {
			continue
		}
		for i := range l.m.N {
			nothing = nothing && nearest(away[c/tile.Width][i*tile.Width+c%tile.Width]) == 0
		}
		for r := range l.gram.width {
			l.gram.set(r, c, 0)
		}
	}
	return nothing
}

// next makes the candidates from M V_i. Without its parts along V_i and V_{i-1} it is orthogonal to all blocks.
func (l *smallLanczos) next() {
	room := l.previous
	for k, panel := range l.newest {
		l.m.MulFirst(room[k], panel, l.in(k))
		small.Reduce(room[k])
	}
	along := l.inverse.times(l.product(l.newest, room))
	back := l.before.times(l.gram)
	l.subtract(room, l.newest, along)
	l.subtract(room, l.last, back)
	for _, panel := range room {
		small.Reduce(panel)
	}
	l.previous, l.last, l.newest = l.last, l.newest, room
	l.before = l.inverse
}

// product returns a'b, which is symmetric.
func (l *smallLanczos) product(a, b block) *square {
	s := newSquare(len(a) * tile.Width)
	var h, sum tile.Tile
	for i := range a {
		for j := i; j < len(b); j++ {
			clear(sum[:])
			for lo := 0; lo < len(a[i]); lo += exactSums * tile.Width {
				hi := min(lo+exactSums*tile.Width, len(a[i]))
				tile.CrossFirst(&h, a[i][lo:hi], b[j][lo:hi], l.in(j))
				small.Reduce(h[:])
				sparse.Axpy(sum[:], 1, h[:])
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
			tile.MinusFirst(c[j], q[i], &t, l.in(i), l.in(j))
		}
	}
}
