// Package tile multiplies dense panels of 16 columns: the inner loops of
// subspaces and of exact ranks.
package tile

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Width is how many columns a panel has: what the kernels of room sparse take
// at once.
const Width = sparse.Strip

// Half of the columns take half the time, where the others are zeros.
const Half = Width / 2

// A panel is 16 columns stored row-major: entry i of column a is [i*16+a]. A
// Tile is a 16 x 16 matrix, row-major.
type Tile [Width * Width]float64

// The dense kernels fuse each product with its addition (math.FMA), in the
// order of rows, on every processor: vector and plain code agree bit for bit.

// Cross sets h = q'c for two panels of the same length.
func Cross(h *Tile, q, c []float64) { CrossFirst(h, q, c, Width) }

// CrossFirst is Cross where c has only so many columns, count, and zeros after them. With
// at most Half it takes half as long.
func CrossFirst(h *Tile, q, c []float64, count int) {
	if len(q) != len(c) || len(c)%Width != 0 {
		panic("Tile: panels of different sizes")
	}
	if !crossVector(h, q, c, count) {
		crossPlain(h, q, c)
	}
}

func crossPlain(h *Tile, q, c []float64) {
	*h = Tile{}
	for ; len(c) >= Width; q, c = q[Width:], c[Width:] {
		row := c[:Width]
		for a, x := range q[:Width] {
			sums := h[a*Width : (a+1)*Width]
			for b, y := range row {
				sums[b] = math.FMA(x, y, sums[b])
			}
		}
	}
}

// MinusFirst is Minus where q has only so many columns, depth, and c only count, with zeros after
// them, in h too. It takes half as long for each that is at most Half.
func MinusFirst(c, q []float64, h *Tile, depth, count int) { minus(c, q, h, depth, count, q) }

// minus is MinusFirst, after which the panel next is going to be wanted.
func minus(c, q []float64, h *Tile, depth, count int, next []float64) {
	if len(q) != len(c) || len(next) != len(c) || len(c)%Width != 0 {
		panic("Tile: panels of different sizes")
	}
	if depth > Half {
		depth = Width
	} else {
		depth = Half
	}
	done := minusVector(c, q, h, depth, count, next) * Width
	minusPlain(c[done:], q[done:], h)
}

// Remove takes from the first count columns of c, the only ones, their parts along the columns of panels: of every
// panel q in turn, c becomes c - q (q'c). The next panel is on its way from memory meanwhile.
func Remove(c []float64, count int, panels [][]float64) {
	var h Tile
	for k, q := range panels {
		CrossFirst(&h, q, c, count)
		minus(c, q, &h, Width, count, panels[min(k+1, len(panels)-1)])
	}
}

func minusPlain(c, q []float64, h *Tile) {
	for ; len(c) >= Width; q, c = q[Width:], c[Width:] {
		row := c[:Width]
		for a, x := range q[:Width] {
			factors := h[a*Width : (a+1)*Width]
			for b, y := range factors {
				row[b] = math.FMA(-x, y, row[b])
			}
		}
	}
}
