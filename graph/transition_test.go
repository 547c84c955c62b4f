package graph_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/graphtest"
)

// naive is W_uv for u != v straight from the definition of a rule.
func naive(g *graph.Graph, rule string, weight []float64, u, v int) float64 {
	if u == v || !g.HasEdge(u, v) {
		return 0
	}
	du, dv := float64(g.Degree(u)), float64(g.Degree(v))
	_, _, largest := g.DegreeRange()
	switch rule {
	case "hamilton":
		return 1 / (1 + math.Max(du, dv))
	case "max-degree":
		return 1 / (1 + float64(largest))
	case "metropolis":
		return 1 / du * math.Min(1, du/dv)
	case "uniform":
		return 1 / du
	case "weighted":
		return 1 / du * math.Min(1, weight[v]*du/(weight[u]*dv))
	}
	panic(rule)
}

// A rule has one name in results, whatever a spec calls it.
func TestRulesHaveOneName(t *testing.T) {
	g := mustParse(t, "star:5")
	old, err := graph.NewTransition(g, "hamilton-printed")
	if err != nil {
		t.Fatal(err)
	}
	now, err := graph.NewTransition(g, "metropolis")
	if err != nil {
		t.Fatal(err)
	}
	if old.Rule() != "metropolis" || now.Rule() != "metropolis" {
		t.Errorf("rules are called %q and %q", old.Rule(), now.Rule())
	}
	for u := range g.Len() {
		for v := range g.Len() {
			if old.At(u, v) != now.At(u, v) {
				t.Errorf("W[%d,%d] is %g and %g", u, v, old.At(u, v), now.At(u, v))
			}
		}
	}
}

// drawTransition makes any rule on any small graph, and its weights if it has
// some: multiples of 0.01, so that whether two are the same does not depend on
// rounding.
func drawTransition(t *rapid.T, g *graph.Graph) (*graph.Transition, []float64) {
	rule := rapid.SampledFrom(append(graph.Rules(), "weighted")).Draw(t, "rule")
	var w *graph.Transition
	var weight []float64
	var err error
	if rule == "weighted" {
		hundredths := rapid.SliceOfN(rapid.IntRange(1, 10_000), g.Len(), g.Len()).Draw(t, "weight")
		for _, h := range hundredths {
			weight = append(weight, float64(h)/100)
		}
		w, err = graph.NewWeighted(g, weight)
	} else {
		w, err = graph.NewTransition(g, rule)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w, weight
}

// rowRounding is more than the sum of a row of n numbers, each right to a few
// roundings, may be away from 1.
func rowRounding(n int) float64 { return float64(2*n+8) * 0x1p-53 }

func TestTransitionFollowsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.Draw(t, false)
		w, weight := drawTransition(t, g)
		n := g.Len()
		sparse := w.Sparse()
		for u := range n {
			rest, sum := 1.0, 0.0
			for v := range n {
				if v != u {
					want := naive(g, w.Rule(), weight, u, v)
					rest -= want
					if math.Abs(w.At(u, v)-want) > 1e-15 {
						t.Fatalf("%s: W[%d][%d] = %g, want %g", w.Rule(), u, v, w.At(u, v), want)
					}
				}
				sum += w.At(u, v)
				if sparse.At(u, v) != w.At(u, v) {
					t.Fatalf("%s: the sparse matrix has %g at %d,%d, not %g", w.Rule(), sparse.At(u, v), u, v, w.At(u, v))
				}
			}
			if self := w.Self(u); self < 0 || math.Abs(self-rest) > 1e-14 || math.Abs(sum-1) > rowRounding(n) {
				t.Fatalf("%s: node %d stays with %g, want %g; its row sums to 1%+g", w.Rule(), u, self, rest, sum-1)
			}
		}
		checkMul(t, w)
	})
}

func checkMul(t *rapid.T, w *graph.Transition) {
	x := rapid.SliceOfN(rapid.Float64Range(-1, 1), w.Len(), w.Len()).Draw(t, "x")
	got, want := make([]float64, w.Len()), make([]float64, w.Len())
	w.Mul(got, x)
	w.Sparse().MulBlock(want, x, 1)
	if !floats.EqualApprox(got, want, 1e-14) {
		t.Fatalf("%s: W x = %v, want %v", w.Rule(), got, want)
	}
}

func TestTransitionProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.Draw(t, true)
		w, _ := drawTransition(t, g)
		n := g.Len()
		symmetric, columns := true, make([]float64, n)
		for u := range n {
			for v := range n {
				symmetric = symmetric && math.Abs(w.At(u, v)-w.At(v, u)) < 1e-14
				columns[v] += w.At(u, v)
			}
		}
		doubly := floats.EqualApprox(columns, ones(n), 1e-13)
		if w.Symmetric() != symmetric || w.DoublyStochastic() != doubly {
			t.Fatalf("%s: symmetric %v, doubly stochastic %v; want %v, %v", w.Rule(), w.Symmetric(), w.DoublyStochastic(), symmetric, doubly)
		}
		pi, err := w.Stationary()
		if err != nil {
			t.Fatal(err)
		}
		after := make([]float64, n)
		for u := range n {
			for v := range n {
				after[v] += pi[u] * w.At(u, v)
			}
		}
		if !floats.EqualApprox(after, pi, 1e-14) || math.Abs(floats.Sum(pi)-1) > 1e-14 {
			t.Fatalf("%s: pi = %v becomes %v", w.Rule(), pi, after)
		}
	})
}

func ones(n int) []float64 {
	x := make([]float64, n)
	floats.AddConst(1, x)
	return x
}

func TestWeightedIsStationaryAtItsWeights(t *testing.T) {
	g := mustParse(t, "florentine")
	weight := make([]float64, g.Len())
	for u := range weight {
		weight[u] = 1 + float64(u*u%7)
	}
	w, err := graph.NewWeighted(g, weight)
	if err != nil {
		t.Fatal(err)
	}
	pi, err := w.Stationary()
	if err != nil {
		t.Fatal(err)
	}
	floats.Scale(1/floats.Sum(weight), weight)
	if !floats.EqualApprox(pi, weight, 1e-15) || w.Symmetric() {
		t.Errorf("pi = %v, want %v; symmetric %v", pi, weight, w.Symmetric())
	}
}

func TestTransitionOnDirectedRing(t *testing.T) {
	w, err := graph.NewTransition(mustParse(t, "ring:5,directed"), "")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for u := range 5 {
		if w.At(u, (u+1)%5) != 1 || w.Self(u) != 0 || w.Next(u, r) != (u+1)%5 {
			t.Errorf("node %d does not go forward", u)
		}
	}
	if w.Symmetric() || !w.DoublyStochastic() {
		t.Error("the directed ring is doubly stochastic and not symmetric")
	}
	if _, err := w.SpectralGap(); err == nil {
		t.Error("a directed ring has a spectral gap")
	}
	if pi, err := w.Stationary(); err != nil || pi[3] != 0.2 {
		t.Errorf("pi = %v, %v", pi, err)
	}
}

func TestTransitionErrors(t *testing.T) {
	line, directed := mustParse(t, "line:3"), mustParse(t, "ring:5,directed")
	pieces := mustParse(t, "er:3,0")
	_, unknown := graph.NewTransition(line, "lazy")
	_, arrows := graph.NewTransition(directed, "hamilton")
	_, weightedArrows := graph.NewWeighted(directed, ones(5))
	_, negative := graph.NewWeighted(line, []float64{1, -1, 1})
	_, infinite := graph.NewWeighted(line, []float64{1, math.Inf(1), 1})
	_, notANumber := graph.NewWeighted(line, []float64{1, math.NaN(), 1})
	apart, err := graph.NewTransition(pieces, "")
	if err != nil {
		t.Fatal(err)
	}
	_, several := apart.Stationary()
	for name, err := range map[string]error{"unknown": unknown, "arrows": arrows, "weighted arrows": weightedArrows,
		"negative": negative, "infinite": infinite, "NaN": notANumber, "several": several} {
		if err == nil || fault.Hint(err) == "" {
			t.Errorf("%s: error %v without hint", name, err)
		}
	}
}

// Next follows At: Pearson's chi-square test of 100,000 draws from each node
// of a graph of unequal degrees. A correct Next fails with probability 1e-6 a
// node, below 2e-4 for all 132 nodes and rules here; the seed is fixed.
func TestNextFollowsAt(t *testing.T) {
	checkNext(t, mustParse(t, "florentine"))
	checkNext(t, mustParse(t, "complete:7"))
}

func checkNext(t *testing.T, g *graph.Graph) {
	weight := make([]float64, g.Len())
	for u := range weight {
		weight[u] = math.Exp(float64(u%5) - 2)
	}
	for _, rule := range append(graph.Rules(), "weighted") {
		w, err := graph.NewWeighted(g, weight)
		if rule != "weighted" {
			w, err = graph.NewTransition(g, rule)
		}
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(5, 6))
		for u := range g.Len() {
			if p := nextFit(t, w, u, r); p < 1e-6 {
				t.Errorf("%s: draws after node %d fit row %d with p-value %g", rule, u, u, p)
			}
		}
	}
}

// nextFit draws from Next and returns the p-value of the fit to row u.
func nextFit(t *testing.T, w *graph.Transition, u int, r *rand.Rand) float64 {
	const draws = 100_000
	counts := make([]float64, w.Len())
	for range draws {
		counts[w.Next(u, r)]++
	}
	statistic, cells := 0.0, 0
	for v, count := range counts {
		expected := draws * w.At(u, v)
		if expected < 1e-9 {
			if count > 0 {
				t.Errorf("%s: %d goes to %d, which has probability 0", w.Rule(), u, v)
			}
			continue
		}
		statistic += (count - expected) * (count - expected) / expected
		cells++
	}
	if cells < 2 {
		return 1
	}
	return distuv.ChiSquared{K: float64(cells - 1)}.Survival(statistic)
}

func BenchmarkNext(b *testing.B) {
	for _, expr := range []string{"hypercube:11", "complete:2048", "geometric:2048,0.07", "er:n=1000000,p=0.00001"} {
		for _, rule := range []string{"hamilton", "metropolis"} {
			b.Run(expr+"/"+rule, func(b *testing.B) {
				w, err := graph.NewTransition(mustParse(b, expr), rule)
				if err != nil {
					b.Fatal(err)
				}
				r := rand.New(rand.NewPCG(1, 2))
				u := 0
				for b.Loop() {
					u = w.Next(u, r)
				}
			})
		}
	}
}

func BenchmarkMul(b *testing.B) {
	w, err := graph.NewTransition(mustParse(b, "hypercube:16"), "hamilton")
	if err != nil {
		b.Fatal(err)
	}
	x, dst := ones(w.Len()), make([]float64, w.Len())
	for b.Loop() {
		w.Mul(dst, x)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(2*b.N*w.Graph().Edges()), "ns/entry")
}
