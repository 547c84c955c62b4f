package graph_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/step"
)

// Whoever derives the partners of a turn from the seed alone, one row at a time
// and in any order of turns, derives those of the whole matrix; partners choose
// each other, and at most one node is left over.
func TestMatchingsAreTheSameForEveryCaller(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, seed := rapid.IntRange(1, 40).Draw(t, "n"), rapid.Uint64().Draw(t, "seed")
		all := graph.NewMatchings(n, seed)
		turns := rapid.SliceOfN(rapid.IntRange(0, 1<<40), 1, 4).Draw(t, "turns")
		for _, at := range turns {
			turn, alone := step.Turn(at), 0
			w := all.Matrix(turn)
			for v := range step.NodeID(n) {
				one := graph.NewMatchings(n, seed)
				partner := one.Partner(v, turn)
				if one.Partner(partner, turn) != v {
					t.Fatalf("%d meets %d, which meets %d", v, partner, one.Partner(partner, turn))
				}
				columns, values := one.Row(v, turn)
				whole, entries := w.Row(int(v))
				if !slices.Equal(columns, whole) || !slices.Equal(values, entries) {
					t.Fatalf("row %d is %v %v, the matrix has %v %v", v, columns, values, whole, entries)
				}
				if partner == v {
					alone++
				}
			}
			if alone != n%2 {
				t.Fatalf("%d of %d nodes meet nobody", alone, n)
			}
		}
	})
}

// A matching of a graph joins neighbours only, leaves no two neighbours over, is the
// same for whoever asks and in any order of turns; of a complete graph it is a
// tournament's.
func TestMatchingsOfAGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		expr := rapid.SampledFrom([]string{"ring:7", "hypercube:3", "star:6", "complete:6", "complete:7"}).Draw(t, "graph")
		seed, turn := rapid.Uint64().Draw(t, "seed"), step.Turn(rapid.IntRange(0, 1<<40).Draw(t, "turn"))
		g, err := gen.Parse(expr, 1)
		if err != nil {
			t.Fatal(err)
		}
		w, err := graph.NewTransition(g, "hamilton")
		if err != nil {
			t.Fatal(err)
		}
		m, again := graph.NewMatchingsOf(graph.Fixed(w.Sparse()), seed), graph.NewMatchingsOf(graph.Fixed(w.Sparse()), seed)
		again.Partner(0, turn+1)
		for v := range step.NodeID(g.Len()) {
			u := m.Partner(v, turn)
			if u != again.Partner(v, turn) || m.Partner(u, turn) != v || u != v && !g.HasEdge(int(u), int(v)) {
				t.Fatalf("%s: %d meets %d, for another %d", expr, v, u, again.Partner(v, turn))
			}
			for _, x := range g.Neighbours(int(v)) {
				if u == v && m.Partner(step.NodeID(x), turn) == step.NodeID(x) {
					t.Fatalf("%s: neighbours %d and %d are both left over", expr, v, x)
				}
			}
			if g.Edges() == g.Len()*(g.Len()-1)/2 && u != graph.NewRoundRobin(g.Len(), seed).Partner(v, turn) {
				t.Fatalf("%s: %d meets %d", expr, v, u)
			}
		}
	})
}

// In a tournament every two meet once, and the next one comes in another order.
func TestRoundRobin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, seed := rapid.IntRange(1, 30).Draw(t, "n"), rapid.Uint64().Draw(t, "seed")
		turns := max(1, n-1+n%2)
		first := step.Turn(rapid.IntRange(0, 1<<30).Draw(t, "tournament")) * step.Turn(turns)
		m, met := graph.NewRoundRobin(n, seed), map[[2]step.NodeID]int{}
		for k := range step.Turn(turns) {
			alone := 0
			for v := range step.NodeID(n) {
				u := graph.NewRoundRobin(n, seed).Partner(v, first+k)
				if u != m.Partner(v, first+k) || m.Partner(u, first+k) != v {
					t.Fatalf("%d meets %d, which meets %d", v, u, m.Partner(u, first+k))
				}
				if u == v {
					alone++
				} else {
					met[[2]step.NodeID{u, v}]++
				}
			}
			if alone != n%2 {
				t.Fatalf("%d of %d nodes meet nobody", alone, n)
			}
		}
		for pair, times := range met {
			if times != 1 {
				t.Fatalf("%v meet %d times", pair, times)
			}
		}
		if len(met) != n*(n-1) {
			t.Fatalf("%d of %d pairs meet", len(met), n*(n-1))
		}
	})
}

// Each turn of a tournament is any of the 15 matchings of six nodes, and of five, as
// likely: chi-square of 30,000 tournaments' third turns with 14 degrees of freedom,
// above its limit with probability 2e-7.
func TestRoundRobinIsUniform(t *testing.T) {
	for _, n := range []int{5, 6} {
		m, count := graph.NewRoundRobin(n, 4), map[string]int{}
		for k := range 30_000 {
			partners := make([]step.NodeID, n)
			for v := range partners {
				partners[v] = m.Partner(step.NodeID(v), step.Turn(5*k+2))
			}
			count[fmt.Sprint(partners)]++
		}
		chi := 0.0
		for _, c := range count {
			chi += (float64(c) - 2000) * (float64(c) - 2000) / 2000
		}
		if len(count) != 15 || chi > 60 {
			t.Errorf("%d matchings of %d nodes, chi-square %g", len(count), n, chi)
		}
	}
}

// All 15 matchings of six nodes and of five come up alike, in one turn after the
// other and in pairs of turns: chi-square of 30,000 turns with 14 degrees of
// freedom, and of 45,000 pairs with 224, each above its limit with probability 2e-7.
func TestMatchingsAreUniform(t *testing.T) {
	for _, n := range []int{5, 6} {
		m := graph.NewMatchings(n, 8)
		now := func(turn step.Turn) string {
			partners := make([]step.NodeID, n)
			for v := range partners {
				partners[v] = m.Partner(step.NodeID(v), turn)
			}
			return fmt.Sprint(partners)
		}
		single, pairs, last := map[string]int{}, map[string]int{}, ""
		for turn := range step.Turn(90_000) {
			next := now(turn)
			if turn < 30_000 {
				single[next]++
			}
			if turn%2 == 1 {
				pairs[last+next]++
			}
			last = next
		}
		for _, c := range []struct {
			counts map[string]int
			cells  int
			limit  float64
		}{{single, 15, 60}, {pairs, 225, 352}} {
			total, square := 0, 0.0
			for _, k := range c.counts {
				total += k
			}
			each := float64(total) / float64(c.cells)
			for _, k := range c.counts {
				square += (float64(k) - each) * (float64(k) - each) / each
			}
			if len(c.counts) != c.cells || square > c.limit {
				t.Errorf("%d nodes: %d of %d come up, chi-square %g", n, len(c.counts), c.cells, square)
			}
		}
	}
}

// Dropout over matchings of the same seed draws its own bits: among those there,
// nobody's partner depends on whether it is. Node 0 is there in about half of
// 20,000 turns and then met by the first of the others as often as in the rest:
// within five deviations, a false alarm in 1.7 million.
func TestMatchingsShareNoBitsWithDropout(t *testing.T) {
	m := graph.NewMatchings(4, 3)
	there := graph.Dropout(graph.NewMatchings(4, 3), 0.5, 3)
	counts := [2][2]float64{}
	for turn := range step.Turn(20_000) {
		i, j := 0, 0
		if slices.Contains(there.Active(turn), 0) {
			i = 1
		}
		if m.Partner(0, turn) == 1 {
			j = 1
		}
		counts[i][j]++
	}
	a, b := counts[0][1]/(counts[0][0]+counts[0][1]), counts[1][1]/(counts[1][0]+counts[1][1])
	if off := a - b; off*off > 25*(2.0/9)*4/20_000 {
		t.Errorf("away, node 0 meets 1 in %g of the turns; there in %g", a, b)
	}
}

// Regular graphs drawn anew in every turn are regular, doubly stochastic, and the
// same for everybody who knows the seed.
func TestRedrawnRegularGraphsAreTheSameForEveryCaller(t *testing.T) {
	draw := func() graph.Sequence {
		s, err := gen.Redrawn("regular:n=24,d=4", "hamilton", 1, 5)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	all, differ := draw(), 0
	for turn := range step.Turn(20) {
		w, alone := all.Matrix(turn), draw()
		if !w.Symmetric(0) {
			t.Fatalf("turn %d: not symmetric", turn)
		}
		for v := range 24 {
			columns, values := alone.Row(step.NodeID(v), turn)
			whole, entries := w.Row(v)
			sum := 0.0
			for _, x := range values {
				sum += x
			}
			if len(columns) != 5 || sum < 1-1e-15 || sum > 1+1e-15 || !slices.Equal(columns, whole) || !slices.Equal(values, entries) {
				t.Fatalf("turn %d: row %d is %v %v, the matrix has %v %v", turn, v, columns, values, whole, entries)
			}
		}
		before, now := all.Matrix(turn).Columns, all.Matrix(turn+1).Columns
		if !slices.Equal(before, now) {
			differ++
		}
	}
	if differ < 18 {
		t.Errorf("only %d of 20 turns bring another graph", differ)
	}
}
