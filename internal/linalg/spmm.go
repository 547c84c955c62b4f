package linalg

// strip is how many columns the vector kernel takes at once: four 256-bit
// accumulators, and a row of x is two cache lines.
const strip = 16

// MulBlock sets dst = m * x for a block of cols vectors stored row-major:
// x[i*cols+c] is entry i of vector c. dst and x must not overlap.
func (m *Sparse) MulBlock(dst, x []float64, cols int) {
	clear(dst)
	m.ThreeTerm(dst, x, cols, 1, 0, 0)
}

// ThreeTerm sets dst = a*(m*x) + b*x + c*dst for a block of cols vectors
// stored as MulBlock does: one step of a three-term recurrence. dst must hold
// finite numbers even when c is 0, and must not overlap x.
func (m *Sparse) ThreeTerm(dst, x []float64, cols int, a, b, c float64) {
	if len(dst) != m.N*cols || len(x) != m.N*cols || cols < 1 {
		panic("linalg: a block of vectors has the wrong size")
	}
	if m.N == 0 {
		return
	}
	first := 0
	if haveVector && len(m.Values) > 0 {
		for ; first+strip <= cols; first += strip {
			threeTermVector(&dst[first], &x[first], cols, &m.Offsets[0], &m.Columns[0], &m.Values[0], m.N, a, b, c)
		}
	}
	m.threeTermFrom(first, dst, x, cols, a, b, c)
}

// threeTermFrom is ThreeTerm on columns first.. in plain Go. It rounds exactly
// as the vector kernel does: the conversions forbid fusing a product with the
// sum that follows.
func (m *Sparse) threeTermFrom(first int, dst, x []float64, cols int, a, b, c float64) {
	var buffer [strip]float64
	for ; first < cols; first += strip {
		sum := buffer[:min(strip, cols-first)]
		for i := range m.N {
			m.rowTimes(sum, i, x[first:], cols)
			at := i*cols + first
			out, in := dst[at:at+len(sum)], x[at:at+len(sum)]
			for k, s := range sum {
				out[k] = float64(a*s) + float64(b*in[k]) + float64(c*out[k])
			}
		}
	}
}

// rowTimes sets sum to row i of m times the first len(sum) columns of x,
// whose rows are stride apart.
func (m *Sparse) rowTimes(sum []float64, i int, x []float64, stride int) {
	clear(sum)
	columns, values := m.Row(i)
	for k, j := range columns {
		v, in := values[k], x[int(j)*stride:int(j)*stride+len(sum)]
		for c := range sum {
			sum[c] += float64(v * in[c])
		}
	}
}
