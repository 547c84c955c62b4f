package sparse

// ThreeTermPlain is ThreeTerm without the vector kernels.
func (m *Matrix) ThreeTermPlain(dst, x []float64, cols, lo, hi int, a, b, c float64) {
	m.threeTermFrom(0, dst, x, cols, lo, hi, a, b, c)
}
