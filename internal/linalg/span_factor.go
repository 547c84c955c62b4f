package linalg

import "math"

// A factor is the Cholesky factor R of a Gram matrix with its rows and columns
// taken in order of falling pivots, up to rank: gram[order][order] = R'R.
type factor struct {
	rank   int
	order  []int
	pivots []float64 // squares of the diagonal of R
	r      tile      // upper triangular
}

// factorise takes pivots from the first count rows and columns of a Gram
// matrix, the largest first, while they exceed least.
func factorise(gram *tile, count int, least float64) factor {
	f := factor{order: make([]int, count)}
	left := *gram
	for k := range f.order {
		f.order[k] = k
	}
	for j := range count {
		best := j
		for k := j; k < count; k++ {
			if left[f.order[k]*(strip+1)] > left[f.order[best]*(strip+1)] {
				best = k
			}
		}
		pivot := left[f.order[best]*(strip+1)]
		if !(pivot > least) {
			break
		}
		f.exchange(j, best)
		f.eliminate(&left, j, pivot)
	}
	return f
}

// exchange swaps two places in the order and what R has in them already.
func (f *factor) exchange(j, k int) {
	f.order[j], f.order[k] = f.order[k], f.order[j]
	for row := range f.rank {
		f.r[row*strip+j], f.r[row*strip+k] = f.r[row*strip+k], f.r[row*strip+j]
	}
}

// eliminate writes row j of R and takes it out of what is left.
func (f *factor) eliminate(left *tile, j int, pivot float64) {
	root := math.Sqrt(pivot)
	f.pivots = append(f.pivots, pivot)
	f.rank++
	for k := j; k < len(f.order); k++ {
		f.r[j*strip+k] = left[f.order[j]*strip+f.order[k]] / root
	}
	f.r[j*strip+j] = root
	for a := j + 1; a < len(f.order); a++ {
		for b := j + 1; b < len(f.order); b++ {
			left[f.order[a]*strip+f.order[b]] -= float64(f.r[j*strip+a] * f.r[j*strip+b])
		}
	}
}

// inverse is the tile M such that subtracting candidates*M from 0 gives the
// chosen candidates times the inverse of R: minus R^-1, its rows put back in
// the candidates' order.
func (f *factor) inverse() tile {
	var result tile
	for column := range f.rank {
		var x [strip]float64 // solves R x = e_column from below
		for row := column; row >= 0; row-- {
			sum := 0.0
			if row == column {
				sum = 1
			}
			for k := row + 1; k <= column; k++ {
				sum -= float64(f.r[row*strip+k] * x[k])
			}
			x[row] = sum / f.r[row*strip+row]
		}
		for row := range f.rank {
			result[f.order[row]*strip+column] = -x[row]
		}
	}
	return result
}
