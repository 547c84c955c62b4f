// Package math implements elementary functions that give the same bits on every processor. Those of the standard library are
// assembly on some processors and fuse products with sums on others, so that their last digits differ. Here every product is
// rounded before it is added.
package math

import "math"

// Exp returns e^x to within 2 units in the last place. It is faster than the standard
// library's.
//
// x = (32 k + j) ln(2)/32 + r with |r| <= ln(2)/64, so that
// e^x = 2^k 2^(j/32) e^r with a short series for e^r.
func Exp(x float64) float64 {
	switch {
	case x > 709.782712893384: // the largest whose power is a number
		return math.Inf(1)
	case x < -746:
		return 0
	case x != x:
		return x
	}
	shifted := float64(x*thirtySecondsPerE) + roundShift // rounds to an integer in the low bits
	n := shifted - roundShift
	r := float64(x-float64(n*stepHigh)) - float64(n*stepLow)
	i := int64(n)
	square := float64(r * r)
	series := r + float64(square*(0.5+float64(r*(1.0/6))+float64(square*(1.0/24+float64(r*(1.0/120))+float64(square*(1.0/720))))))
	root := powersOfTwo[i&31]
	y := root + float64(root*series)
	if x < -708 { // what comes has fewer digits
		return math.Ldexp(y, int(i>>5))
	}
	return math.Float64frombits(math.Float64bits(y) + uint64(i>>5)<<52)
}

const (
	thirtySecondsPerE = 32 / math.Ln2
	roundShift        = 3 << 51             // adding it drops the fraction, rounding to nearest
	stepHigh          = 0.02166084938653512 // the first 32 bits of ln(2)/32: a multiple of it is exact
	stepLow           = 5.9631716539705866e-12
)

// powersOfTwo is 2^(j/32).
var powersOfTwo = [32]float64{
	1.0, 1.0218971486541166, 1.0442737824274138, 1.0671404006768237,
	1.0905077326652577, 1.1143867425958924, 1.1387886347566916, 1.1637248587775775,
	1.189207115002721, 1.215247359980469, 1.241857812073484, 1.2690509571917332,
	1.2968395546510096, 1.3252366431597413, 1.3542555469368927, 1.383909881963832,
	1.4142135623730951, 1.4451808069770467, 1.4768261459394993, 1.5091644275934228,
	1.5422108254079407, 1.5759808451078865, 1.6104903319492543, 1.645755478153965,
	1.681792830507429, 1.718619298122478, 1.7562521603732995, 1.7947090750031072,
	1.8340080864093424, 1.8741676341103, 1.9152065613971474, 1.9571441241754002,
}
