//go:build !amd64

package tile

func crossVector(*Tile, []float64, []float64) bool { return false }

func minusVector([]float64, []float64, *Tile) int { return 0 }
