package gossipview

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/sparse"
)

func TestLeakageIsAShareAndSumsToTheRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 40)
		gossip, err := New(weightsOf(t, g), rapid.IntRange(0, 30).Draw(t, "T"))
		if err != nil {
			t.Fatal(err)
		}
		observers := drawObservers(t, g.Len())
		v, err := gossip.View(observers)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for u := range g.Len() {
			l := v.Leakage(u)
			if !(l >= 0 && l <= 1) || l < 1 && slices.Contains(observers, u) {
				t.Fatalf("leakage of %d towards %v is %v", u, observers, l)
			}
			sum += l
		}
		if v.Certainty() == Confirmed && math.Abs(sum-float64(v.Rank())) > 1e-9 {
			t.Fatalf("leakages sum to %v, the rank is %d", sum, v.Rank())
		}
	})
}

func TestLeakageGrowsWithStepsAndCoalitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 30)
		w, steps := weightsOf(t, g), rapid.IntRange(0, 15).Draw(t, "T")
		observers := drawObservers(t, g.Len())
		less := leakages(t, w, steps, observers[:1])
		for what, more := range map[string][]float64{
			"later":          leakages(t, w, steps+1, observers[:1]),
			"in a coalition": leakages(t, w, steps, observers),
		} {
			for u := range less {
				if more[u] < less[u]-1e-9 {
					t.Fatalf("%s, the leakage of %d falls from %v to %v", what, u, less[u], more[u])
				}
			}
		}
	})
}

func leakages(t *rapid.T, w *sparse.Matrix, steps int, observers []int) []float64 {
	g, err := New(w, steps)
	if err != nil {
		t.Fatal(err)
	}
	v, err := g.View(observers)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]float64, w.N)
	for u := range all {
		all[u] = v.Leakage(u)
	}
	return all
}

func TestLeakageFollowsTheNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, steps := drawGraph(t, 25), rapid.IntRange(0, 12).Draw(t, "T")
		n := g.Len()
		name := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "names"), 5)).Perm(n)
		var edges [][2]int
		for u := range n {
			for _, v := range g.Neighbours(u) {
				edges = append(edges, [2]int{name[u], name[v]})
			}
		}
		renamed, err := graph.FromEdges("renamed", n, edges)
		if err != nil {
			t.Fatal(err)
		}
		observers := drawObservers(t, n)
		var others []int
		for _, v := range observers {
			others = append(others, name[v])
		}
		before := leakages(t, hamilton(t, g), steps, observers)
		after := leakages(t, hamilton(t, renamed), steps, others)
		for u := range n {
			if math.Abs(before[u]-after[name[u]]) > 1e-9 {
				t.Fatalf("node %d: %v, renamed %v", u, before[u], after[name[u]])
			}
		}
	})
}

func hamilton(t *rapid.T, g *graph.Graph) *sparse.Matrix {
	transition, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		t.Fatal(err)
	}
	return transition.Sparse()
}

func TestLeakageIgnoresTheNumberOfWorkers(t *testing.T) {
	g := gossipNamed(t, "geometric:n=60,r=0.25,seed=4", 9)
	one, many := g.Leakage(1), g.Leakage(5)
	if !slices.Equal(one.Values, many.Values) {
		t.Error("leakages differ")
	}
	if !slices.Equal(g.PublishedSum(1).Values, g.PublishedSum(5).Values) {
		t.Error("published sums differ")
	}
}

// Progress counts all observers, and changes nothing.
func TestProgressCountsObservers(t *testing.T) {
	silent, last := gossipNamed(t, "er:n=30,p=0.2,seed=1", 5), -1
	found := silent.WithProgress(func(done, total int) {
		if done != last+1 || total != 30 {
			t.Errorf("%d of %d after %d", done, total, last)
		}
		last = done
	}).Leakage(3)
	if last != 30 || !slices.Equal(found.Values, silent.Leakage(1).Values) {
		t.Errorf("%d of 30 observers, or other numbers than in silence", last)
	}
}

// A changing graph that does not change is a fixed one.
func TestChangingGossipOfOneMatrixIsGossip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, steps := weightsOf(t, drawGraph(t, 20)), rapid.IntRange(1, 8).Draw(t, "T")
		fixed, err := New(w, steps)
		if err != nil {
			t.Fatal(err)
		}
		changing, err := NewChanging(repeat(w, steps))
		if err != nil {
			t.Fatal(err)
		}
		observers := drawObservers(t, w.N)
		a, b := fixed.view(observers, oneView), changing.view(observers, oneView)
		for u := range w.N {
			if math.Abs(a.Leakage(u)-b.Leakage(u)) > 1e-9 {
				t.Fatalf("node %d: %v, %v (%s, %s)", u, a.Leakage(u), b.Leakage(u), a.Certainty(), b.Certainty())
			}
		}
	})
}

// 0 hears 1, who had met 2 before: the mean of both, and nothing of 3.
func TestAlgorithm62RandomisedGossip(t *testing.T) {
	g, err := NewChanging([]*sparse.Matrix{ActivatedEdge(4, 2, 1), ActivatedEdge(4, 0, 1), ActivatedEdge(4, 3, 2)})
	if err != nil {
		t.Fatal(err)
	}
	v := view(t, g, 0)
	for u, want := range []float64{1, 0.5, 0.5, 0} {
		if math.Abs(v.Leakage(u)-want) > 1e-15 {
			t.Errorf("leakage of %d is %v, want %v", u, v.Leakage(u), want)
		}
	}
	if v.Rank() != 2 || !v.Exact() || !slices.Equal(v.Reconstructed(), []int{0}) || math.Abs(v.Product(1, 2)-0.5) > 1e-15 {
		t.Errorf("%v reconstructs %v", v, v.Reconstructed())
	}
}

// What reaches the observers is what a walk backwards reaches.
func TestOpenViewsChargeWhatCanArrive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, steps := weightsOf(t, drawGraph(t, 25)), rapid.IntRange(0, 8).Draw(t, "T")
		g, err := New(w, steps)
		if err != nil {
			t.Fatal(err)
		}
		observers := drawObservers(t, w.N)
		v, reached := g.view(observers, oneView), g.reached(observers)
		for u := range w.N {
			if v.Leakage(u) > 1e-12 != reached[u] {
				t.Fatalf("node %d: leakage %v, reached %v", u, v.Leakage(u), reached[u])
			}
		}
	})
}

func TestGroupLeakage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 20)
		gossip, err := New(weightsOf(t, g), rapid.IntRange(0, 8).Draw(t, "T"))
		if err != nil {
			t.Fatal(err)
		}
		v := gossip.view([]int{rapid.IntRange(0, g.Len()-1).Draw(t, "v")}, oneView)
		users := drawObservers(t, g.Len())
		group := v.GroupLeakage(users)
		for signs := range 1 << len(users) {
			sum := 0.0
			for i, a := range users {
				for j, b := range users {
					sum += v.Product(a, b) * float64(1-2*(signs>>i&1)) * float64(1-2*(signs>>j&1))
				}
			}
			if sum > group+1e-9 {
				t.Fatalf("signs %b: %v exceeds %v", signs, sum, group)
			}
		}
	})
}
