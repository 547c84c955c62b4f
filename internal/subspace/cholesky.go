package subspace

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/tile"
)

// A factor is the Cholesky factor R of a Gram matrix, whose rows and columns are in order of falling pivots, up to rank:
// gram[order][order] = R'R.
type factor struct {
	rank   int
	order  []int
	pivots []float64 // squares of the diagonal of R
	r      tile.Tile // upper triangular
}

// upTo lists 0 to count-1.
func upTo(count int) []int {
	list := make([]int, count)
	for k := range list {
		list[k] = k
	}
	return list
}

// factorise takes pivots from the listed rows and columns of a Gram
// matrix, the largest first, while they exceed least.
func factorise(gram *tile.Tile, listed []int, least float64) factor {
	f := factor{order: listed}
	left := *gram
	for j := range f.order {
		best := j
		for k := j; k < len(f.order); k++ {
			if left[f.order[k]*(tile.Width+1)] > left[f.order[best]*(tile.Width+1)] {
				best = k
			}
		}
		pivot := left[f.order[best]*(tile.Width+1)]
		if !(pivot > least) {
			break
		}
		f.exchange(j, best)
		f.eliminate(&left, j, pivot)
	}
	return f
}

// exchange swaps two places in the order, and their entries in R.
func (f *factor) exchange(j, k int) {
	f.order[j], f.order[k] = f.order[k], f.order[j]
	for row := range f.rank {
		f.r[row*tile.Width+j], f.r[row*tile.Width+k] = f.r[row*tile.Width+k], f.r[row*tile.Width+j]
	}
}

// eliminate writes row j of R and subtracts its part from the rest.
func (f *factor) eliminate(left *tile.Tile, j int, pivot float64) {
	root := math.Sqrt(pivot)
	f.pivots = append(f.pivots, pivot)
	f.rank++
	for k := j; k < len(f.order); k++ {
		f.r[j*tile.Width+k] = left[f.order[j]*tile.Width+f.order[k]] / root
	}
	f.r[j*tile.Width+j] = root
	for a := j + 1; a < len(f.order); a++ {
		for b := j + 1; b < len(f.order); b++ {
			left[f.order[a]*tile.Width+f.order[b]] -= float64(f.r[j*tile.Width+a] * f.r[j*tile.Width+b])
		}
	}
}

// inverse returns minus R^-1, with its rows in the candidates' order and divided by their lengths if any are given. Subtracting
// candidates times the result from 0 gives the chosen candidates times the inverse of R.
func (f *factor) inverse(lengths *[tile.Width]float64) tile.Tile {
	var result tile.Tile
	for column := range f.rank {
		var x [tile.Width]float64 // solves R x = e_column from below
		for row := column; row >= 0; row-- {
			sum := 0.0
			if row == column {
				sum = 1
			}
			for k := row + 1; k <= column; k++ {
				sum -= float64(f.r[row*tile.Width+k] * x[k])
			}
			x[row] = sum / f.r[row*tile.Width+row]
		}
		for row := range f.rank {
			if result[f.order[row]*tile.Width+column] = -x[row]; lengths != nil {
				result[f.order[row]*tile.Width+column] /= lengths[f.order[row]]
			}
		}
	}
	return result
}
