//go:build !amd64

package tile

// HasPool reports whether this processor has vector instructions for Pool. Without them Terms of each map is faster.
func HasPool() bool { return false }

func poolVector(*Pooling, *Windows, *[8]float64, []float64, []int) bool { return false }
