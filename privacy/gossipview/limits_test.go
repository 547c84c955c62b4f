package gossipview

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A view that is too large to confirm is not charged less for it. Those that
// saturate are confirmed at once.
func TestWithoutTheTimeToConfirmNothingIsChargedLess(t *testing.T) {
	certainties := map[Certainty]int{}
	for _, expr := range []string{"geometric:n=40,r=0.25,seed=2", "geometric:n=40,r=0.25,seed=4", "grid:6x6"} {
		g := gossipNamed(t, expr, 25)
		for v := range g.n {
			exact, hasty := g.view([]int{v}, oneView), g.view([]int{v}, effort{})
			certainties[hasty.Certainty()]++
			if hasty.Certainty() == Confirmed && hasty.Rank() != exact.Rank() {
				t.Errorf("%s: the view of %d is confirmed to have rank %d, not %d", expr, v, hasty.Rank(), exact.Rank())
			}
			for u := range g.n {
				if hasty.Leakage(u) < exact.Leakage(u)-1e-10 {
					t.Errorf("%s: (%d, %d) is charged %v instead of %v (%s)", expr, u, v, hasty.Leakage(u), exact.Leakage(u), hasty.Certainty())
				}
			}
		}
	}
	if certainties[Open] == 0 || certainties[Clear] == 0 || certainties[Confirmed] == 0 {
		t.Errorf("certainties %v", certainties)
	}
}

func TestGossipLossesLimits(t *testing.T) {
	leakage := gossipNamed(t, "line:4", 2).Leakage(1)
	noisy, err := leakage.Losses(2, privacy.Metric{Order: 3})
	if err != nil || noisy.At(1, 0) != 3.0/8 || noisy.Local() != 3.0/8 || noisy.At(3, 0) != 0 {
		t.Errorf("%v, %v", noisy, err)
	}
	if noisy.Status != privacy.Sound || noisy.Max() != 3.0/8 || noisy.Mean() >= noisy.Max() || noisy.Mean() <= 0 {
		t.Errorf("status %v, max %v, mean %v", noisy.Status, noisy.Max(), noisy.Mean())
	}
	exact, err := leakage.Losses(2, privacy.Metric{Delta: 1e-6})
	if err != nil || exact.At(1, 0) != privacy.EpsilonGaussian(0.5, 1e-6) {
		t.Errorf("%v, %v", exact, err)
	}
	bare, err := leakage.Losses(0, privacy.Metric{Order: 2})
	if err != nil || !math.IsInf(bare.At(1, 0), 1) || bare.At(3, 0) != 0 {
		t.Errorf("without noise: %v, %v", bare, err)
	}
	for _, sigma := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := leakage.Losses(sigma, privacy.Metric{Order: 2}); err == nil {
			t.Errorf("sigma %v was accepted", sigma)
		}
	}
	if _, err := leakage.Losses(1, privacy.Metric{Order: 1}); err == nil {
		t.Error("order 1 was accepted")
	}
}

func TestGossipLimits(t *testing.T) {
	silent := gossipNamed(t, "complete:5", 0).Leakage(1)
	for u := range 5 {
		for v := range 5 {
			if want := map[bool]float64{true: 1}[u == v]; silent.At(u, v) != want {
				t.Errorf("no step: (%d, %d) is %v", u, v, silent.At(u, v))
			}
		}
	}
	alone := gossipNamed(t, "complete:1", 3).Leakage(1)
	if losses, err := alone.Losses(1, privacy.Metric{Order: 2}); alone.At(0, 0) != 1 || err != nil || losses.Mean() != 0 || losses.Max() != 0 {
		t.Errorf("one node: %v, %v", alone.Values, err)
	}
	g, err := graph.FromEdges("two and one", 3, [][2]int{{0, 1}, {1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	apart := gossipOn(t, g, 5)
	if v := view(t, apart, 0); v.Leakage(2) != 0 || v.Leakage(1) != 1 || v.Rank() != 2 {
		t.Errorf("isolated node: %v", v)
	}
	if v := view(t, apart, 2); v.Leakage(0) != 0 || v.Rank() != 1 {
		t.Errorf("isolated observer: %v", v)
	}
	if v := view(t, apart, 0, 2); v.Leakage(2) != 1 || v.Leakage(0) != 1 {
		t.Errorf("coalition of the observed: %v", v)
	}
	if v := view(t, apart, 0, 1, 2); v.Rank() != 3 {
		t.Errorf("coalition of everybody: %v", v)
	}
}

func TestGossipRefusals(t *testing.T) {
	w := gossipNamed(t, "ring:4", 1).matrices[0]
	broken := *w
	broken.Values = slices.Clone(w.Values)
	broken.Values[0] = math.NaN()
	refused := map[string]error{}
	_, refused["gossip of -1 steps"] = New(w, -1)
	_, refused["among no nodes"] = New(&sparse.Matrix{Offsets: []int{0}}, 1)
	_, refused["is not one"] = New(&broken, 1)
	_, refused["only node"] = New(&sparse.Matrix{N: 1, Offsets: []int{0, 0}}, 1)
	_, refused["without any graph"] = NewChanging(nil)
	_, refused["of order 1"] = NewChanging([]*sparse.Matrix{w, gossipNamed(t, "complete:1", 1).matrices[0]})
	g := gossipNamed(t, "ring:4", 1)
	_, refused["no observer"] = g.View(nil)
	_, refused["observer 4 is not a node"] = g.View([]int{4})
	_, refused["named twice"] = g.View([]int{1, 1})
	changing, err := NewChanging([]*sparse.Matrix{w})
	if err != nil {
		t.Fatal(err)
	}
	_, refused["fixed symmetric"] = changing.Corollary63(1)
	for want, err := range refused {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// Views whose directions nearly coincide: what floats find is wrong, or has
// few digits, and only exact ranks and more digits agree with the simple view.
func TestNearTiesAreDecidedExactly(t *testing.T) {
	if testing.Short() {
		t.Skip("long arithmetic")
	}
	unclear := 0
	for _, c := range []struct {
		graph string
		v     int
	}{{"geometric:n=40,r=0.25,seed=2", 6}, {"geometric:n=40,r=0.25,seed=4", 12}, {"cliques:count=4,size=6", 0}} {
		g := gossipNamed(t, c.graph, 25)
		k := g.krylov([]int{c.v})
		k.grow()
		if !isClear(k.span) {
			unclear++
		}
		got, want := view(t, g, c.v), simply(repeat(g.matrices[0], g.steps), []int{c.v})
		if got.Certainty() != Confirmed || got.Rank() != len(want.rows) {
			t.Errorf("%s: %v, want rank %d", c.graph, got, len(want.rows))
		}
		for u := range g.n {
			if d := math.Abs(got.Leakage(u) - want.product(u, u)); d > 1e-12 {
				t.Errorf("%s: leakage of %d is off by %g", c.graph, u, d)
			}
		}
	}
	if unclear != 2 {
		t.Errorf("%d near ties, want 2: choose other graphs", unclear)
	}
}

func BenchmarkLeakage(b *testing.B) {
	for _, c := range []struct {
		graph string
		steps int
	}{{"hypercube:11", 20}, {"geometric:n=2048,r=0.07,seed=1", 110}, {"grid:45x45", 243}} {
		b.Run(strings.ReplaceAll(c.graph, "=", ""), func(b *testing.B) {
			g := gossipNamed(b, c.graph, c.steps)
			v := 0
			for b.Loop() {
				g.view([]int{v}, allPairs)
				v = (v + 1) % g.n
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "observers/s")
		})
	}
}

// All observers of a geometric graph after so many rounds that most views are everything, on one core.
func BenchmarkLeakageOfAllPairs(b *testing.B) {
	a := gossipNamed(b, "geometric:n=1024,r=0.1", 55)
	for b.Loop() {
		a.Leakage(1)
	}
}
