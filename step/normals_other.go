//go:build !amd64

package step

func (p *pcg) accepted(dst []float64) int { return p.acceptedPlain(dst) }
