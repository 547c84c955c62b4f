package sparse

// Strip is the number of columns that the vector kernels process at once: two or four accumulators, and a row
// of x is two cache lines.
const Strip = 16

// half is the number of columns of the kernels for few columns: one cache line.
const half = Strip / 2

// A strip of more than far rows does not fit into a cache near the processor. Then together rows at a time go
// through all strips, so that these are read from memory once. Else each strip goes through all rows.
const far, together = 8192, 64

// MulBlock sets dst = m * x for a block of cols vectors stored row-major:
// x[i*cols+c] is entry i of vector c. dst and x must not overlap.
func (m *Matrix) MulBlock(dst, x []float64, cols int) {
	clear(dst)
	m.ThreeTerm(dst, x, cols, 1, 0, 0)
}

// ThreeTerm sets dst = a*(m*x) + b*x + c*dst for a block of cols vectors
// stored as MulBlock does: one step of a three-term recurrence. dst must hold
// finite numbers even when c is 0, and must not overlap x.
func (m *Matrix) ThreeTerm(dst, x []float64, cols int, a, b, c float64) {
	m.ThreeTermRows(dst, x, cols, 0, m.N, a, b, c)
}

// ThreeTermRows does as ThreeTerm for rows lo..hi-1 of dst only. Calls for disjoint rows may run concurrently.
func (m *Matrix) ThreeTermRows(dst, x []float64, cols, lo, hi int, a, b, c float64) {
	if len(dst) != m.N*cols || len(x) != m.N*cols || cols < 1 || lo < 0 || hi > m.N {
		panic("sparse: a block of vectors has the wrong size")
	}
	if lo >= hi {
		return
	}
	if cols == 1 {
		m.oneColumn(dst, x, lo, hi, a, b, c)
		return
	}
	rows := hi - lo
	if cols > Strip && m.N > far {
		rows = together
	}
	for ; lo < hi; lo += rows {
		end := min(lo+rows, hi)
		first := m.vectorColumns(widest, dst, x, cols, lo, end, a, b, c)
		m.threeTermFrom(first, dst, x, cols, lo, end, a, b, c)
	}
}

// MulFirst does as MulBlock for blocks of Strip vectors of which only the first few are not 0. Up to half of
// them take half the time. dst must hold finite numbers, and zeros after the first few.
func (m *Matrix) MulFirst(dst, x []float64, few int) {
	if few > half || widest == 0 || len(m.Values) == 0 {
		m.ThreeTerm(dst, x, Strip, 1, 0, 0)
		return
	}
	if len(dst) != m.N*Strip || len(x) != m.N*Strip {
		panic("sparse: a block of vectors has the wrong size")
	}
	m.halfStrip(widest, dst, x, Strip, half, 0, m.N, 1, 0, 0)
}

// threeTermFrom does as ThreeTermRows on columns first.. in plain Go. It rounds exactly as the vector kernel
// does, because the conversions forbid fusing a product with the sum that follows.
func (m *Matrix) threeTermFrom(first int, dst, x []float64, cols, lo, hi int, a, b, c float64) {
	var buffer [Strip]float64
	for ; first < cols; first += Strip {
		sum := buffer[:min(Strip, cols-first)]
		for i := lo; i < hi; i++ {
			m.rowTimes(sum, i, x[first:], cols)
			at := i*cols + first
			combine(dst[at:at+len(sum)], sum, x[at:at+len(sum)], a, b, c)
		}
	}
}

// oneColumn does as threeTermFrom for a single vector, for which sums fill no register.
func (m *Matrix) oneColumn(dst, x []float64, lo, hi int, a, b, c float64) {
	k := m.Offsets[lo]
	for i := lo; i < hi; i++ {
		sum := 0.0
		for end := m.Offsets[i+1]; k < end; k++ {
			sum += float64(m.Values[k] * x[m.Columns[k]])
		}
		dst[i] = float64(a*sum) + float64(b*x[i]) + float64(c*dst[i])
	}
}

// combine sets dst = a*sum + b*own + c*dst.
func combine(dst, sum, own []float64, a, b, c float64) {
	for k, s := range sum {
		dst[k] = float64(a*s) + float64(b*own[k]) + float64(c*dst[k])
	}
}

// ThreeTermRow computes one row of ThreeTerm, bit for bit, for a caller that has that row only. weights[k]
// belongs to rows[k], in the order of the columns, and own is the row's own entry of x. sum is scratch as long
// as dst.
func ThreeTermRow(dst, sum, weights []float64, rows [][]float64, own []float64, a, b, c float64) {
	clear(sum)
	for k, w := range weights {
		for i, v := range rows[k] {
			sum[i] += float64(w * v)
		}
	}
	combine(dst, sum, own, a, b, c)
}

// rowTimes sets sum to row i of m times the first len(sum) columns of x,
// whose rows are stride apart.
func (m *Matrix) rowTimes(sum []float64, i int, x []float64, stride int) {
	clear(sum)
	columns, values := m.Row(i)
	for k, j := range columns {
		v, in := values[k], x[int(j)*stride:int(j)*stride+len(sum)]
		for c := range sum {
			sum[c] += float64(v * in[c])
		}
	}
}
