package flow

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/sparse"
)

// A drawn is a random small run: weights that change or not, symmetric or not,
// entries of weight 0, messages overheard, rounds without contribution, falling
// or growing steps, expanding and contracting updates, uneven noise, some of
// it missing, coalitions, a public end.
type drawn struct {
	Problem
	u         int
	coalition []int
}

func draw(r *rand.Rand) drawn {
	n, rounds := 2+r.IntN(6), 1+r.IntN(7)
	d := drawn{Problem: Problem{Rounds: rounds, Final: r.IntN(4) == 0}}
	weights := []func(*rand.Rand, int) *sparse.Matrix{drawWeights, drawGraph, drawMatching}[r.IntN(3)]
	for range 1 + r.IntN(2)*(rounds-1) {
		d.Weights = append(d.Weights, weights(r, n))
	}
	if r.IntN(4) == 0 {
		d.Hears = []*sparse.Matrix{drawWeights(r, n)}
	}
	some := func(values func() float64) []float64 {
		if r.IntN(2) == 0 {
			return nil
		}
		list := make([]float64, rounds)
		for t := range list {
			list[t] = values()
		}
		return list
	}
	d.Contributions = ByRound(some(func() float64 { return float64(r.IntN(3)) * r.Float64() }))
	d.Steps = some(func() float64 { return 0.2 + r.Float64() })
	if r.IntN(2) == 0 {
		slices.SortFunc(d.Steps, func(x, y float64) int { return cmp.Compare(y, x) })
	}
	d.Lipschitz = drawTable(r, rounds, n, func() float64 { return []float64{1, 0, r.Float64(), 0.8 + 0.5*r.Float64()}[r.IntN(4)] })
	noiseless := r.IntN(4) == 0
	d.Noise = drawTable(r, rounds, n, func() float64 {
		if noiseless && r.IntN(3) == 0 {
			return 0
		}
		return 0.3 + r.Float64()
	})
	nodes := r.Perm(n)
	d.u, d.coalition = nodes[0], nodes[1:2+r.IntN(min(2, n-1))]
	if r.IntN(3) == 0 { // of every node its own
		d.Contributions = drawTable(r, rounds, n, func() float64 { return float64(r.IntN(3)) * r.Float64() })
	}
	return d
}

// drawGraph is the weights of a random graph: symmetric, and sums to 1 by row.
func drawGraph(r *rand.Rand, n int) *sparse.Matrix {
	dense, degree := make([]float64, n*n), make([]int, n)
	for i := range n {
		for j := range i {
			if r.IntN(2) == 0 {
				dense[i*n+j], degree[i], degree[j] = 1, degree[i]+1, degree[j]+1
			}
		}
	}
	for i := range n {
		for j := range i {
			if dense[i*n+j] > 0 {
				dense[i*n+j] = 1 / float64(1+max(degree[i], degree[j]))
				dense[j*n+i] = dense[i*n+j]
			}
		}
	}
	for i := range n {
		left := 1.0
		for j := range n {
			left -= dense[i*n+j]
		}
		dense[i*n+i] = max(left, 0)
	}
	return sparse.FromDense(n, dense)
}

// drawMatching pairs some nodes, who meet half-way.
func drawMatching(r *rand.Rand, n int) *sparse.Matrix {
	dense, nodes := make([]float64, n*n), r.Perm(n)
	for k := 0; k < n; k += 2 {
		i, j := nodes[k], nodes[min(k+1, n-1)]
		for _, at := range [][2]int{{i, i}, {i, j}, {j, i}, {j, j}} {
			dense[at[0]*n+at[1]] = 0.5
		}
		if i == j {
			dense[i*n+i] = 1
		}
	}
	return sparse.FromDense(n, dense)
}

// drawTable is empty, of one round or all, of one node or all.
func drawTable(r *rand.Rand, rounds, n int, value func() float64) Table {
	if r.IntN(3) == 0 {
		return nil
	}
	rows, columns := []int{1, rounds}[r.IntN(2)], []int{1, n}[r.IntN(2)]
	b := make(Table, rows)
	for t := range b {
		b[t] = make([]float64, columns)
		for j := range b[t] {
			b[t][j] = value()
		}
	}
	return b
}

// drawWeights is a matrix with rows that sum to 1, sparse, any shape.
func drawWeights(r *rand.Rand, n int) *sparse.Matrix {
	m := &sparse.Matrix{N: n, Offsets: make([]int, 1, n+1)}
	density := r.Float64()
	for i := range n {
		lo, sum := len(m.Columns), 0.0
		for j := range n {
			if i != j && r.Float64() > density {
				continue
			}
			x := r.Float64()
			if r.IntN(8) == 0 {
				x = 0
			}
			m.Columns, m.Values = append(m.Columns, int32(j)), append(m.Values, x)
			sum += x
		}
		for k := lo; k < len(m.Values) && sum > 0; k++ {
			m.Values[k] /= sum
		}
		m.Offsets = append(m.Offsets, len(m.Columns))
	}
	return m
}

// attack draws losses and data that the problem allows: any curvature between
// -L and L of any node and round, any size and sign of u's contributions.
func (d *drawn) attack(r *rand.Rand) *explicitAttack {
	e := plain(d.Problem, d.u)
	style := r.IntN(3)
	for t := range e.curve {
		for j := range e.curve[t] {
			switch {
			case style == 1 && r.IntN(2) == 0:
				e.curve[t][j] *= -1
			case style == 2:
				e.curve[t][j] *= 2*r.Float64() - 1
			}
		}
		if style > 0 && r.IntN(2) == 0 {
			e.moves[t] *= -1
		}
	}
	return e
}
