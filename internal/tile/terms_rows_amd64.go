package tile

// rowsAtOnce is the number of rows that termRows512 takes.
const rowsAtOnce = 5

// termRowsVector computes TermRows by vector instructions and reports whether this processor has them.
func termRowsVector(dst, x Window, rows, width int, weights []float64, offsets []int) bool {
	if !haveTile512 || rows == 1 && width >= Width {
		return false
	}
	for r := 0; r < rows; r += rowsAtOnce {
		termRows512(&dst.Data[r*dst.Stride], &x.Data[r*x.Stride], &weights[0], &offsets[0], len(weights), dst.Stride, x.Stride, min(rowsAtOnce, rows-r), width)
	}
	return true
}

// termRows512 computes TermRows for at most rowsAtOnce rows. There must be terms.
//
//go:noescape
func termRows512(dst, x, weights *float64, offsets *int, terms, stride, from, rows, width int)
