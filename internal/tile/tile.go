// Package tile multiplies dense panels of 16 columns. These are the inner loops of subspaces and of exact ranks.
package tile

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Width is the number of columns of a panel, the number that the kernels of room sparse take at once.
const Width = sparse.Strip

// Half is half of the columns. It takes half the time if the others are zeros.
const Half = Width / 2

// A Tile is a 16 x 16 matrix, row-major. A panel is 16 columns stored row-major: entry i of column a is [i*16+a].
type Tile [Width * Width]float64

// The dense kernels fuse each product with its addition (math.FMA), in the order of rows, on every processor. Vector code and
// plain code therefore agree bit for bit.

// Cross sets h = q'c for two panels of the same length.
func Cross(h *Tile, q, c []float64) { CrossFirst(h, q, c, Width) }

// CrossFirst computes Cross where c has count columns, and zeros after them. It takes half as long if count is at most Half.
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

// MinusFirst sets c = c - q h where q has depth columns and c has count, with zeros after them, in h too. It takes half as long
// for each that is at most Half.
func MinusFirst(c, q []float64, h *Tile, depth, count int) { minus(c, q, h, depth, count, q) }

// minus computes MinusFirst and fetches the panel next, which is used after it.
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

// Remove removes from the first count columns of c, which must have no others, their parts along the columns of panels. For
// every panel q in turn, c becomes c - q (q'c). The next panel is fetched from memory meanwhile.
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
