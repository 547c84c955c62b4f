package math

import "math"

// Softplus returns log(1 + e^x) to within 4 units in the last place, with the same bits on every processor. It is some four
// times as fast as math.Log1p and math.Exp. It returns 0 where e^x is below the smallest number that Exp returns.
//
// Let e = e^-|x|, which is at most 1. log(1 + e) is log(c) + log(1 + r), with c the multiple of 1/32 nearest to 1 + e. Then r =
// (1 + e - c)/c is at most 1/64, with a short series.
func Softplus(x float64) float64 {
	size := math.Abs(x)
	if !(size < 1000) { // too large to matter, or NaN
		return max(x, 0)
	}
	e := Exp(-size)
	shifted := e + softShift // rounds to a multiple of 1/32 in the low bits
	nearest := shifted - softShift
	r := (e - nearest) / (1 + nearest)
	square := float64(r * r)
	low := float64(square*(-1.0/2+float64(r*(1.0/3)))) + float64(float64(square*square)*(-1.0/4+float64(r*(1.0/5))))
	high := -1.0/6 + float64(r*(1.0/7)) + float64(square*(-1.0/8+float64(r*(1.0/9))))
	y := logarithms[math.Float64bits(shifted)&63] + (r + (low + float64(float64(square*square*square)*high)))
	return float64((x+size)/2) + y // x or 0, without an unpredictable branch
}

// softShift rounds a number of at most 1 to the nearest multiple of 1/32.
const softShift = 3 << 46

// logarithms holds log(1 + j/32), up to j = 32.
var logarithms = [64]float64{
	0.0, 0.030771658666753687, 0.06062462181643484, 0.08961215868968714,
	0.11778303565638346, 0.1451820098444979, 0.17185025692665923, 0.19782574332991987,
	0.22314355131420976, 0.24783616390458127, 0.27193371548364176, 0.2954642128938359,
	0.3184537311185346, 0.3409265869705932, 0.3629054936893685, 0.38441169891033206,
	0.4054651081081644, 0.4260843953109001, 0.44628710262841953, 0.46608972992459924,
	0.4855078157817008, 0.5045560107523953, 0.5232481437645479, 0.5415972824327444,
	0.5596157879354227, 0.5773153650348236, 0.5947071077466928, 0.6118015411059929,
	0.6286086594223741, 0.6451379613735847, 0.661398482245365, 0.6773988235918061,
	0.6931471805599453,
}

// SoftplusAll sets dst to Softplus of each number of x, with the same bits. dst may be x, and must be as long.
func SoftplusAll(dst, x []float64) {
	dst = dst[:len(x)]
	for len(x) > 0 {
		done := softplusVector(dst, x)
		dst, x = dst[done:], x[done:]
		for i := range min(8, len(x)) {
			dst[i] = Softplus(x[i])
		}
		dst, x = dst[min(8, len(x)):], x[min(8, len(x)):]
	}
}
