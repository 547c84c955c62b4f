package tile

import "golang.org/x/sys/cpu"

// These report the vector instructions of this processor for the dense kernels.
var (
	haveTile512 = cpu.X86.HasAVX512F
	haveTile256 = cpu.X86.HasAVX2 && cpu.X86.HasFMA
)

// crossVector computes crossPlain by vector instructions. It reports false if this processor has none.
func crossVector(h *Tile, q, c []float64, count int) bool {
	rows := len(c) / Width
	switch {
	case rows == 0:
		return false
	case haveTile512 && count <= Half:
		*h = Tile{}
		crossFew512(&h[0], &q[0], &c[0], rows)
	case haveTile512:
		for a := 0; a < Width; a += Half {
			cross512(&h[a*Width], &q[a], &c[0], rows)
		}
	case haveTile256:
		*h = Tile{}
		for a := 0; a < Width; a += 4 {
			for b := 0; b < count; b += Half {
				cross256(&h[a*Width+b], &q[a], &c[b], rows)
			}
		}
	default:
		return false
	}
	return true
}

// minusVector computes minusPlain on as many rows as vector instructions take. It returns their number.
func minusVector(c, q []float64, h *Tile, depth, count int, next []float64) int {
	rows, done := len(c)/Width, 0
	if haveTile512 && count <= Half && rows >= 2*Half {
		minusFew512(&c[0], &q[0], &h[0], &next[0], rows/(2*Half), depth)
		done = rows / (2 * Half) * (2 * Half)
	}
	at := done * Width
	switch left := rows - done; {
	case haveTile512 && left >= Half:
		minus512(&c[at], &q[at], &h[0], &next[at], left/Half, depth)
		done += left / Half * Half
	case haveTile256 && left >= 4:
		for b := 0; b < count; b += Half {
			minus256(&c[at+b], &q[at], &h[b], left/4)
		}
		done += left / 4 * 4
	}
	return done
}

// cross512 sets 8 rows of 16 of h, crossFew512 16 rows of 8, cross256 4 rows of 8. They sum over the rows of the panels to
// which q and c point.
//
//go:noescape
func cross512(h, q, c *float64, rows int)

//go:noescape
func crossFew512(h, q, c *float64, rows int)

//go:noescape
func cross256(h, q, c *float64, rows int)

// minus512 takes 8 rows of 16 a tile, minusFew512 16 rows of 8, minus256 4 rows of 8. The first two take only the first depth
// columns of q, and meanwhile fetch as many rows of next.
//
//go:noescape
func minus512(c, q, h, next *float64, tiles, depth int)

//go:noescape
func minusFew512(c, q, h, next *float64, tiles, depth int)

//go:noescape
func minus256(c, q, h *float64, tiles int)
