package linalg

import "math"

// A panel is 16 columns stored row-major: entry i of column a is [i*16+a]. A
// tile is a 16 x 16 matrix, row-major.
type tile [strip * strip]float64

// The dense kernels fuse each product with its addition (math.FMA), in the
// order of rows, on every processor: vector and plain code agree bit for bit.

// cross sets h = q'c for two panels of the same length.
func cross(h *tile, q, c []float64) {
	if len(q) != len(c) || len(c)%strip != 0 {
		panic("linalg: panels of different sizes")
	}
	if !crossVector(h, q, c) {
		crossPlain(h, q, c)
	}
}

func crossPlain(h *tile, q, c []float64) {
	*h = tile{}
	for ; len(c) >= strip; q, c = q[strip:], c[strip:] {
		row := c[:strip]
		for a, x := range q[:strip] {
			sums := h[a*strip : (a+1)*strip]
			for b, y := range row {
				sums[b] = math.FMA(x, y, sums[b])
			}
		}
	}
}

// minus subtracts q h from c: two panels of the same length and a tile.
func minus(c, q []float64, h *tile) {
	if len(q) != len(c) || len(c)%strip != 0 {
		panic("linalg: panels of different sizes")
	}
	done := minusVector(c, q, h) * strip
	minusPlain(c[done:], q[done:], h)
}

func minusPlain(c, q []float64, h *tile) {
	for ; len(c) >= strip; q, c = q[strip:], c[strip:] {
		row := c[:strip]
		for a, x := range q[:strip] {
			factors := h[a*strip : (a+1)*strip]
			for b, y := range factors {
				row[b] = math.FMA(-x, y, row[b])
			}
		}
	}
}
