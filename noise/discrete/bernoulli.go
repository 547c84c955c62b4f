package discrete

import (
	"math/big"
	"math/bits"
)

// Words yields independent uniform 64-bit words.
type Words interface {
	Uint64() uint64
}

// A fraction is a rational number in [0, 1): its first 64 binary digits, and the exact number on demand.
type fraction struct {
	head  uint64
	exact func() (num, den *big.Int)
}

// expMinus returns true with probability exp(-f): CKS Algorithm 1. It draws k = 1, 2, ... while a uniform
// number is below f/k, and returns whether it stops at an odd k.
func expMinus(w Words, f fraction) bool {
	k := uint64(1)
	for below(w, f, k) {
		k++
	}
	return k&1 == 1
}

// below returns true with probability f/k. The first word of f/k is head/k, rounded down, because rounding down
// twice is rounding down once.
func below(w Words, f fraction, k uint64) bool {
	u, first := w.Uint64(), f.head/k
	if u != first {
		return u < first
	}
	num, den := f.exact()
	return tie(w, u, num, new(big.Int).Mul(den, new(big.Int).SetUint64(k)))
}

// expMinusOne returns true with probability exp(-1), by the same algorithm, whose first draw always succeeds.
func expMinusOne(w Words) bool {
	k := uint64(2)
	for belowInverse(w, k) {
		k++
	}
	return k&1 == 1
}

// expMinusWhole returns true with probability exp(-n).
func expMinusWhole(w Words, n uint64) bool {
	for range n {
		if !expMinusOne(w) {
			return false
		}
	}
	return true
}

// inverse[k] is 2^64/k, rounded down.
var inverse = [...]uint64{
	2: 1 << 64 / 2, 3: 1 << 64 / 3, 4: 1 << 64 / 4, 5: 1 << 64 / 5, 6: 1 << 64 / 6, 7: 1 << 64 / 7, 8: 1 << 64 / 8,
}

// belowInverse returns true with probability 1/k, k >= 2.
func belowInverse(w Words, k uint64) bool {
	var first uint64
	if k < uint64(len(inverse)) {
		first = inverse[k]
	} else {
		first, _ = bits.Div64(1, 0, k)
	}
	if u := w.Uint64(); u != first {
		return u < first
	}
	return tie(w, first, big.NewInt(1), new(big.Int).SetUint64(k))
}

// tie reports whether the uniform number that starts with the word u is below num/den, in [0, 1). It draws as
// many more words as needed.
func tie(w Words, u uint64, num, den *big.Int) bool {
	rest, digit := new(big.Int).Set(num), new(big.Int)
	for {
		digit.QuoRem(rest.Lsh(rest, 64), den, rest)
		if d := digit.Uint64(); u != d {
			return u < d
		}
		if rest.Sign() == 0 {
			return false // the rest of the uniform number is at least 0
		}
		u = w.Uint64()
	}
}
