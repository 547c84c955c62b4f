package tile

// termsVector computes Terms on as many of the first numbers of dst as vector instructions take, and returns how many.
func termsVector(dst, x, weights []float64, offsets []int) int {
	if len(weights) == 0 {
		return 0
	}
	done := 0
	if blocks := len(dst) / (4 * Width); haveTile512 && blocks > 0 {
		terms512(&dst[0], &x[0], &weights[0], &offsets[0], len(weights), blocks)
		done = blocks * 4 * Width
	}
	if blocks := (len(dst) - done) / Width; haveTile256 && blocks > 0 {
		terms256(&dst[done], &x[done], &weights[0], &offsets[0], len(weights), blocks)
		done += blocks * Width
	}
	return done
}

// terms512 computes Terms on blocks of 64 numbers.
//
//go:noescape
func terms512(dst, x, weights *float64, offsets *int, terms, blocks int)

// terms256 computes Terms on blocks of 16 numbers.
//
//go:noescape
func terms256(dst, x, weights *float64, offsets *int, terms, blocks int)
