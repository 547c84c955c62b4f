package sparse

// vectorColumns does as ThreeTermRows on the first columns, as many as there is a kernel of that width for, and
// returns their number.
func (m *Matrix) vectorColumns(width int, dst, x []float64, cols, lo, hi int, a, b, c float64) (done int) {
	if width == 0 || len(m.Values) == 0 {
		return 0
	}
	for ; done+Strip <= cols; done += Strip {
		at := lo*cols + done
		if width == 8 {
			threeTerm512(&dst[at], &x[done], &x[at], cols, &m.Offsets[lo], &m.Columns[0], &m.Values[0], hi-lo, a, b, c)
		} else {
			threeTermVector(&dst[at], &x[done], &x[at], cols, &m.Offsets[lo], &m.Columns[0], &m.Values[0], hi-lo, a, b, c)
		}
	}
	for ; done < cols && (width == 8 || done+half <= cols); done += half {
		m.halfStrip(width, dst[done:], x[done:], cols, min(half, cols-done), lo, hi, a, b, c)
	}
	return min(done, cols)
}

// halfStrip does as vectorColumns on the first few columns of dst and x: half, or fewer at width 8. For the
// last rows there is nothing to prefetch.
func (m *Matrix) halfStrip(width int, dst, x []float64, stride, few, lo, hi int, a, b, c float64) {
	for ahead := fetched; lo < hi; ahead = 0 {
		end := hi
		for ahead > 0 && end > lo && m.Offsets[end]+ahead > len(m.Columns) {
			end--
		}
		if end > lo {
			at := lo * stride
			if width == 8 {
				threeTerm512Few(&dst[at], &x[0], &x[at], stride, &m.Offsets[lo], &m.Columns[0], &m.Values[0], end-lo, ahead, a, b, c, 1<<few-1)
			} else {
				threeTermVector8(&dst[at], &x[0], &x[at], stride, &m.Offsets[lo], &m.Columns[0], &m.Values[0], end-lo, ahead, a, b, c)
			}
		}
		lo = end
	}
}

// fetched is the number of entries ahead for which rows of x are prefetched. With few columns and rows far
// apart in memory, waiting for them dominates the time.
const fetched = 40

// threeTermVector computes ThreeTerm on the 16 columns that start at dst and x, whose rows are stride numbers
// apart, for rows rows of dst and offsets. own is the first of these rows in x. It multiplies, rounds, then
// adds.
//
//go:noescape
func threeTermVector(dst, x, own *float64, stride int, offsets *int, columns *int32, values *float64, rows int, a, b, c float64)

// threeTermVector8 does as threeTermVector on 8 columns. It prefetches rows of x ahead entries ahead, which
// must exist.
//
//go:noescape
func threeTermVector8(dst, x, own *float64, stride int, offsets *int, columns *int32, values *float64, rows, ahead int, a, b, c float64)

// threeTerm512 does as threeTermVector with registers of eight numbers.
//
//go:noescape
func threeTerm512(dst, x, own *float64, stride int, offsets *int, columns *int32, values *float64, rows int, a, b, c float64)

// threeTerm512Few does as threeTermVector8 with registers of eight numbers, on those columns only whose bits
// are set in mask.
//
//go:noescape
func threeTerm512Few(dst, x, own *float64, stride int, offsets *int, columns *int32, values *float64, rows, ahead int, a, b, c float64, mask uint64)
