package gen

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/step"
)

func buildRegular(e *expression) *graph.Graph {
	n := e.integer("n", 1, graph.MaxNodes)
	d := e.integer("d", 0, n-1)
	if n%2 == 1 && d%2 == 1 {
		e.fail(fmt.Sprintf("cannot have an odd number of nodes, %d, of an odd degree, %d", n, d), "make one of them even")
	}
	if !e.fits(float64(n), float64(n)*float64(d)) {
		return nil
	}
	return e.draw(func(s *step.Stream, turn step.Turn) *graph.Graph {
		return randomRegular(n, d, s.At(e.seed, 0, turn, 0, step.Topology))
	})
}

// randomRegular draws a graph whose nodes all have degree d. It draws a dense
// graph as the complement of a sparse one.
func randomRegular(n, d int, r *rand.Rand) *graph.Graph {
	if 2*d < n {
		return pairStubs(n, d, r)
	}
	sparse := pairStubs(n, n-1-d, r)
	return graph.FromRows(n, n*(d+1), func(row []int32, u int) []int32 {
		for v := range n {
			if !sparse.HasEdge(u, v) {
				row = append(row, int32(v))
			}
		}
		return row
	})
}

// pairStubs gives every node d stubs and joins stubs at random. Pairs that
// would be loops or repeats are left out and shuffled again. It restarts when
// no two of the remaining stubs can be joined. The draw is asymptotically
// uniform for d small against the cube root of n (Steger and Wormald 1999).
func pairStubs(n, d int, r *rand.Rand) *graph.Graph {
	for {
		m := &matching{d: d, row: make([]int32, n*d), degree: make([]int, n)}
		left := make([]int32, 0, n*d)
		for u := range n {
			left = append(left, slices.Repeat([]int32{int32(u)}, d)...)
		}
		for len(left) > 0 && m.possible(left) {
			left = m.join(left, r)
		}
		if len(left) == 0 {
			return graph.FromRows(n, n*d, func(row []int32, u int) []int32 { return append(row, m.neighbours(int32(u))...) })
		}
	}
}

// A matching is a d-regular graph under construction.
type matching struct {
	d      int
	row    []int32 // d places for each node
	degree []int   // places taken
}

func (m *matching) neighbours(u int32) []int32 {
	return m.row[int(u)*m.d : int(u)*m.d+m.degree[u]]
}

func (m *matching) suitable(u, v int32) bool {
	return u != v && !slices.Contains(m.neighbours(u), v)
}

// join shuffles stubs, joins them in pairs where suitable and returns the
// remaining ones.
func (m *matching) join(stubs []int32, r *rand.Rand) []int32 {
	r.Shuffle(len(stubs), func(i, j int) { stubs[i], stubs[j] = stubs[j], stubs[i] })
	left := stubs[:0]
	for k := 0; k < len(stubs); k += 2 {
		u, v := stubs[k], stubs[k+1]
		if m.suitable(u, v) {
			m.add(u, v)
			m.add(v, u)
		} else {
			left = append(left, u, v)
		}
	}
	return left
}

func (m *matching) add(u, v int32) {
	m.row[int(u)*m.d+m.degree[u]] = v
	m.degree[u]++
}

// possible reports whether any two of the stubs can be joined.
func (m *matching) possible(stubs []int32) bool {
	for i, u := range stubs {
		for _, v := range stubs[:i] {
			if m.suitable(u, v) {
				return true
			}
		}
	}
	return false
}
