package exact

import (
	"github.com/hearsay-dp/hearsay/internal/tile"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A rank modulo a prime never exceeds the true one. One prime is therefore enough to prove that a Krylov space is as large as
// it can be. A small prime allows floating point: entries are whole numbers of at most half the prime in size, and sums of up
// to 512 of their products are exact.
const (
	smallPrime  = 1<<23 - 15
	exactSums   = 256 // products added before they are reduced
	mostColumns = 8 * tile.Width
)

// Small returns the matrix modulo a prime of 23 bits, each entry the residue nearest to 0. It returns nil if a row is too long
// for exact sums.
func (r *Fractions) Small() *sparse.Matrix {
	m := &sparse.Matrix{N: r.m.N, Offsets: r.m.Offsets, Columns: r.m.Columns, Values: make([]float64, len(r.numerators))}
	inverses := map[int64]int64{}
	for i := range m.N {
		lo, hi := m.Offsets[i], m.Offsets[i+1]
		if hi-lo > exactSums {
			return nil
		}
		diagonal, rest := lo, int64(1)
		for at := lo; at < hi; at++ {
			if int(m.Columns[at]) == i {
				diagonal = at
				continue
			}
			d := r.denominators[at] // at most 2^20, so not 0 in the field
			if inverses[d] == 0 {
				inverses[d] = smallInverse(d)
			}
			value := r.numerators[at] % smallPrime * inverses[d] % smallPrime
			m.Values[at], rest = nearest(float64(value)), rest-value
		}
		m.Values[diagonal] = nearest(float64(rest % smallPrime))
	}
	return m
}

// smallInverse returns 1/a between 1-p and p-1. a must not be a multiple of the prime.
func smallInverse(a int64) int64 {
	result := int64(1)
	a %= smallPrime
	for power := smallPrime - 2; power > 0; power >>= 1 {
		if power&1 == 1 {
			result = result * a % smallPrime
		}
		a = a * a % smallPrime
	}
	return result
}

// small reduces to the residue nearest 0.
var small = tile.NewModulus(smallPrime)

// nearest reduces a whole number below 2^53 in size.
func nearest(x float64) float64 { return small.Nearest(x) }

// KrylovRank bounds from below the rank over the rational numbers of
//
//	span{ M^t e_w : w in starts, t < steps },
//
// where M is symmetric and m is its Small. It stops at enough. The result is below the rank if the prime is unlucky, or if
// steps times about as many directions as starts is below enough. It costs some enough (3 n b + entries) multiplications, where
// b is the number of columns of a block.
//
// This is the block Lanczos recurrence in exact arithmetic: blocks V_i, each in
// the space, with V_i'V_j = 0 and G_i = V_i'V_i. The sum of the ranks of G_i is
// at most that of all blocks together: if sum V_i c_i = 0, then G_i c_i = 0 for
// every i.
func KrylovRank(m *sparse.Matrix, starts []int, steps, enough int) int {
	if steps < 1 || len(starts) == 0 {
		return 0
	}
	columns := (enough + steps - 1) / steps
	columns = min((columns+tile.Width)/tile.Width*tile.Width, mostColumns)
	columns = min((len(starts)+tile.Half-1)/tile.Half*tile.Half, columns)
	return min(newSmallLanczos(m, starts, columns).grow(steps, enough), enough)
}

// KrylovDimension returns the rank of the same space modulo the small prime. It is the rank over the rational numbers, or less
// if the prime is unlucky. It reports false for more starts than a block has columns.
func KrylovDimension(m *sparse.Matrix, starts []int, steps int) (rank int, ok bool) {
	if steps < 1 || len(starts) == 0 {
		return 0, true
	}
	if len(starts) > mostColumns {
		return 0, false
	}
	columns := (len(starts) + tile.Half - 1) / tile.Half * tile.Half
	return newSmallLanczos(m, starts, columns).grow(steps, m.N), true
}

// grow makes at most steps blocks until there are enough directions, and returns the number of directions.
func (l *smallLanczos) grow(steps, enough int) int {
	for range steps {
		if !l.orthogonal() || l.rank >= enough {
			break
		}
		l.next()
	}
	return l.rank
}
