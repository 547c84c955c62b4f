package gen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/graphtest"
)

// pairCounts draws a graph many times and counts how often each pair is an
// edge.
func pairCounts(draws, n int, one func(r *rand.Rand) *graph.Graph) [][]int {
	r := rand.New(rand.NewPCG(1, 2))
	counts := make([][]int, n)
	for u := range counts {
		counts[u] = make([]int, n)
	}
	for range draws {
		g := one(r)
		for u := range n {
			for _, v := range g.Neighbours(u) {
				counts[u][v]++
			}
		}
	}
	return counts
}

// checkFrequencies asserts that each pair u < v was an edge with probability
// p(u, v): each count within 5 standard deviations. By the normal
// approximation a correct generator fails with probability 6e-7 a pair,
// below 1e-4 for the at most 105 pairs here.
func checkFrequencies(t *testing.T, counts [][]int, draws int, p func(u, v int) float64) {
	t.Helper()
	for u := range counts {
		for v := range u {
			mean := p(u, v) * float64(draws)
			if off := math.Abs(float64(counts[u][v]) - mean); off > 5*math.Sqrt(mean*(1-p(u, v))) {
				t.Errorf("pair %d-%d: an edge %d times in %d, want about %.0f", v, u, counts[u][v], draws, mean)
			}
		}
	}
}

func TestErdosRenyiFrequencies(t *testing.T) {
	const draws, n = 20000, 15
	for _, p := range []float64{0.07, 0.5, 0.93} {
		counts := pairCounts(draws, n, func(r *rand.Rand) *graph.Graph { return erdosRenyi(n, p, r) })
		checkFrequencies(t, counts, draws, func(int, int) float64 { return p })
	}
}

func TestBlockModelFrequencies(t *testing.T) {
	const draws = 20000
	sizes, p := []int{5, 3, 6}, [][]float64{{0.6, 0.1, 0.3}, {0.1, 0.9, 0.2}, {0.3, 0.2, 0.05}}
	block := func(u int) int {
		switch {
		case u < 5:
			return 0
		case u < 8:
			return 1
		}
		return 2
	}
	counts := pairCounts(draws, 14, func(r *rand.Rand) *graph.Graph { return blockModel(sizes, p, r) })
	checkFrequencies(t, counts, draws, func(u, v int) float64 { return p[block(u)][block(v)] })
}

// By symmetry every pair of a random regular graph is an edge with
// probability d/(n-1).
func TestRegularFrequencies(t *testing.T) {
	const draws, n = 10000, 12
	for _, d := range []int{3, 7} {
		counts := pairCounts(draws, n, func(r *rand.Rand) *graph.Graph { return randomRegular(n, d, r) })
		checkFrequencies(t, counts, draws, func(int, int) float64 { return float64(d) / (n - 1) })
	}
}

// With m = 1 and four nodes: node 2 ties to either end of the edge 0-1 with
// probability 1/2, node 3 to the middle of that path with 1/2, to an end
// with 1/4. False alarms as in checkFrequencies.
func TestBarabasiAlbertFollowsDegrees(t *testing.T) {
	const draws = 20000
	counts := pairCounts(draws, 4, func(r *rand.Rand) *graph.Graph { return barabasiAlbert(4, 1, r) })
	want := map[[2]int]float64{{0, 1}: 1, {0, 2}: 0.5, {1, 2}: 0.5, {0, 3}: 0.375, {1, 3}: 0.375, {2, 3}: 0.25}
	checkFrequencies(t, counts, draws, func(u, v int) float64 { return want[[2]int{v, u}] })
}

func TestRegularIsRegular(t *testing.T) {
	for _, c := range [][2]int{{1000, 4}, {64, 7}, {50, 24}, {51, 26}, {30, 20}, {2, 1}} {
		g := mustParse(t, fmt.Sprintf("regular:n=%d,d=%d", c[0], c[1]))
		graphtest.Contract(t, g)
		if low, _, high := g.DegreeRange(); low != c[1] || high != c[1] {
			t.Errorf("degrees %d to %d, want %d", low, high, c[1])
		}
	}
}

func TestConnectedRedraws(t *testing.T) {
	for _, expr := range []string{"er:n=30,p=0.1,connected", "geometric:n=40,r=0.25,connected", "regular:n=12,d=2,connected",
		"sbm:8+8,inside=0.5,outside=0.03,connected"} {
		redrawn := false
		for seed := range uint64(20) {
			g, err := Parse(expr, seed)
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Connected(); err != nil {
				t.Error(err)
			}
			asDrawn, err := Parse(expr[:len(expr)-len(",connected")], seed)
			if err != nil {
				t.Fatal(err)
			}
			redrawn = redrawn || asDrawn.Connected() != nil
		}
		if !redrawn {
			t.Errorf("%s was connected from the start for every seed: it shows nothing", expr)
		}
	}
	if _, err := Parse("er:n=30,p=0,connected", 1); err == nil {
		t.Error("an empty graph was called connected")
	}
}

func TestOwnSeedComesFirst(t *testing.T) {
	parse := func(expr string, seed uint64) *graph.Graph {
		g, err := Parse(expr, seed)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	if !graphtest.Equal(parse("er:50,0.2,seed=7", 1), parse("er:50,0.2", 7)) || !graphtest.Equal(parse("er:50,0.2,7", 1), parse("er:50,0.2", 7)) {
		t.Error("seed=7 is not the same as a given seed of 7")
	}
	if graphtest.Equal(parse("er:50,0.2", 1), parse("er:50,0.2", 2)) {
		t.Error("two seeds gave the same graph")
	}
}
