package gradientinversion

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/step"
)

// Rungs are of ever more turns, and the last of all.
func TestRungs(t *testing.T) {
	for last, want := range map[int][]int{1: {1}, 2: {1, 2}, 5: {1, 2, 3, 4, 5}, 9: {1, 2, 3, 4, 6, 9}, 30: {1, 2, 3, 4, 6, 9, 13, 19, 28, 30}} {
		if got := rungs(last); !slices.Equal(got, want) {
			t.Errorf("up to turn %d: %v", last, got)
		}
	}
}

// The results of a ladder are right, on rungs of few turns and of many, and they are most of those possible.
func TestWhatALadderFindsIsRight(t *testing.T) {
	taken, missing := 0, 0
	for seed := range uint64(4) {
		g := caterpillar(t, seed)
		l := learnOn(t, g, seed)
		p, _ := l.peeled(t, 0, 0)
		for p.sweep() {
		}
		n := g.Len()
		u := &unravelling{Attack: p.attack, peeling: p, loss: model.Logistic{Intercept: true}, budget: 3e8, tried: map[string]bool{}, lookout: newLookout(n),
			found: &Found{Solved: make([]bool, n), Points: make([]*Point, n), Solution: &Solution{Gradients: make([][]float64, n)}}}
		before, all := slices.Clone(p.books), map[int]bool{}
		for v := range n {
			all[v] = true
		}
		for u.climb(false, all) {
			for p.sweep() {
			}
		}
		for v, book := range p.books {
			switch {
			case p.knowledge.attacker[v] || before[v] != nil:
			case book == nil:
				missing++
			default:
				taken++
				x, y := l.slab.Examples(step.NodeID(v)).Row(0)
				if book.label != y || math.Abs(book.point.X[0]-x[0]) > 1e-6 {
					t.Errorf("seed %d: node %d is %v, taken for %v", seed, v, x, book.point.X)
				}
			}
		}
	}
	t.Logf("%d were taken, %d not", taken, missing)
	if taken < 10 {
		t.Errorf("%d were taken, %d not", taken, missing)
	}
}

// caterpillar is a graph whose node 0 hears of others through few.
func caterpillar(t *testing.T, seed uint64) *graph.Graph {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 9))
	var edges [][2]int
	const n = 14
	for v := 1; v < n; v++ {
		edges = append(edges, [2]int{max(0, v-1-r.IntN(4)), v})
	}
	for range n {
		u := r.IntN(n)
		if v := r.IntN(n); u != v {
			edges = append(edges, [2]int{min(u, v), max(u, v)})
		}
	}
	g, err := graph.FromEdges("drawn", n, unique(edges))
	if err != nil {
		t.Fatal(err)
	}
	return g
}
