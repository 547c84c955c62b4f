//go:build !amd64

package tile

func normVector(_, _, _ *Lanes, _ int, _, _ float64) bool { return false }
