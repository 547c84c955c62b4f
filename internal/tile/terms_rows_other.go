//go:build !amd64

package tile

func termRowsVector(_, _ Window, _, _ int, _ []float64, _ []int) bool { return false }
