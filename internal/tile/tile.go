// Package tile multiplies dense panels of 16 columns: the inner loops of
// subspaces and of exact ranks.
package tile

import (
	"math"

	"github.com/hearsay-dp/hearsay/sparse"
)

// Width is how many columns a panel has: what the kernels of room sparse take
// at once.
const Width = sparse.Strip

// A panel is 16 columns stored row-major: entry i of column a is [i*16+a]. A
// Tile is a 16 x 16 matrix, row-major.
type Tile [Width * Width]float64

// The dense kernels fuse each product with its addition (math.FMA), in the
// order of rows, on every processor: vector and plain code agree bit for bit.

// Cross sets h = q'c for two panels of the same length.
func Cross(h *Tile, q, c []float64) {
	if len(q) != len(c) || len(c)%Width != 0 {
		panic("Tile: panels of different sizes")
	}
	if !crossVector(h, q, c) {
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

// Minus subtracts q h from c: two panels of the same length and a tile.
func Minus(c, q []float64, h *Tile) {
	if len(q) != len(c) || len(c)%Width != 0 {
		panic("Tile: panels of different sizes")
	}
	done := minusVector(c, q, h) * Width
	minusPlain(c[done:], q[done:], h)
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
