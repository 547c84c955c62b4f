package tile

// A Factor is a matrix whose columns meet in a product: entry i of column a is
// Data[i*Row+a*Column].
type Factor struct {
	Data        []float64
	Row, Column int
}

// A Product multiplies dense matrices tile by tile. It owns only scratch memory
// and must not be shared between goroutines.
type Product struct{ left, right []float64 }

// depth is the number of rows that are summed at once. Panels of both factors then fit into a second-level cache.
const depth = 512

// Add adds a'b to dst, whose entry (i, j) is dst[i*stride+j]. rows is the common length of the columns; a has m columns and b
// has n. The sums are fused and in the order of rows, depth at a time, with the same bits on every processor.
func (p *Product) Add(dst []float64, stride int, a, b Factor, rows, m, n int) {
	panels := (n + Width - 1) / Width
	p.left = grown(p.left, depth*Width)
	p.right = grown(p.right, panels*depth*Width)
	var sums Tile
	for first := 0; first < rows; first += depth {
		some := min(depth, rows-first)
		size := some * Width
		for k := range panels {
			b.pack(p.right[k*size:(k+1)*size], first, k*Width, n)
		}
		for i := 0; i < m; i += Width {
			a.pack(p.left[:size], first, i, m)
			for k := range panels {
				Cross(&sums, p.left[:size], p.right[k*size:(k+1)*size])
				spread(dst, stride, &sums, i, k*Width, m, n)
			}
		}
	}
}

// spread adds a tile to dst from (i, j) on, up to row m and column n.
func spread(dst []float64, stride int, sums *Tile, i, j, m, n int) {
	wide := min(Width, n-j)
	for a := range min(Width, m-i) {
		row := dst[(i+a)*stride+j:][:wide]
		for b := range row {
			row[b] += sums[a*Width+b]
		}
	}
}

// pack fills a panel with the columns from column on, up to count, and with zeros.
func (f Factor) pack(panel []float64, row, column, count int) {
	wide := min(Width, count-column)
	if wide < Width {
		clear(panel)
	}
	if f.Column == 1 {
		for i := 0; i < len(panel); i += Width {
			copy(panel[i:i+wide], f.Data[(row+i/Width)*f.Row+column:])
		}
		return
	}
	for a := range wide {
		at := row*f.Row + (column+a)*f.Column
		for i := a; i < len(panel); i += Width {
			panel[i] = f.Data[at]
			at += f.Row
		}
	}
}

// grown returns a slice of n numbers. It returns s itself if that is long enough.
func grown(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}
