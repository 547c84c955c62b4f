package gradientinversion

import (
	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/internal/tile"
)

// strip is the number of rows of a product that are computed at once.
const strip = 8 * tile.Width

// columns returns the columns of a matrix as a factor of a product.
func columns(m *mat.Dense) tile.Factor {
	raw := m.RawMatrix()
	return tile.Factor{Data: raw.Data, Row: raw.Stride, Column: 1}
}

// rows returns the rows of a matrix as a factor of a product.
func rows(m *mat.Dense) tile.Factor {
	raw := m.RawMatrix()
	return tile.Factor{Data: raw.Data, Row: 1, Column: raw.Stride}
}

// addProduct adds to dst the products of a with b, of length numbers each. The result does not depend on workers. If
// the product is symmetric, only the part on and right of the diagonal is valid.
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
