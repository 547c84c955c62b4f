package gradientinversion

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/drawntest"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/internal/tile"
	"github.com/hearsay-dp/hearsay/model"
)

// searched is a search in a part of a small run of at least so many nodes, some of which are known.
func searched(t *rapid.T, least int) (*annealing, *rand.Rand) {
	s, r, _ := searchedOf(t, least)
	return s, r
}

// searchedOf is such a search, and the run.
func searchedOf(t *rapid.T, least int) (*annealing, *rand.Rand, *learning) {
	n := rapid.IntRange(least, 7).Draw(t, "n")
	l := learnOn(t, connected(t, n), rapid.Uint64Range(1, 99).Draw(t, "seed"))
	l.protocol.Rounds, l.protocol.TurnsPerRound = rapid.IntRange(1, 5).Draw(t, "rounds"), rapid.IntRange(1, 2).Draw(t, "turns")
	l.protocol.Objective.L2 = rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "l2")
	l.protocol.Noise.Clip = rapid.SampledFrom([]float64{0.6, 10}).Draw(t, "clip")
	p, _ := l.peeled(t, 0, 0)
	r := rand.New(rand.NewPCG(5, uint64(n)))
	for u := 2; u < n; u++ {
		if r.IntN(4) == 0 {
			p.books[u] = l.book(p, u)
		}
	}
	parts := p.parts(true, 99)
	if len(parts) == 0 {
		t.Skip("nothing is heard")
	}
	a := &unravelling{Attack: p.attack, peeling: p, loss: model.Logistic{Intercept: true}, budget: 1e18}
	s := a.annealing(parts[r.IntN(len(parts))])
	s.hop(r, 1)
	s.prepare()
	return s, r, l
}

// Panels are the derivatives of messages by the unknown numbers: they equal differences of runs, with gradients clipped or not,
// penalties, acceleration and several turns for each gradient.
func TestPanelsAreDerivatives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, r := searched(t, 2)
		s.try(s.missed, s.e)
		dst := make([]float64, len(s.part.want)*tile.Width)
		first := tile.Width * r.IntN(len(s.panels))
		s.panel(dst, first)
		for lane := range min(tile.Width, s.numbers()-first) {
			const h = 1e-5
			there := [2][]float64{make([]float64, len(s.part.want)), make([]float64, len(s.part.want))}
			for side := range there {
				e := slices.Clone(s.e)
				e[first+lane] += h * float64(1-2*side)
				s.try(there[side], e)
			}
			for i := range s.part.want {
				want, got := (there[1][i]-there[0][i])/(2*h), dst[i*tile.Width+lane]
				if math.Abs(want-got) > 1e-6 {
					t.Fatalf("number %d of the messages moves by %g with number %d, by differences %g", i, got, first+lane, want)
				}
			}
		}
	})
}

// Two leaves of a star with the same neighbour look alike to who hears that neighbour alone, a leaf with a leaf of its own does not.
func TestLookalikes(t *testing.T) {
	g, err := graph.FromEdges("star", 6, [][2]int{{0, 1}, {1, 2}, {1, 3}, {1, 4}, {4, 5}})
	if err != nil {
		t.Fatal(err)
	}
	l := learnOn(t, g, 1)
	k, err := NewKnowledge(l.protocol, l.weights, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	if alike := k.lookalikes(make([]int, 6)); !slices.Equal(alike, []bool{false, false, true, true, false, false}) {
		t.Errorf("alike are %v", alike)
	}
	if alike := k.lookalikes([]int{0, 0, -1, 1, 1, 1}); slices.Contains(alike, true) {
		t.Errorf("with one of two known, alike are %v", alike)
	}
}

// Solved examples are exact on small graphs of all kinds.
func TestSolvedExamplesAreExact(t *testing.T) {
	drawn, found := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		n := rapid.IntRange(4, 8).Draw(t, "n")
		l := learnOn(t, connected(t, n), rapid.Uint64Range(1, 1000).Draw(t, "seed"))
		l.protocol.Rounds = rapid.IntRange(2, 8).Draw(t, "rounds")
		l.protocol.Noise.Clip = rapid.SampledFrom([]float64{0.6, 10}).Draw(t, "clip")
		f := l.unravelled(t, rapid.IntRange(0, n-1).Draw(t, "attacker"), 2e9)
		exact, some := l.exact(f), 0
		for u, solved := range f.Solved {
			if !solved {
				continue
			}
			some = 1
			if _, ok := slices.BinarySearch(exact, u); !ok {
				t.Fatalf("node %d is solved and not exact: %v", u, *f.Points[u])
			}
		}
		found += some
	})
	drawntest.Often(t, "something is solved", found, drawn, 0.06)
}

// On the Florentine families the messages of one node single out most others, and peeling stops at some. The joint search finds these.
func TestAllMessagesTogetherGiveWhatPeelingLeaves(t *testing.T) {
	g, err := gen.Parse("florentine", 1)
	if err != nil {
		t.Fatal(err)
	}
	more := 0
	for v := range g.Len() {
		l := learnOn(t, g, uint64(v))
		f := l.unravelled(t, v, 6e9)
		exact, solved := l.exact(f), 0
		for u, is := range f.Solved {
			if is {
				solved++
			}
			_, ok := slices.BinarySearch(exact, u)
			if is && !ok {
				t.Errorf("attacker %d: node %d is solved and not exact", v, u)
			}
		}
		singled, missing := 0, 0
		for u, is := range f.Resolved {
			if is {
				singled++
				if _, ok := slices.BinarySearch(exact, u); !ok {
					missing++
				}
			}
		}
		t.Logf("attacker %d: %d singled out, %d missing, %d solved, %d exact", v, singled, missing, solved, len(exact))
		more += solved
	}
	if more < 75 {
		t.Errorf("%d were solved", more)
	}
}

// On an ego network peeling leaves independent parts, and results in one may help in another. All examples that the messages determine
// are found.
func TestPartsOfAnEgoNetworkAreSolved(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped under -short")
	}
	g := largest(t, open(t, testdata.Shared(t, "data/facebook/348.edges")))
	attacker := 0
	for v := range g.Len() {
		if g.Degree(v) > g.Degree(attacker) {
			attacker = v
		}
	}
	l := learnOn(t, g, 1)
	f := l.unravelled(t, attacker, 2e10)
	exact, solved, singled := l.exact(f), 0, 0
	for u, is := range f.Solved {
		_, ok := slices.BinarySearch(exact, u)
		if is && !ok {
			t.Errorf("node %d is solved and not exact", u)
		}
		if is {
			solved++
		}
		if f.Resolved[u] {
			singled++
		}
	}
	t.Logf("%d singled out, %d exact, %d solved", singled, len(exact), solved)
	if solved < 17 || len(exact) < 207 {
		t.Errorf("%d were solved, %d are exact", solved, len(exact))
	}
}

// Of five leaves behind three steps as many sums are known as there are rounds that come through: examples follow from enough of them, and with
// fewer others explain the messages as well.
func TestWhatSumsLeaveOpen(t *testing.T) {
	g, err := graph.FromEdges("broom", 8, [][2]int{{0, 1}, {1, 2}, {2, 3}, {2, 4}, {2, 5}, {2, 6}, {2, 7}})
	if err != nil {
		t.Fatal(err)
	}
	l := learnOn(t, g, 1)
	l.protocol.Rounds = 5
	f := l.unravelled(t, 0, 2e9)
	if want := []bool{false, false, false, true, true, true, true, true}; !slices.Equal(f.Open, want) {
		t.Errorf("open are %v", f.Open)
	}
	l = learnOn(t, g, 1)
	l.protocol.Rounds = 10
	if f := l.unravelled(t, 0, 2e9); slices.Contains(f.Open, true) {
		t.Errorf("with ten rounds open are %v", f.Open)
	}
}
