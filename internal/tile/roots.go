package tile

import "github.com/hearsay-dp/hearsay/internal/math"

// Norm adds a part to sums of k-th roots, lane by lane. sum becomes chance times sum plus place times the k-th root of cost. Roots
// are rounded up (Roots). cost becomes the k-th power of sum times factor. Every product is rounded before it is added, on every
// processor.
func Norm(cost, sum, chance *Lanes, k int, place, factor float64) {
	if k < 1 {
		panic("tile: a root of an order below 1")
	}
	if !normVector(cost, sum, chance, k, place, factor) {
		normPlain(cost, sum, chance, k, place, factor)
	}
}

func normPlain(cost, sum, chance *Lanes, k int, place, factor float64) {
	var root Lanes
	Roots(&root, cost, k)
	for i, y := range root {
		s := float64(chance[i]*sum[i]) + float64(place*y)
		sum[i] = s
		cost[i] = Power(s, k) * factor
	}
}

// Roots raises each number to the power 1/k, rounded up. A step of Newton's method for y^k = x ends at ((k-1) y + x/y^(k-1)) /
// k. This is the mean of k numbers whose product is x, and so at least the root, for any start. A start with relative error d
// is brought to within (k-1) d^2/2.
func Roots(to, x *Lanes, k int) {
	switch k {
	case 1:
		*to = *x
		return
	case 2:
		for i, v := range x {
			to[i] = math.Sqrt(v) * roundUp
		}
		return
	}
	share, more := 1/float64(k), float64(k-1)
	for i, v := range x {
		if !(v >= smallest) {
			to[i] = rootOfLittle(v, share)
			continue
		}
		y := nearRoot(v, share)
		to[i] = (float64(more*y) + v/Power(y, k-1)) * share * roundUp
	}
}

const (
	roundUp  = 1 + 0x1p-48
	smallest = 1e-290 // numbers below have fewer digits
)

// rootOfLittle returns the root of a number below smallest, or 0 for x <= 0.
func rootOfLittle(x, share float64) float64 {
	if x <= 0 {
		return 0
	}
	return math.Exp(math.Log(max(x, math.SmallestNonzeroFloat64))*share) * (1 + 0x1p-40)
}

// These are two polynomials, interpolated at the zeros of a Chebyshev polynomial, of f from 0 to 1: the binary logarithm of
// 1+f, over f, and 2 to the power of f. The highest coefficients come first.
const (
	log4, log3, log2, log1, log0 = 0.043004957791890897, -0.18748860458973862, 0.40947029869795765, -0.7064864491338083, 1.4414924117615537
	exp4, exp3, exp2, exp1, exp0 = 0.0136703094533634, 0.051744997764090285, 0.24160435727010388, 0.6929729221730486, 1.0000034929076984
)

// nearRoot returns x^share to five digits, as 2 to the power of share times the logarithm.
func nearRoot(x, share float64) float64 {
	bits := math.Float64bits(x)
	f := math.Float64frombits(bits&(1<<52-1)|1023<<52) - 1
	log := float64(log4*f) + log3
	log = float64(log*f) + log2
	log = float64(log*f) + log1
	log = float64(log*f) + log0
	log = float64(int(bits>>52)-1023) + float64(log*f)
	log = float64(log * share)
	whole := math.Floor(log)
	f = log - whole
	y := float64(exp4*f) + exp3
	y = float64(y*f) + exp2
	y = float64(y*f) + exp1
	y = float64(y*f) + exp0
	return float64(y * math.Float64frombits(uint64(int(whole)+1023)<<52))
}

// Power returns x to the power of k >= 0.
func Power(x float64, k int) float64 {
	y := 1.0
	for ; k > 0; k >>= 1 {
		if k&1 == 1 {
			y *= x
		}
		x *= x
	}
	return y
}
