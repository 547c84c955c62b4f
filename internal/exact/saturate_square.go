package exact

import (
	"github.com/hearsay-dp/hearsay/internal/tile"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A square is a square matrix of small residues.
type square struct {
	width  int
	values []float64
}

func newSquare(width int) *square { return &square{width, make([]float64, width*width)} }

func (s *square) row(i int) []float64     { return s.values[i*s.width : (i+1)*s.width] }
func (s *square) set(i, j int, x float64) { s.values[i*s.width+j] = x }
func (s *square) part(i, j, a int) []float64 {
	return s.row(i*tile.Width + a)[j*tile.Width : (j+1)*tile.Width]
}
func (s *square) get(i, j int, t *tile.Tile) {
	for a := range tile.Width {
		copy(t[a*tile.Width:(a+1)*tile.Width], s.part(i, j, a))
	}
}

// put sets a tile, and its transpose on the other side of the diagonal.
func (s *square) put(i, j int, t *tile.Tile) {
	for a := range tile.Width {
		for b := range tile.Width {
			x := nearest(t[a*tile.Width+b])
			s.set(i*tile.Width+a, j*tile.Width+b, x)
			s.set(j*tile.Width+b, i*tile.Width+a, x)
		}
	}
}

// times returns the product.
func (s *square) times(o *square) *square {
	p := newSquare(s.width)
	for i := range s.width {
		row := p.row(i)
		for k, x := range s.row(i) {
			if x != 0 {
				sparse.Axpy(row, x, o.row(k)) // sums of width such terms are exact
			}
		}
		small.Reduce(row)
	}
	return p
}

// invert returns indices whose rows and columns form a regular submatrix, and its inverse, 0 elsewhere. It eliminates with
// pivots on the diagonal of a symmetric matrix, and stops when these are all 0.
func (s *square) invert() (kept []bool, inverse *square) {
	work := &square{s.width, append([]float64(nil), s.values...)}
	kept = make([]bool, s.width)
	for {
		pivot := -1
		for k := range kept {
			if !kept[k] && work.row(k)[k] != 0 {
				pivot = k
				break
			}
		}
		if pivot < 0 {
			return kept, work.negated(kept)
		}
		kept[pivot] = true
		work.sweep(pivot)
	}
}

// sweep exchanges an index of a symmetric matrix between argument and result.
// After some sweeps, the block of the swept indices is minus its former inverse.
func (s *square) sweep(k int) {
	row := append([]float64(nil), s.row(k)...)
	d := smallInverse(int64(row[k]))
	factor := make([]float64, s.width)
	sparse.Axpy(factor, nearest(float64(d)), row)
	small.Reduce(factor)
	for i := range s.width {
		if i == k || row[i] == 0 {
			continue
		}
		at := s.row(i)
		sparse.Axpy(at, -row[i], factor)
		small.Reduce(at)
	}
	for j, f := range factor {
		s.set(k, j, f)
		s.set(j, k, f)
	}
	s.set(k, k, nearest(float64(-d)))
}

// negated returns minus the block of the given indices.
func (s *square) negated(of []bool) *square {
	n := newSquare(s.width)
	for i := range of {
		for j := range of {
			if of[i] && of[j] {
				n.set(i, j, -s.row(i)[j])
			}
		}
	}
	return n
}
