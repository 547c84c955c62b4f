package step

// accepted is acceptedPlain.
func (p *pcg) accepted(dst []float64) int {
	if len(dst) == 0 {
		return 0
	}
	return normals(&dst[0], len(dst), p, &strips)
}

// normals is acceptedPlain of n numbers, at least one. What the compiler makes of that puts the state of the
// generator on the stack in every draw.
//
//go:noescape
func normals(dst *float64, n int, p *pcg, strips *[128]strip) (done int)
