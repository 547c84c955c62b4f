package allpairs

import "math"

// roots raises each number to the power 1/k, rounded up. A step of Newton's rule for y^k = x
// ends at ((k-1) y + x/y^(k-1)) / k, which is the mean of k numbers whose product is x,
// and so no less than the root, from wherever it starts; a start that is off by a share
// d is brought to within (k-1) d^2/2.
func roots(to, x *vector, k int) {
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
		to[i] = (float64(more*y) + v/power(y, k-1)) * share * roundUp
	}
}

const (
	roundUp  = 1 + 0x1p-48
	smallest = 1e-290 // below, numbers have less digits
)

// rootOfLittle takes what roots does not.
func rootOfLittle(x, share float64) float64 {
	if x <= 0 {
		return 0
	}
	return math.Exp(math.Log(max(x, math.SmallestNonzeroFloat64))*share) * (1 + 0x1p-40)
}

// nearRoot is x^share to five digits: 2 to the power of share times the logarithm, each by a
// polynomial that is interpolated at the zeros of a Chebyshev polynomial.
func nearRoot(x, share float64) float64 {
	bits := math.Float64bits(x)
	f := math.Float64frombits(bits&(1<<52-1)|1023<<52) - 1
	log := float64(int(bits>>52)-1023) +
		((((0.043004957791890897*f-0.18748860458973862)*f+0.40947029869795765)*f-0.7064864491338083)*f+1.4414924117615537)*f
	log *= share
	whole := math.Floor(log)
	f = log - whole
	y := (((0.0136703094533634*f+0.051744997764090285)*f+0.24160435727010388)*f+0.6929729221730486)*f + 1.0000034929076984
	return y * math.Float64frombits(uint64(int(whole)+1023)<<52)
}

func power(x float64, k int) float64 {
	y := 1.0
	for ; k > 0; k >>= 1 {
		if k&1 == 1 {
			y *= x
		}
		x *= x
	}
	return y
}
