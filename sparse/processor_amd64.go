package sparse

import "golang.org/x/sys/cpu"

// widest is the number of values in a register for which this processor has kernels: 8 (AVX-512), 4 (AVX2) or
// 0. Kernels of vectors and rows take 4 at a time if there are any.
var widest = func() int {
	switch {
	case !cpu.X86.HasAVX2:
		return 0
	case cpu.X86.HasAVX512F:
		return 8
	}
	return 4
}()
