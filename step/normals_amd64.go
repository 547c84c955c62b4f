package step

// accepted computes acceptedPlain.
func (p *pcg) accepted(dst []float64) int {
	if len(dst) == 0 {
		return 0
	}
	return normals(&dst[0], len(dst), p, &strips)
}

// normals computes acceptedPlain for n numbers, at least one. Compiled Go code would spill the state of the
// generator to the stack in every draw.
//
//go:noescape
func normals(dst *float64, n int, p *pcg, strips *[128]strip) (done int)
