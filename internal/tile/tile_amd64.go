package tile

import "golang.org/x/sys/cpu"

// What this processor offers for the dense kernels.
var (
	haveTile512 = cpu.X86.HasAVX512F
	haveTile256 = cpu.X86.HasAVX2 && cpu.X86.HasFMA
)

// crossVector is crossPlain by vector instructions; it reports false if this
// processor has none.
func crossVector(h *Tile, q, c []float64) bool {
	rows := len(c) / Width
	switch {
	case rows == 0:
		return false
	case haveTile512:
		for a := 0; a < Width; a += 8 {
			cross512(&h[a*Width], &q[a], &c[0], rows)
		}
	case haveTile256:
		for a := 0; a < Width; a += 4 {
			for b := 0; b < Width; b += 8 {
				cross256(&h[a*Width+b], &q[a], &c[b], rows)
			}
		}
	default:
		return false
	}
	return true
}

// minusVector is minusPlain on as many rows as vector instructions take. It
// returns their number.
func minusVector(c, q []float64, h *Tile) int {
	rows := len(c) / Width
	switch {
	case haveTile512 && rows >= 8:
		minus512(&c[0], &q[0], &h[0], rows/8)
		return rows / 8 * 8
	case haveTile256 && rows >= 4:
		minus256(&c[0], &q[0], &h[0], rows/4)
		minus256(&c[8], &q[0], &h[8], rows/4)
		return rows / 4 * 4
	}
	return 0
}

// cross512 sets 8 rows of 16 of h, cross256 4 rows of 8: sums over the rows of
// the panels from which q and c point.
//
//go:noescape
func cross512(h, q, c *float64, rows int)

//go:noescape
func cross256(h, q, c *float64, rows int)

// minus512 takes 8 rows of 16 a tile, minus256 4 rows of 8.
//
//go:noescape
func minus512(c, q, h *float64, tiles int)

//go:noescape
func minus256(c, q, h *float64, tiles int)
