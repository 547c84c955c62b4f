package tile

import "github.com/hearsay-dp/hearsay/internal/math"

// A Tile also holds 16 power series, cut after the term of order 15, one in each column: entry [k*16+i] is the coefficient of
// order k of series i. Lanes holds one number for each of them.
type Lanes = [Width]float64

// pads is the number of zeros before a series that is multiplied with. Products are computed some orders at once, and the first
// of these have fewer terms than the last.
const pads = 8

// Factors holds the coefficients of one power series, from index pads on, after zeros.
type Factors [pads + Width]float64

// NewFactors returns the factors of a series.
func NewFactors(series *[Width]float64) (f Factors) {
	copy(f[pads:], series[:])
	return f
}

// Series holds 16 power series to multiply with, after zeros.
type Series [(pads + Width) * Width]float64

// Row returns the coefficients of order k.
func (s *Series) Row(k int) *Lanes { return (*Lanes)(s[(pads+k)*Width:]) }

// Fold evaluates Horner's rule. For m from the last to the first, dst becomes dst times by, lane by lane, plus the product of
// the series in q[m] and factors[m].
func Fold(dst *Tile, q []Tile, by *Lanes, factors []Factors) {
	if len(q) != len(factors) {
		panic("tile: series and factors of different numbers")
	}
	if len(q) > 0 && !foldVector(dst, q, by, factors) {
		foldPlain(dst, q, by, factors)
	}
}

func foldPlain(dst *Tile, q []Tile, by *Lanes, factors []Factors) {
	for m := len(q) - 1; m >= 0; m-- {
		for k := range Width {
			row := (*Lanes)(dst[k*Width:])
			for i := range row {
				row[i] = float64(row[i] * by[i])
			}
			for i := range k + 1 {
				c, x := factors[m][pads+k-i], (*Lanes)(q[m][i*Width:])
				for l := range row {
					row[l] = math.FMA(c, x[l], row[l])
				}
			}
		}
	}
}

// Multiply adds to dst the products of the series in q[m] and those in with[m], for m from the
// last to the first.
func Multiply(dst *Tile, q []Tile, with []Series) {
	if len(q) != len(with) {
		panic("tile: factors of different numbers")
	}
	if len(q) > 0 && !multiplyVector(dst, q, with) {
		multiplyPlain(dst, q, with)
	}
}

func multiplyPlain(dst *Tile, q []Tile, with []Series) {
	for m := len(q) - 1; m >= 0; m-- {
		for k := range Width {
			row := (*Lanes)(dst[k*Width:])
			for i := range k + 1 {
				c, x := with[m].Row(k-i), (*Lanes)(q[m][i*Width:])
				for l := range row {
					row[l] = math.FMA(c[l], x[l], row[l])
				}
			}
		}
	}
}

// Mix sets dst to the series in a times x plus those in b times y, lane by lane. dst may be one of
// the two.
func Mix(dst, a *Tile, x *Lanes, b *Tile, y *Lanes) {
	if !mixVector(dst, a, x, b, y) {
		mixPlain(dst, a, x, b, y)
	}
}

func mixPlain(dst, a *Tile, x *Lanes, b *Tile, y *Lanes) {
	for k := 0; k < len(dst); k += Width {
		to, s, t := (*Lanes)(dst[k:]), (*Lanes)(a[k:]), (*Lanes)(b[k:])
		for i := range to {
			to[i] = math.FMA(s[i], x[i], float64(t[i]*y[i]))
		}
	}
}
