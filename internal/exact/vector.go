package exact

import "math/bits"

// between is the number of products of 61-bit numbers that are added before a reduction: 64 of them fill 128 bits.
const between = 32

// dot returns the inner product of two vectors of reduced entries.
func (f Field) dot(x, y []uint64) uint64 {
	if f.exponent == 31 {
		return f.dotShort(x, y)
	}
	sum := uint64(0)
	for len(x) > 0 {
		count := min(between, len(x))
		var high, low, carry uint64
		for i, v := range x[:count] {
			h, l := bits.Mul64(v, y[i])
			low, carry = bits.Add64(low, l, 0)
			high += h + carry
		}
		// 2^64 is 8.
		sum = f.Add(sum, f.Add(f.Mul(f.reduce(high), 8), f.reduce(low)))
		x, y = x[count:], y[count:]
	}
	return sum
}

func (f Field) dotShort(x, y []uint64) uint64 {
	const prime = 1<<31 - 1
	sum := uint64(0)
	for i, v := range x {
		sum += v * y[i]
		sum = sum&prime + sum>>31
	}
	return f.reduce(sum)
}

// axpy adds a x to dst, all of reduced entries.
func (f Field) axpy(dst []uint64, a uint64, x []uint64) {
	switch {
	case a == 0:
	case f.exponent == 31:
		f.axpyShort(dst, a, x)
	default:
		const prime = 1<<61 - 1
		for i, v := range x {
			high, low := bits.Mul64(a, v)
			sum := dst[i] + low&prime + (low>>61 | high<<3)
			sum = sum&prime + sum>>61
			if sum >= prime {
				sum -= prime
			}
			dst[i] = sum
		}
	}
}

func (f Field) axpyShort(dst []uint64, a uint64, x []uint64) {
	for i, v := range x {
		dst[i] = f.reduce(dst[i] + a*v)
	}
}
