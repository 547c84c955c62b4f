package sparse

// ThreeTermPlain is ThreeTerm without the vector kernels.
func (m *Matrix) ThreeTermPlain(dst, x []float64, cols, lo, hi int, a, b, c float64) {
	m.threeTermFrom(0, dst, x, cols, lo, hi, a, b, c)
}

// Widths are those that this processor has kernels for, and 0.
func Widths() []int {
	var widths []int
	for _, width := range []int{0, 4, 8} {
		if width <= widest {
			widths = append(widths, width)
		}
	}
	return widths
}

// ThreeTermOfWidth is ThreeTerm with the kernels of one width.
func (m *Matrix) ThreeTermOfWidth(width int, dst, x []float64, cols int, a, b, c float64) {
	first := m.vectorColumns(width, dst, x, cols, 0, m.N, a, b, c)
	m.threeTermFrom(first, dst, x, cols, 0, m.N, a, b, c)
}

// Waits is what a product waits for.
func (m *Matrix) Waits() float64 { return m.waits() }

// Waits is what a product waits for.
func (l *Layout) Waits() float64 { return l.placed.waits() }
