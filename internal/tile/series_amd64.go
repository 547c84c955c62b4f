package tile

// These are the numbers of orders that are computed at once, with an accumulator for each order and lane.
const (
	orders512 = 8
	orders256 = 4
)

func foldVector(dst *Tile, q []Tile, by *Lanes, factors []Factors) bool {
	last := len(q) - 1
	switch {
	case haveTile512:
		for k := 0; k < Width; k += orders512 {
			fold512(&dst[k*Width], &q[last][0], &by[0], &factors[last][pads+k], len(q), k+orders512)
		}
	case haveTile256:
		for k := 0; k < Width; k += orders256 {
			for i := 0; i < Width; i += Width / 2 {
				fold256(&dst[k*Width+i], &q[last][i], &by[i], &factors[last][pads+k], len(q), k+orders256)
			}
		}
	default:
		return false
	}
	return true
}

func multiplyVector(dst *Tile, q []Tile, with []Series) bool {
	last := len(q) - 1
	switch {
	case haveTile512:
		for k := 0; k < Width; k += orders512 {
			multiply512(&dst[k*Width], &q[last][0], &with[last][(pads+k)*Width], len(q), k+orders512)
		}
	case haveTile256:
		for k := 0; k < Width; k += orders256 {
			for i := 0; i < Width; i += Width / 2 {
				multiply256(&dst[k*Width+i], &q[last][i], &with[last][(pads+k)*Width+i], len(q), k+orders256)
			}
		}
	default:
		return false
	}
	return true
}

func mixVector(dst, a *Tile, x *Lanes, b *Tile, y *Lanes) bool {
	switch {
	case haveTile512:
		mix512(&dst[0], &a[0], &x[0], &b[0], &y[0])
	case haveTile256:
		mix256(&dst[0], &a[0], &x[0], &b[0], &y[0])
		mix256(&dst[8], &a[8], &x[8], &b[8], &y[8])
	default:
		return false
	}
	return true
}

// fold512 computes 8 orders of 16 lanes, fold256 4 orders of 8. dst, q and by point to the first lane, factors to the
// coefficient of the first order. q and factors point to the last of count. rows is the number of orders of q that count.
//
//go:noescape
func fold512(dst, q, by, factors *float64, count, rows int)

//go:noescape
func fold256(dst, q, by, factors *float64, count, rows int)

// multiply512 and multiply256 do the same for Multiply.
//
//go:noescape
func multiply512(dst, q, with *float64, count, rows int)

//go:noescape
func multiply256(dst, q, with *float64, count, rows int)

// mix512 computes a whole tile, mix256 8 lanes of it.
//
//go:noescape
func mix512(dst, a, x, b, y *float64)

//go:noescape
func mix256(dst, a, x, b, y *float64)
