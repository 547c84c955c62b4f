package gossipview

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/internal/drawntest"
	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/internal/exact"
	"github.com/hearsay-dp/hearsay/sparse"
)

// drawNeighbours is gossip in a crowd: nodes on a square who hear all within some distance, some of them
// from the same place.
func drawNeighbours(t *rapid.T) *sparse.Matrix {
	n := rapid.IntRange(4, 30).Draw(t, "n")
	reach := rapid.Float64Range(0.2, 1).Draw(t, "reach")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "places"), 6))
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], y[i] = rng.Float64(), rng.Float64()
		if i > 0 && rng.IntN(5) == 0 {
			x[i], y[i] = x[i-1], y[i-1]
		}
	}
	near := func(i, j int) bool { return i != j && (x[i]-x[j])*(x[i]-x[j])+(y[i]-y[j])*(y[i]-y[j]) < reach*reach }
	degree, dense := make([]int, n), make([]float64, n*n)
	for i := range n {
		for j := range n {
			if near(i, j) {
				degree[i]++
			}
		}
	}
	for i := range n {
		dense[i*n+i] = 1
		for j := range n {
			if near(i, j) {
				dense[i*n+j] = 1 / float64(1+max(degree[i], degree[j]))
				dense[i*n+i] -= dense[i*n+j]
			}
		}
	}
	return sparse.FromDense(n, dense)
}

// What is shared proves nothing that elimination does not find, and all pairs come out as they do
// view by view.
func TestSharedProofsHold(t *testing.T) {
	drawn, proved := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		g, err := New(drawNeighbours(t), rapid.IntRange(1, 12).Draw(t, "steps"))
		if err != nil {
			t.Fatal(err)
		}
		all, s := g.Leakage(2), g.share(2)
		drawn++
		byOthers := 0
		for v := range g.n {
			k := g.krylov([]int{v})
			e, _ := exact.Krylov(g.parts[0].transposed, g.parts[0].residues[1], exact.Fields()[1], g.heard([]int{v}, 0), g.steps, []int{v})
			if s.saturates(k, []int{v}) {
				byOthers++
				if e.Rank() != len(k.cells.Size) {
					t.Fatalf("observer %d: rank %d of %d is taken for all", v, e.Rank(), len(k.cells.Size))
				}
			}
			alone := g.view([]int{v}, allPairs)
			if all.Ranks[v] != alone.rank {
				t.Fatalf("observer %d: rank %d among all, %d alone", v, all.Ranks[v], alone.rank)
			}
			for u := range g.n {
				if all.At(u, v) != alone.Leakage(u) {
					t.Fatalf("from %d to %d: %v among all, %v alone", u, v, all.At(u, v), alone.Leakage(u))
				}
			}
		}
		if byOthers > 0 {
			proved++
		}
	})
	drawntest.Often(t, "others prove views", proved, drawn, 0.27)
}

// Groups leave nobody's messages out of what they share, and take nobody in twice.
func TestGroupsHearWhatTheyShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, err := New(drawNeighbours(t), rapid.IntRange(1, 12).Draw(t, "steps"))
		if err != nil {
			t.Fatal(err)
		}
		seen := make(map[int]bool)
		for _, one := range g.groups() {
			for _, v := range one.observers {
				if seen[v] {
					t.Fatalf("observer %d is in two groups", v)
				}
				seen[v] = true
				for _, w := range one.heard {
					if w != v && g.matrices[0].At(v, w) == 0 {
						t.Fatalf("observer %d does not hear %d", v, w)
					}
				}
			}
		}
	})
}
