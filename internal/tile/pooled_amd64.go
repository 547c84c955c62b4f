package tile

// HasPool reports whether this processor has vector instructions for Pool. Without them Terms of each map is faster.
func HasPool() bool { return haveTile512 }

// poolVector computes Pooling.plain by vector instructions. It reports false if this processor has none.
func poolVector(p *Pooling, w *Windows, begin *[8]float64, weights []float64, offsets []int) bool {
	if haveTile512 {
		pool512(&p.Largest[0], &p.Corner[0], &w.X[0], w.Lower, w.Step, &begin[0], &weights[0], &offsets[0], len(offsets))
	}
	return haveTile512
}

// pool512 computes Pooling.plain. There must be terms.
//
//go:noescape
func pool512(of *float64, which *uint8, x *float64, lower, step int, begin, weights *float64, offsets *int, terms int)
