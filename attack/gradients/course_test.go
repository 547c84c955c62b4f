package gradients

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/tile"
	"github.com/hearsay-dp/hearsay/model"
)

// How messages move with what is looked for is what differences of runs say, with gradients cut or not, penalties, acceleration and
// several turns for each gradient.
func TestPanelsAreDerivatives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 7).Draw(t, "n")
		l := learnOn(t, connected(t, n), rapid.Uint64Range(1, 99).Draw(t, "seed"))
		l.protocol.Rounds, l.protocol.TurnsPerRound = rapid.IntRange(1, 4).Draw(t, "rounds"), rapid.IntRange(1, 2).Draw(t, "turns")
		l.protocol.Objective.L2 = rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "l2")
		l.protocol.Noise.Clip = rapid.SampledFrom([]float64{0.6, 10}).Draw(t, "clip")
		k, err := NewKnowledge(l.protocol, l.weights, []int{0})
		if err != nil {
			t.Fatal(err)
		}
		seen := l.listened(t, k)
		r := rand.New(rand.NewPCG(5, uint64(n)))
		d := seen.Dim
		c := &course{knowledge: k, seen: seen, loss: model.Logistic{Intercept: true}, z: make([]float64, n*d)}
		for i := range c.z {
			c.z[i] = r.NormFloat64()
		}
		var known []float64
		for range 4 * d {
			known = append(known, r.NormFloat64())
		}
		var free []int
		for u := 1; u < n; u++ {
			if r.IntN(4) > 0 || u == 1 {
				free = append(free, u)
			}
		}
		s := newAnnealing(c, believe(known, d), free)
		s.hop(r, 1)
		s.try(s.missed, s.e)
		dst := make([]float64, len(seen.Heard)*tile.Width)
		first := tile.Width * r.IntN(len(s.panels))
		s.panel(dst, first)
		for lane := range min(tile.Width, s.numbers()-first) {
			const h = 1e-5
			there := [2][]float64{make([]float64, len(seen.Heard)), make([]float64, len(seen.Heard))}
			for side := range there {
				e := slices.Clone(s.e)
				e[first+lane] += h * float64(1-2*side)
				s.try(there[side], e)
			}
			for i := range seen.Heard {
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

// What is solved is exact, on whatever small graph.
func TestSolvedExamplesAreExact(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(4, 8).Draw(t, "n")
		l := learnOn(t, connected(t, n), rapid.Uint64Range(1, 1000).Draw(t, "seed"))
		l.protocol.Rounds = rapid.IntRange(2, 8).Draw(t, "rounds")
		l.protocol.Noise.Clip = rapid.SampledFrom([]float64{0.6, 10}).Draw(t, "clip")
		f := l.unravelled(t, rapid.IntRange(0, n-1).Draw(t, "attacker"))
		exact := l.exact(f)
		for u, solved := range f.Solved {
			if !solved {
				continue
			}
			found++
			if _, ok := slices.BinarySearch(exact, u); !ok {
				t.Fatalf("node %d is solved and not exact: %v", u, *f.Points[u])
			}
		}
	})
	if found == 0 {
		t.Error("nothing was solved")
	}
}

// On the Florentine families what one of them hears singles out most others, and peeling stops at some: all messages together
// give them.
func TestAllMessagesTogetherGiveWhatPeelingLeaves(t *testing.T) {
	g, err := gen.Parse("florentine", 1)
	if err != nil {
		t.Fatal(err)
	}
	more := 0
	for v := range g.Len() {
		l := learnOn(t, g, uint64(v))
		f := l.unravelled(t, v)
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
	if more < 60 {
		t.Errorf("%d were solved", more)
	}
}
