// Package sparsetest draws the matrices that tests of the numerical rooms share.
package sparsetest

import (
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
	"pgregory.net/rapid"
)

// Draw draws a matrix of order 1 to 40 with any density. Some rows may be empty.
func Draw(t *rapid.T) *sparse.Matrix {
	n := rapid.IntRange(1, 40).Draw(t, "n")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	density := rapid.Float64Range(0, 1).Draw(t, "density")
	dense := make([]float64, n*n)
	for k := range dense {
		if rng.Float64() < density {
			dense[k] = step.Normal(rng)
		}
	}
	return sparse.FromDense(n, dense)
}

// DrawWalk draws a symmetric stochastic matrix with fractions as weights: the weights of gossip on a random graph.
func DrawWalk(t *rapid.T, most int) *sparse.Matrix {
	n := rapid.IntRange(1, most).Draw(t, "n")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "graph"), 4))
	density := rapid.Float64Range(0, 1).Draw(t, "density")
	return walk(n, func(i, j int) bool { return rng.Float64() < density })
}

// DrawStrip draws such a matrix on a graph whose nodes are joined if they are near each other on a line, to some 2 to 20
// neighbours each.
func DrawStrip(t *rapid.T, most int) *sparse.Matrix {
	n := rapid.IntRange(1, most).Draw(t, "n")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "graph"), 7))
	within := rapid.Float64Range(1, 10).Draw(t, "within") / float64(n)
	place := make([]float64, n)
	for i := range place {
		place[i] = rng.Float64()
	}
	return walk(n, func(i, j int) bool { return math.Abs(place[i]-place[j]) < within })
}

// walk returns the matrix of the graph that joins i and j < i if joined says so.
func walk(n int, joined func(i, j int) bool) *sparse.Matrix {
	dense, degree := make([]float64, n*n), make([]int, n)
	for i := range n {
		for j := range i {
			if joined(i, j) {
				dense[i*n+j] = 1
				degree[i]++
				degree[j]++
			}
		}
	}
	for i := range n {
		for j := range i {
			if dense[i*n+j] != 0 {
				v := 1 / float64(1+max(degree[i], degree[j]))
				dense[i*n+j], dense[j*n+i] = v, v
				dense[i*n+i] -= v
				dense[j*n+j] -= v
			}
		}
	}
	for i := range n {
		dense[i*n+i]++
	}
	return sparse.FromDense(n, dense)
}

// CycleWalk returns the lazy walk on a cycle of n >= 3.
func CycleWalk(n int) *sparse.Matrix {
	m := &sparse.Matrix{N: n, Offsets: []int{0}}
	for i := range n {
		row := []int32{int32((i + n - 1) % n), int32(i), int32((i + 1) % n)}
		slices.Sort(row)
		m.Columns = append(m.Columns, row...)
		m.Values = append(m.Values, 1.0/3, 1.0/3, 1.0/3)
		m.Offsets = append(m.Offsets, len(m.Columns))
	}
	return m
}

// DrawIndices draws a subset of 0..n-1, in any order.
func DrawIndices(t *rapid.T, n int) []int {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "starts"), 6))
	return rng.Perm(n)[:rapid.IntRange(0, n).Draw(t, "count")]
}

// Block returns a vector of standard normals.
func Block(rng *rand.Rand, size int) []float64 {
	x := make([]float64, size)
	for k := range x {
		x[k] = step.Normal(rng)
	}
	return x
}
