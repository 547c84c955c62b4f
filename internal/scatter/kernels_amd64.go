package scatter

import "golang.org/x/sys/cpu"

// These report the vectors that this processor offers: of all lanes, or of half of them.
var (
	have512 = cpu.X86.HasAVX512F
	have256 = cpu.X86.HasAVX2 && cpu.X86.HasFMA
)

// The vector kernels do the same as those of kernels.go, and report false if this processor has none. Those of 256 bits take
// one half of the lanes, and then the other.

func dftVector(x []float64, count, step, stride, size int, cos, sin, scratch []float64) bool {
	sines := &cos[0] // of size 2 there are none
	if len(sin) > 0 {
		sines = &sin[0]
	}
	switch {
	case have512:
		dft512(&x[0], count, step*point*8, stride*point*8, size, &cos[0], sines, &scratch[0])
	case have256:
		dft256(&x[0], count, step*point*8, stride*point*8, size, &cos[0], sines, &scratch[0])
		dft256(&x[lanes/2], count, step*point*8, stride*point*8, size, &cos[0], sines, &scratch[0])
	default:
		return false
	}
	return true
}

func scaleVector(dst, src, factors []float64) bool {
	switch {
	case have512:
		scale512(&dst[0], &src[0], &factors[0], len(dst)/point)
	case have256:
		scale256(&dst[0], &src[0], &factors[0], len(dst)/point)
		scale256(&dst[lanes/2], &src[lanes/2], &factors[0], len(dst)/point)
	default:
		return false
	}
	return true
}

func moduliVector(x []float64, count, stride int) bool {
	switch {
	case have512:
		moduli512(&x[0], count, stride*point*8)
	case have256:
		moduli256(&x[0], count, stride*point*8)
		moduli256(&x[lanes/2], count, stride*point*8)
	default:
		return false
	}
	return true
}

func mixVector(dst []float64, apart int, src []float64, stride, depth int, s *smoothing) bool {
	switch {
	case have512:
		mix512(&dst[0], apart*lanes*8, &src[0], stride*8, depth, &s.weights[0], s.blocks)
	case have256:
		mix256(&dst[0], apart*lanes*8, &src[0], stride*8, depth, &s.weights[0], s.blocks)
		mix256(&dst[lanes/2], apart*lanes*8, &src[lanes/2], stride*8, depth, &s.weights[0], s.blocks)
	default:
		return false
	}
	return true
}

// Distances of the kernels are bytes.

//go:noescape
func dft512(x *float64, count, step, stride, size int, cos, sin, scratch *float64)

//go:noescape
func dft256(x *float64, count, step, stride, size int, cos, sin, scratch *float64)

//go:noescape
func scale512(dst, src, factors *float64, count int)

//go:noescape
func scale256(dst, src, factors *float64, count int)

//go:noescape
func moduli512(x *float64, count, stride int)

//go:noescape
func moduli256(x *float64, count, stride int)

//go:noescape
func mix512(dst *float64, apart int, src *float64, stride, depth int, weights *float64, blocks int)

//go:noescape
func mix256(dst *float64, apart int, src *float64, stride, depth int, weights *float64, blocks int)
