//go:build !amd64

package portable

func logisticVector(_, _, _ []float64, from int, _, _ float64) int { return from }
