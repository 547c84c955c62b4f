package exact

import (
	"math/bits"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Fixed is a number from -2^15 to 2^15 in steps of 2^-240: 72 decimal digits after the point, for comparisons too close for
// floating point. A sum of products takes no longer than one in two float64. Results out of range wrap around.
type Fixed struct{ limb0, limb1, limb2, limb3 uint64 } // two's complement, the least first

const (
	fixedBits  = 240
	wholeShift = fixedBits - 192 // of 1 in the last limb
)

// FixedOne is 1.
var FixedOne = Fixed{limb3: 1 << wholeShift}

// FixedOf returns x without the part below 2^-240. It panics unless |x| < 2^15.
func FixedOf(x float64) Fixed {
	if !(math.Abs(x) < 1<<15) {
		panic("exact: a number out of the range of Fixed")
	}
	fraction, exponent := math.Frexp(math.Abs(x))
	result := Fixed{limb3: uint64(fraction * (1 << 62))}.shift(exponent + fixedBits - 254)
	if x < 0 {
		result = result.Neg()
	}
	return result
}

// FixedFraction returns numerator/denominator. The denominator must be positive and the quotient in range.
func FixedFraction(numerator, denominator int64) Fixed {
	size, d := uint64(max(numerator, -numerator)), uint64(denominator)
	var q Fixed
	var rest uint64
	whole := size / d
	rest = size % d
	q.limb3, rest = bits.Div64(rest>>(64-wholeShift), rest<<wholeShift, d)
	q.limb3 += whole << wholeShift
	q.limb2, rest = bits.Div64(rest, 0, d)
	q.limb1, rest = bits.Div64(rest, 0, d)
	q.limb0, _ = bits.Div64(rest, 0, d)
	if numerator < 0 {
		return q.Neg()
	}
	return q
}

// Add returns x+y.
func (x Fixed) Add(y Fixed) (sum Fixed) {
	var carry uint64
	sum.limb0, carry = bits.Add64(x.limb0, y.limb0, 0)
	sum.limb1, carry = bits.Add64(x.limb1, y.limb1, carry)
	sum.limb2, carry = bits.Add64(x.limb2, y.limb2, carry)
	sum.limb3, _ = bits.Add64(x.limb3, y.limb3, carry)
	return sum
}

// Neg returns -x.
func (x Fixed) Neg() Fixed { return x.signed(^uint64(0)) }

// sign returns all ones for a negative number, else 0.
func (x Fixed) sign() uint64 { return uint64(int64(x.limb3) >> 63) }

// signed returns x for a sign of 0, -x for a sign of all ones.
func (x Fixed) signed(sign uint64) (y Fixed) {
	var carry uint64
	y.limb0, carry = bits.Add64(x.limb0^sign, sign&1, 0)
	y.limb1, carry = bits.Add64(x.limb1^sign, 0, carry)
	y.limb2, carry = bits.Add64(x.limb2^sign, 0, carry)
	y.limb3, _ = bits.Add64(x.limb3^sign, 0, carry)
	return y
}

// Mul returns x*y, to some 2^-238.
func (x Fixed) Mul(y Fixed) Fixed { return DotFixed([]Fixed{x}, []Fixed{y}) }

// shift returns x times 2^by, rounded towards 0. x must not be negative.
func (x Fixed) shift(by int) Fixed {
	limbs, shifted := [4]uint64{x.limb0, x.limb1, x.limb2, x.limb3}, [4]uint64{}
	for k := range shifted {
		from := 64*k - by // the bit of x that becomes the least of the limb
		at, within := from>>6, uint(from&63)
		if at >= 0 && at < 4 {
			shifted[k] = limbs[at] >> within
		}
		if at+1 >= 0 && at+1 < 4 && within > 0 {
			shifted[k] |= limbs[at+1] << (64 - within)
		}
	}
	return Fixed{shifted[0], shifted[1], shifted[2], shifted[3]}
}

// Shift returns x times 2^by, rounded towards 0.
func (x Fixed) Shift(by int) Fixed {
	s := x.sign()
	return x.signed(s).shift(by).signed(s)
}

// Float64 returns x to one or two roundings, for any size of x.
func (x Fixed) Float64() float64 {
	s := x.sign()
	y := x.signed(s)
	sum := float64(float64(y.limb3)*0x1p-48) + (float64(float64(y.limb2)*0x1p-112) + (float64(float64(y.limb1)*0x1p-176) + float64(float64(y.limb0)*0x1p-240)))
	if s != 0 {
		return -sum
	}
	return sum
}

// product returns the product of two nonnegative numbers, without the part below 2^192 of its 512 bits.
func product(x, y Fixed) (l3, l4, l5, l6, l7 uint64) {
	var high, low, c uint64
	l4, l3 = bits.Mul64(x.limb0, y.limb3)
	high, low = bits.Mul64(x.limb1, y.limb2)
	l3, c = bits.Add64(l3, low, 0)
	l4, l5 = bits.Add64(l4, high, c)
	high, low = bits.Mul64(x.limb2, y.limb1)
	l3, c = bits.Add64(l3, low, 0)
	l4, c = bits.Add64(l4, high, c)
	l5 += c
	high, low = bits.Mul64(x.limb3, y.limb0)
	l3, c = bits.Add64(l3, low, 0)
	l4, c = bits.Add64(l4, high, c)
	l5 += c
	high, low = bits.Mul64(x.limb1, y.limb3)
	l4, c = bits.Add64(l4, low, 0)
	l5, l6 = bits.Add64(l5, high, c)
	high, low = bits.Mul64(x.limb2, y.limb2)
	l4, c = bits.Add64(l4, low, 0)
	l5, c = bits.Add64(l5, high, c)
	l6 += c
	high, low = bits.Mul64(x.limb3, y.limb1)
	l4, c = bits.Add64(l4, low, 0)
	l5, c = bits.Add64(l5, high, c)
	l6 += c
	high, low = bits.Mul64(x.limb2, y.limb3)
	l5, c = bits.Add64(l5, low, 0)
	l6, l7 = bits.Add64(l6, high, c)
	high, low = bits.Mul64(x.limb3, y.limb2)
	l5, c = bits.Add64(l5, low, 0)
	l6, c = bits.Add64(l6, high, c)
	l7 += c
	high, low = bits.Mul64(x.limb3, y.limb3)
	l6, c = bits.Add64(l6, low, 0)
	l7, _ = bits.Add64(l7, high, c)
	return l3, l4, l5, l6, l7
}

// lower returns a product, or a sum of products, from 2^-240 on.
func lower(l3, l4, l5, l6, l7 uint64) Fixed {
	const up = 64 - wholeShift
	return Fixed{l3>>wholeShift | l4<<up, l4>>wholeShift | l5<<up, l5>>wholeShift | l6<<up, l6>>wholeShift | l7<<up}
}

// DotFixed returns the inner product.
func DotFixed(x, y []Fixed) Fixed {
	var s3, s4, s5, s6, s7, c uint64
	y = y[:len(x)]
	for i := range x {
		v, w := x[i], y[i]
		sign, other := v.sign(), w.sign()
		l3, l4, l5, l6, l7 := product(v.signed(sign), w.signed(other))
		sign ^= other
		s3, c = bits.Add64(s3, l3^sign, sign&1)
		s4, c = bits.Add64(s4, l4^sign, c)
		s5, c = bits.Add64(s5, l5^sign, c)
		s6, c = bits.Add64(s6, l6^sign, c)
		s7, _ = bits.Add64(s7, l7^sign, c)
	}
	return lower(s3, s4, s5, s6, s7)
}

// AxpyFixed adds a x to dst.
func AxpyFixed(dst []Fixed, a Fixed, x []Fixed) {
	sign := a.sign()
	size := a.signed(sign)
	dst = dst[:len(x)]
	for i := range x {
		v := x[i]
		other := v.sign()
		dst[i] = dst[i].Add(lower(product(size, v.signed(other))).signed(sign ^ other))
	}
}
