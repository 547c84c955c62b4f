//go:build !amd64

package scatter

func dftVector([]float64, int, int, int, int, []float64, []float64, []float64) bool { return false }

func scaleVector(dst, src, factors []float64) bool { return false }

func moduliVector([]float64, int, int) bool { return false }

func mixVector([]float64, int, []float64, int, int, *smoothing) bool { return false }
