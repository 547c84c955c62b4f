package discrete

import (
	"math/big"
	"math/bits"
)

// The range of the standard deviation of a law, in grid steps: large enough that the grid costs almost nothing,
// small enough that 64 bits hold the square of every usual distance.
const (
	minSteps = 1 << 28
	maxSteps = 1 << 29
)

// A law is N_Z(0, s^2) with the parameters of its draws.
type law struct {
	square uint64 // s^2, between 2^56 and 2^58
	tau    uint   // the Laplace scale is t = 2^tau, within a factor sqrt(2) of s
}

// newLaw returns the law of standard deviation s, between minSteps and
// maxSteps.
func newLaw(s uint64) law {
	if s < minSteps || s > maxSteps {
		panic("discrete: standard deviation out of range")
	}
	l := law{square: s * s, tau: 28}
	if l.square >= 1<<57 {
		l.tau = 29
	}
	return l
}

// draw returns one draw of the law: CKS Algorithm 3.
func (l law) draw(w Words) int64 {
	for {
		size, negative := l.laplace(w)
		if negative && size == 0 || !l.accept(w, size) {
			continue
		}
		if negative {
			return -int64(size)
		}
		return int64(size)
	}
}

// laplace returns a size with probability proportional to exp(-size/t) and a sign. It is CKS Algorithm 2 with a
// scale that is a power of two, so that one word holds the uniform part and the sign. A size of 2^58 needs 2^29
// successes in a row of probability exp(-1). It is treated as impossible, because exp(-2^29) is less than one
// part in 10^(10^8).
func (l law) laplace(w Words) (size uint64, negative bool) {
	for {
		word := w.Uint64()
		part := word >> (64 - l.tau)
		if !expMinus(w, l.ofScale(part)) {
			continue
		}
		size = part
		for expMinusOne(w) {
			size += 1 << l.tau
		}
		return size, word&1 == 1
	}
}

// ofScale returns part/t.
func (l law) ofScale(part uint64) fraction {
	return fraction{head: part << (64 - l.tau), exact: func() (num, den *big.Int) {
		return new(big.Int).SetUint64(part), new(big.Int).Lsh(big.NewInt(1), l.tau)
	}}
}

// accept returns true with probability exp(-gamma),
//
//	gamma = (size - s^2/t)^2/(2 s^2) = (size t - s^2)^2/(2 s^2 t^2).
func (l law) accept(w Words, size uint64) bool {
	if size>>(64-l.tau) != 0 {
		return l.acceptFar(w, size)
	}
	distance := size << l.tau
	if distance >= l.square {
		distance -= l.square
	} else {
		distance = l.square - distance
	}
	whole, head := l.gamma(distance)
	rest := fraction{head: head, exact: func() (num, den *big.Int) {
		_, num, den = l.gammaExact(new(big.Int).SetUint64(distance))
		return num, den
	}}
	return expMinus(w, rest) && expMinusWhole(w, whole)
}

// gamma returns distance^2/(2 s^2 t^2): its whole part and the first word of the rest.
func (l law) gamma(distance uint64) (whole, head uint64) {
	hi, lo := bits.Mul64(distance, distance)
	shift := 63 - 2*l.tau // gamma 2^64 = distance^2 2^shift/s^2
	top := hi >> (64 - shift)
	whole, rest := bits.Div64(top, hi<<shift|lo>>(64-shift), l.square)
	head, _ = bits.Div64(rest, lo<<shift, l.square)
	return whole, head
}

// gammaExact returns gamma as a whole part and a fraction num/den.
func (l law) gammaExact(distance *big.Int) (whole uint64, num, den *big.Int) {
	den = new(big.Int).SetUint64(l.square)
	den.Lsh(den, 2*l.tau+1)
	n, num := new(big.Int).QuoRem(new(big.Int).Mul(distance, distance), den, new(big.Int))
	return n.Uint64(), num, den
}

// acceptFar does as accept for sizes whose product with t takes more than 64 bits, about one in e^64. Sizes
// below 2^58 keep gamma below 2^64.
func (l law) acceptFar(w Words, size uint64) bool {
	distance := new(big.Int).SetUint64(size)
	distance.Sub(distance.Lsh(distance, l.tau), new(big.Int).SetUint64(l.square))
	whole, num, den := l.gammaExact(distance)
	first := new(big.Int).Quo(new(big.Int).Lsh(num, 64), den).Uint64()
	rest := fraction{head: first, exact: func() (*big.Int, *big.Int) { return num, den }}
	return expMinus(w, rest) && expMinusWhole(w, whole)
}
