//go:build !amd64

package math

func logisticVector(_, _, _ []float64, from int, _, _ float64) int { return from }
