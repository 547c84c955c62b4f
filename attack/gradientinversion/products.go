package gradientinversion

import (
	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/internal/tile"
)

// strip is how many rows of a product are worked out at once.
const strip = 8 * tile.Width

// columns are those of a matrix, as they meet in a product.
func columns(m *mat.Dense) tile.Factor {
	raw := m.RawMatrix()
	return tile.Factor{Data: raw.Data, Row: raw.Stride, Column: 1}
}

// rows are those of a matrix, as they meet in a product.
func rows(m *mat.Dense) tile.Factor {
	raw := m.RawMatrix()
	return tile.Factor{Data: raw.Data, Row: 1, Column: raw.Stride}
}

// addProduct adds to dst the products of a with b, of so many numbers each; the same bits for any number of workers. Of
// a product that is symmetric only what is right of the diagonal needs to be right.
func addProduct(dst *mat.Dense, a, b tile.Factor, length int, symmetric bool, workers int) {
	m, n := dst.Dims()
	raw := dst.RawMatrix()
	parallel.Each((m+strip-1)/strip, workers, func(k int) {
		var p tile.Product
		from := k * strip
		left, right, at := a, b, 0
		left.Data = a.Data[from*a.Column:]
		if symmetric {
			right.Data, at = b.Data[from*b.Column:], from
		}
		p.Add(raw.Data[from*raw.Stride+at:], raw.Stride, left, right, length, min(strip, m-from), n-at)
	})
}
