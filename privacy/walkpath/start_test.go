package walkpath

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A family is a walk on nodes that are all alike, and the classes of its pairs.
type family struct {
	w     *sparse.Matrix // nil: complete
	nodes int
	class PairClass
}

// drawFamily is a complete graph, a hypercube, a torus, or a ring with any
// weights that are the same at every node: directed, lazy, with long hops.
func drawFamily(t *rapid.T, most int) family {
	switch rapid.SampledFrom([]string{"complete", "hypercube", "torus", "circulant", "circulant"}).Draw(t, "family") {
	case "complete":
		return family{nil, rapid.IntRange(2, most).Draw(t, "nodes"), CompleteClass}
	case "hypercube":
		expression := "hypercube:2"
		if most >= 8 {
			expression = "hypercube:3"
		}
		w := hamiltonOf(t, expression)
		return family{w, w.N, HypercubeClass}
	case "torus":
		if most >= 6 {
			w := hamiltonOf(t, "torus:3x4")
			return family{w, w.N, TorusClass(3, 4)}
		}
	}
	return drawCirculant(t, rapid.IntRange(2, most).Draw(t, "nodes"))
}

func drawCirculant(t *rapid.T, n int) family {
	offsets, total := make([]int, n), 0
	for k := range offsets {
		offsets[k] = rapid.IntRange(0, 3).Draw(t, "weight")
		total += offsets[k]
	}
	if total == 0 {
		offsets[1], total = 1, 1
	}
	w := &sparse.Matrix{N: n, Offsets: []int{0}}
	for i := range n {
		for j := range n {
			if k := offsets[(j-i+n)%n]; k > 0 {
				w.Columns, w.Values = append(w.Columns, int32(j)), append(w.Values, float64(k)/float64(total))
			}
		}
		w.Offsets = append(w.Offsets, len(w.Columns))
	}
	return family{w, n, DirectedRingClass(n)}
}

func hamiltonOf(t *rapid.T, expression string) *sparse.Matrix {
	return transitionOf(t, expression).Sparse()
}

// lawsAt compares laws at one order and at several eps; slack is relative.
func lawsAt(t *rapid.T, what string, w Walk, u, v int, upper, lower *Law, slack float64) {
	const sigma = 1.7
	if got, want := upper.RDP(3, sigma), lower.RDP(3, sigma); !(got >= want*(1-slack)-1e-12) {
		t.Fatalf("%s: %+v (%d,%d): RDP %v is below %v", what, w, u, v, got, want)
	}
	for _, eps := range []float64{0, 0.2, 1, 4} {
		if got, want := upper.Delta(eps, sigma), lower.Delta(eps, sigma); !(got >= want*(1-slack)-1e-15) {
			t.Fatalf("%s: %+v (%d,%d): delta %v at eps %v is below %v", what, w, u, v, got, eps, want)
		}
	}
}

// What all pairs are charged is what each is charged alone, wherever the walk
// starts, whatever is released and capped, on any graph whose nodes are alike;
// on short runs by all paths, on long ones by renewal, where it adds a little how
// far passages are followed before the rest counts as having arrived.
func TestLawsOfAStartAreThoseOfTheirPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFamily(t, 8)
		w := Walk{Walk: schedule.Walk{Update: amplified, Nodes: f.nodes, W: f.w, Final: rapid.Bool().Draw(t, "final")}}
		w.Turns = rapid.OneOf(rapid.IntRange(1, 12), rapid.IntRange(1, 12), rapid.IntRange(exactTurns+1, 90)).Draw(t, "turns")
		w.Cap, w.BurnIn = rapid.IntRange(0, 3).Draw(t, "cap"), rapid.IntRange(0, 2).Draw(t, "burn-in")
		w.Start = rapid.IntRange(AnyStart, w.Nodes-1).Draw(t, "start")
		slack := 1e-9
		if w.Turns > exactTurns {
			slack, w.Cap = 1e-2, max(w.Cap, 1)
		}
		laws, err := w.Laws(f.class, 2)
		if err != nil {
			t.Fatal(err)
		}
		u := rapid.IntRange(0, w.Nodes-1).Draw(t, "u")
		v := (u + rapid.IntRange(1, w.Nodes-1).Draw(t, "v-u")) % w.Nodes
		own, err := w.Law(u, v)
		if err != nil {
			t.Fatal(err)
		}
		lawsAt(t, "class below pair", w, u, v, laws.Law(u, v), own, slack)
		lawsAt(t, "pair below class", w, u, v, own, laws.Law(u, v), slack)
	})
}

// No law of all pairs is below the enumeration of all paths: walks with any
// weights, pair by pair and as a sample, and walks whose nodes are alike, by
// class; also where ways to arrive are merged until two are left.
func TestLawsBoundEveryEnumeratedWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, u, v := drawWalk(t)
		w.Final = rapid.Bool().Draw(t, "final")
		class := EveryPair(w.Nodes)
		if rapid.Bool().Draw(t, "alike") {
			f := drawFamily(t, 4)
			w.Nodes, w.W, class = f.nodes, f.w, f.class
			w.Turns = min(w.Turns, []int{0, 0, 10, 7, 6}[w.Nodes])
			w.Start, u = min(w.Start, w.Nodes-1), u%w.Nodes
			if v %= w.Nodes; v == u {
				v = (u + 1) % w.Nodes
			}
		}
		laws, err := w.Laws(class, 1)
		if err != nil {
			t.Fatal(err)
		}
		truth := simpleLaw(w, u, v)
		lawsAt(t, "class", w, u, v, laws.Law(u, v), truth, 1e-9)
		if w.Start == AnyStart {
			return
		}
		merged := &Laws{nodes: w.Nodes}
		s := w.startedClasses(class, mostStarted)
		if s.groups > 2 || s.exact {
			t.Fatalf("%d ways to arrive", s.groups)
		}
		merged.class = s.of
		first := merged.count()
		merged.laws = make([]*Law, len(first))
		if err := w.startedLaws(merged, s, first, 1); err != nil {
			t.Fatal(err)
		}
		lawsAt(t, "merged", w, u, v, merged.Law(u, v), truth, 1e-9)
	})
}

// Pairs that are not looked at may be any: a class that holds many pairs, with
// the others charged the local loss, is refined too.
func TestStartedClassesOfASampleOfPairs(t *testing.T) {
	w, _ := walkOn(t, "ring:8")
	w.Turns, w.Cap, w.Start, w.Final = 9, 2, 3, true
	class := func(u, v int) int {
		if d := DirectedRingClass(8)(u, v); d < 2 {
			return d
		}
		return Unlawed
	}
	laws, err := w.Laws(class, 2)
	if err != nil {
		t.Fatal(err)
	}
	everyLaw(t, w, laws, func(u, v int, got, want float64) {
		if looked := class(u, v) != Unlawed; looked && math.Abs(got/want-1) > 1e-9 || !looked && got <= want {
			t.Errorf("(%d,%d): delta %v, alone %v", u, v, got, want)
		}
	})
	if laws.rest != 8*5 {
		t.Errorf("%d pairs were not looked at", laws.rest)
	}
}

// The two examples by which the shortcut of starting at u was refuted.
func TestAFixedStartWithAFinalReleaseIsNotChargedTooLittle(t *testing.T) {
	line, _ := walkOn(t, "line:6")
	line.Turns, line.Cap, line.Final, line.Start = 12, 1, true, 0
	ring := Walk{Walk: schedule.Walk{Update: amplified, Nodes: 8, Turns: 8, Final: true, Start: 0, W: &sparse.Matrix{N: 8, Offsets: []int{0}}}}
	for i := range 8 {
		ring.W.Columns, ring.W.Values = append(ring.W.Columns, int32((i+1)%8)), append(ring.W.Values, 1)
		ring.W.Offsets = append(ring.W.Offsets, i+1)
	}
	for _, c := range []struct {
		w     Walk
		class PairClass
		u, v  int
	}{{line, EveryPair(6), 5, 0}, {ring, DirectedRingClass(8), 7, 3}} {
		laws, err := c.w.Laws(c.class, 1)
		if err != nil {
			t.Fatal(err)
		}
		own, err := c.w.Law(c.u, c.v)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := laws.Law(c.u, c.v).Epsilon(1e-6, 2), own.Epsilon(1e-6, 2); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("(%d,%d): eps %v of %v", c.u, c.v, got, want)
		}
	}
}

// An observer who never meets a node's token learns from the release alone; its
// law is found on runs of any length, where nothing ever leaves u's part.
func TestLawOfPartsThatNeverMeet(t *testing.T) {
	w := Walk{Walk: schedule.Walk{Update: amplified, Nodes: 4, Start: AnyStart, Turns: 70, Cap: 1, BurnIn: 1, W: &sparse.Matrix{
		N: 4, Offsets: []int{0, 2, 4, 6, 8}, Columns: []int32{0, 2, 1, 3, 0, 2, 1, 3}, Values: []float64{.5, .5, .5, .5, .5, .5, .5, .5}}}}
	for _, final := range []bool{false, true} {
		w.Final = final
		law, err := w.Law(0, 1)
		if err != nil {
			t.Fatal(err)
		}
		if delta := law.Delta(1, 2); !(delta >= 0 && delta < 0.01) || !final && delta > 1e-6 {
			t.Errorf("final %v: delta %v", final, delta)
		}
	}
}

// 2048 nodes, all pairs: what is charged for one class in 132 is a matter of
// seconds.
func BenchmarkLawsOfAStartOnHypercube2048(b *testing.B) {
	w, _ := walkOn(b, "hypercube:11")
	w.Turns, w.Cap, w.Start, w.Final = 20000, 12, 5, true
	for b.Loop() {
		if _, err := w.Laws(HypercubeClass, 2); err != nil {
			b.Fatal(err)
		}
	}
}
