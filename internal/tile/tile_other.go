//go:build !amd64

package tile

func crossVector(*Tile, []float64, []float64, int) bool { return false }

func minusVector([]float64, []float64, *Tile, int, int, []float64) int { return 0 }
