package walkpublished

import (
	"math"
	"math/rand/v2"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/sparse"
)

// hamiltonOf gives each edge 1/(1+max degree), the rest to the diagonal.
func hamiltonOf(n int, edges [][2]int) *sparse.Matrix {
	degree, dense := make([]int, n), make([]float64, n*n)
	for _, e := range edges {
		degree[e[0]]++
		degree[e[1]]++
	}
	for i := range n {
		dense[i*n+i] = 1
	}
	for _, e := range edges {
		p := 1 / float64(1+max(degree[e[0]], degree[e[1]]))
		for _, d := range [][2]int{{e[0], e[1]}, {e[1], e[0]}} {
			dense[d[0]*n+d[1]] = p
			dense[d[0]*n+d[0]] -= p
		}
	}
	return sparseOf(n, dense)
}

func sparseOf(n int, dense []float64) *sparse.Matrix {
	m := &sparse.Matrix{N: n, Offsets: make([]int, n+1)}
	for i := range n {
		for j := range n {
			if v := dense[i*n+j]; v != 0 {
				m.Columns, m.Values = append(m.Columns, int32(j)), append(m.Values, v)
			}
		}
		m.Offsets[i+1] = len(m.Columns)
	}
	return m
}

func edgesOf(n int, adjacent func(i, j int) bool) (edges [][2]int) {
	for i := range n {
		for j := range i {
			if adjacent(i, j) {
				edges = append(edges, [2]int{i, j})
			}
		}
	}
	return edges
}

func hypercubeOf(dimension int) *sparse.Matrix {
	return hamiltonOf(1<<dimension, edgesOf(1<<dimension, func(i, j int) bool { d := i ^ j; return d&(d-1) == 0 }))
}

func ringOf(n int) *sparse.Matrix {
	return hamiltonOf(n, edgesOf(n, func(i, j int) bool { return i-j == 1 || i-j == n-1 }))
}

func geometricOf(n int, r float64) *sparse.Matrix {
	rng := rand.New(rand.NewPCG(1, 0))
	at := make([][2]float64, n)
	for i := range at {
		at[i] = [2]float64{rng.Float64(), rng.Float64()}
	}
	return hamiltonOf(n, edgesOf(n, func(i, j int) bool { return math.Hypot(at[i][0]-at[j][0], at[i][1]-at[j][1]) < r }))
}

// drawConnected draws a connected graph: a random tree and random edges.
func drawConnected(t *rapid.T, most int) *sparse.Matrix {
	n := rapid.IntRange(2, most).Draw(t, "n")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
	more := rapid.Float64Range(0, 0.5).Draw(t, "more")
	parent := make([]int, n)
	for i := 1; i < n; i++ {
		parent[i] = rng.IntN(i)
	}
	return hamiltonOf(n, edgesOf(n, func(i, j int) bool { return parent[i] == j || rng.Float64() < more }))
}
