package graph_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/step"
)

// drawSequence draws weights of any kind on a connected graph.
func drawSequence(t *rapid.T) graph.Sequence {
	g, err := gen.Parse(rapid.SampledFrom([]string{"ring:7", "grid:3x4", "er:n=9,p=0.5,connected", "star:6", "florentine"}).Draw(t, "graph"),
		rapid.Uint64().Draw(t, "seed"))
	if err != nil {
		t.Fatal(err)
	}
	transition, err := graph.NewTransition(g, rapid.SampledFrom([]string{"hamilton", "max-degree"}).Draw(t, "weights"))
	if err != nil {
		t.Fatal(err)
	}
	seed := rapid.Uint64().Draw(t, "draws")
	switch w := transition.Sparse(); rapid.SampledFrom([]string{"fixed", "edges", "dropout", "redrawn", "matchings", "matchings of a graph",
		"matchings of redrawn graphs", "cycle"}).Draw(t, "kind") {
	case "edges":
		edges, err := graph.NewActivations(w, seed)
		if err != nil {
			t.Fatal(err)
		}
		return edges
	case "dropout":
		if most := rapid.IntRange(0, 3).Draw(t, "most"); most > 0 {
			return graph.Missing(graph.Fixed(w), rapid.Float64Range(0, 1).Draw(t, "p"), most, 2, seed)
		}
		return graph.Dropout(graph.Fixed(w), rapid.Float64Range(0, 1).Draw(t, "p"), seed)
	case "redrawn":
		redrawn, err := gen.Redrawn("er:n=9,p=0.3", "hamilton", rapid.IntRange(1, 3).Draw(t, "every"), seed)
		if err != nil {
			t.Fatal(err)
		}
		return redrawn
	case "matchings":
		return graph.NewMatchings(w.N, seed)
	case "matchings of a graph":
		return graph.NewMatchingsOf(graph.Fixed(w), seed)
	case "matchings of redrawn graphs":
		redrawn, err := gen.Redrawn("regular:n=8,d=3", "hamilton", rapid.IntRange(1, 3).Draw(t, "every"), seed)
		if err != nil {
			t.Fatal(err)
		}
		return graph.NewMatchingsOf(redrawn, seed)
	case "cycle":
		cycle, err := gen.Sequence("sequence:ring:8;star:8;hypercube:3", "hamilton", seed)
		if err != nil {
			t.Fatal(err)
		}
		return cycle
	default:
		return graph.Fixed(w)
	}
}

// Every turn's matrix is symmetric and stochastic with no negative entry; rows
// are those of the matrix; who is not active is alone in its row; and the order
// of asking changes nothing.
func TestSequencesAreGossipMatrices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSequence(t)
		turn := step.Turn(rapid.IntRange(0, 20).Draw(t, "turn"))
		w := s.Matrix(turn)
		if !w.Symmetric(1e-15) {
			t.Fatal("the matrix is not symmetric")
		}
		active := slices.Clone(s.Active(turn))
		all := s.Active(turn) == nil
		for v := range s.Len() {
			columns, values := s.Row(step.NodeID(v), turn)
			whole, entries := w.Row(v)
			if !slices.Equal(columns, whole) || !slices.Equal(values, entries) {
				t.Fatalf("row %d is %v %v, the matrix has %v %v", v, columns, values, whole, entries)
			}
			sum := 0.0
			for _, x := range values {
				sum += x
				if x < 0 {
					t.Fatalf("row %d has the entry %g", v, x)
				}
			}
			if math.Abs(sum-1) > 2e-15 {
				t.Fatalf("row %d sums to %.17g", v, sum)
			}
			if _, there := slices.BinarySearch(active, step.NodeID(v)); !all && !there && len(columns) != 1 {
				t.Fatalf("node %d is away and averages with %v", v, columns)
			}
		}
		before := slices.Clone(w.Values)
		s.Matrix(turn + 5)
		if again := s.Matrix(turn); !slices.Equal(again.Values, before) {
			t.Fatal("asked again, the turn has another matrix")
		}
	})
}

// Edges wake in proportion to their weights: over 20,000 turns on a star with
// unequal weights, chi-square with 4 degrees of freedom stays below 38, which it
// exceeds with probability 1e-7.
func TestEdgesWakeInProportionToWeights(t *testing.T) {
	g, err := graph.FromEdges("five edges", 5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {1, 3}})
	if err != nil {
		t.Fatal(err)
	}
	transition, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		t.Fatal(err)
	}
	w := transition.Sparse()
	edges, err := graph.NewActivations(w, 4)
	if err != nil {
		t.Fatal(err)
	}
	const turns = 20_000
	counts := map[[2]int]float64{}
	for turn := range step.Turn(turns) {
		ends := edges.Active(turn)
		counts[[2]int{int(ends[0]), int(ends[1])}]++
	}
	total := 0.0
	for u := range 5 {
		for v := u + 1; v < 5; v++ {
			total += w.At(u, v)
		}
	}
	square := 0.0
	for u := range 5 {
		for v := u + 1; v < 5; v++ {
			if expected := turns * w.At(u, v) / total; expected > 0 {
				off := counts[[2]int{u, v}] - expected
				square += off * off / expected
			}
		}
	}
	if square > 38 {
		t.Errorf("chi-square is %g", square)
	}
}

// A node is away as often as asked: 10,000 draws, within five deviations (false
// alarm 6e-7).
func TestDropoutIsAsOftenAsAsked(t *testing.T) {
	g, err := gen.Parse("complete:20", 1)
	if err != nil {
		t.Fatal(err)
	}
	transition, err := graph.NewTransition(g, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []float64{0.1, 0.5, 0.9} {
		there, draws := 0, 500*20
		s := graph.Dropout(graph.Fixed(transition.Sparse()), p, 9)
		for turn := range step.Turn(500) {
			there += len(s.Active(turn))
		}
		if off := math.Abs(float64(there)/float64(draws) - (1 - p)); off > 5*math.Sqrt(p*(1-p)/float64(draws)) {
			t.Errorf("with dropout %g, %d of %d are there", p, there, draws)
		}
	}
}

// A node misses whole rounds, as often as asked, and no more nodes than asked miss one, which then all miss alike: 2000
// rounds, within five deviations (false alarm 6e-7).
func TestNodesMissWholeRounds(t *testing.T) {
	g, err := gen.Parse("complete:5", 1)
	if err != nil {
		t.Fatal(err)
	}
	transition, err := graph.NewTransition(g, "")
	if err != nil {
		t.Fatal(err)
	}
	const rounds, p = 2000, 0.3
	s, missed := graph.Missing(graph.Fixed(transition.Sparse()), p, 2, 3, 9), [5]int{}
	for turn := range step.Turn(3 * rounds) {
		before := slices.Clone(s.Active(turn / 3 * 3))
		if active := s.Active(turn); !slices.Equal(active, before) || active != nil && (len(active) < 3 || len(active) == 5) {
			t.Fatalf("turn %d: %v, in the first turn of the round %v", turn, active, before)
		}
		for v := range step.NodeID(5) {
			if _, there := slices.BinarySearch(before, v); turn%3 == 0 && before != nil && !there {
				missed[v]++
			}
		}
	}
	want := 0.0 // of 5 coins the heads, at most 2, by node
	for heads, ways := range []float64{1, 5, 10, 10, 5, 1} {
		want += ways * math.Pow(p, float64(heads)) * math.Pow(1-p, float64(5-heads)) * float64(min(heads, 2)) / 5
	}
	for v, count := range missed {
		if off := math.Abs(float64(count)/rounds - want); off > 5*math.Sqrt(want*(1-want)/rounds) {
			t.Errorf("node %d misses %d of %d rounds, want %.4g of them", v, count, rounds, want)
		}
	}
}

// Graphs that fall apart are seen to, turn by turn and over all.
func TestTogether(t *testing.T) {
	w := func(edges ...[2]int) graph.Sequence {
		g, err := graph.FromEdges("test", 4, edges)
		if err != nil {
			t.Fatal(err)
		}
		transition, err := graph.NewTransition(g, "hamilton")
		if err != nil {
			t.Fatal(err)
		}
		return graph.Fixed(transition.Sparse())
	}
	whole, halves := w([2]int{0, 1}, [2]int{1, 2}, [2]int{2, 3}), w([2]int{0, 1}, [2]int{2, 3})
	for _, c := range []struct {
		s            graph.Sequence
		apart, parts int
	}{{whole, 0, 1}, {halves, 5, 2}, {graph.Dropout(whole, 0.999999, 1), 0, 4}} {
		if apart, parts := graph.Together(c.s, 5); apart != c.apart || parts != c.parts {
			t.Errorf("%d turns apart and %d parts, want %d and %d", apart, parts, c.apart, c.parts)
		}
	}
}
