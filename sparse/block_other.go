//go:build !amd64

package sparse

func (m *Matrix) vectorColumns(width int, dst, x []float64, cols, lo, hi int, a, b, c float64) (done int) {
	return 0
}

func (m *Matrix) halfStrip(width int, dst, x []float64, stride, few, lo, hi int, a, b, c float64) {}
