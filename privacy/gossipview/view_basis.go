package gossipview

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Basis returns an orthonormal basis of the view, Rank vectors of one weight a node. Exact unit vectors of
// single nodes or cells come first, and no other vector has any weight there. It is an error unless the view
// was decided, in exact arithmetic or by a wide margin.
func (v *View) Basis() ([][]float64, error) {
	if v.certainty != Confirmed && v.certainty != Clear {
		return nil, fault.New(fmt.Sprintf("the view is %s: which space it is was not decided", v.certainty),
			"take fewer steps, a smaller graph or another observer")
	}
	var basis [][]float64
	single := make([]bool, len(v.cells.Size))
	for _, cell := range v.units {
		unit := make([]float64, len(v.cells.Size))
		unit[cell], single[cell] = 1, true
		basis = append(basis, v.onNodes(unit))
	}
	var others []int
	for cell, known := range single {
		if !known {
			others = append(others, cell)
		}
	}
	for _, column := range v.factor(others, v.rank-len(v.units)) {
		basis = append(basis, v.onNodes(column))
	}
	return basis, nil
}

// onNodes converts coefficients of the unit vectors of cells into weights of nodes.
func (v *View) onNodes(cells []float64) []float64 {
	x := make([]float64, v.n)
	for u := range x {
		cell := v.cells.Of[u]
		x[u] = cells[cell] / math.Sqrt(float64(v.cells.Size[cell]))
	}
	return x
}

// factor returns a basis of the range of P on some cells that P maps to themselves, of known rank. It returns
// the columns of L in P = L L', by Cholesky with the largest pivot first. They are orthonormal, because P is a
// projector.
func (v *View) factor(cells []int, rank int) [][]float64 {
	rest := make([]float64, len(v.cells.Size)) // the diagonal of P - L L'
	for _, i := range cells {
		rest[i] = v.space.Product(i, i)
	}
	var columns [][]float64
	for range rank {
		pivot := largest(rest)
		column := make([]float64, len(rest))
		for _, i := range cells {
			column[i] = v.space.Product(i, pivot)
		}
		for _, earlier := range columns {
			sparse.Axpy(column, -earlier[pivot], earlier)
		}
		scale := 1 / math.Sqrt(rest[pivot])
		for _, i := range cells {
			column[i] *= scale
			rest[i] -= float64(column[i] * column[i])
		}
		columns = append(columns, column)
	}
	return columns
}

// largest returns the index of the largest entry.
func largest(x []float64) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}
