//go:build !amd64

package linalg

func crossVector(*tile, []float64, []float64) bool { return false }

func minusVector([]float64, []float64, *tile) int { return 0 }
