package tile

// A Window says where TermRows finds rows: row r begins at r*Stride.
type Window struct {
	Data   []float64
	Stride int
}

// TermRows adds Terms to each of rows rows of dst, width numbers each, with the same bits. The terms of row r come from row r
// of x: weights[j] times the numbers that begin offsets[j] behind the begin of the row. A picture's windows times their slopes
// thus add up to the slopes in a kernel. Every row of x must reach width beyond every offset.
func TermRows(dst, x Window, rows, width int, weights []float64, offsets []int) {
	if len(weights) != len(offsets) {
		panic("TermRows: as many weights as offsets")
	}
	if rows <= 0 || width <= 0 || len(weights) == 0 {
		return
	}
	last := x.Data[(rows-1)*x.Stride:]
	for _, at := range offsets {
		if at < 0 || at+width > len(last) {
			panic("TermRows: an offset beyond x")
		}
	}
	if dst.Stride < width || x.Stride < 0 || (rows-1)*dst.Stride+width > len(dst.Data) {
		panic("TermRows: rows beyond dst, or in each other's way")
	}
	if termRowsVector(dst, x, rows, width, weights, offsets) {
		return
	}
	for r := range rows {
		Terms(dst.Data[r*dst.Stride:][:width], x.Data[r*x.Stride:], weights, offsets)
	}
}
