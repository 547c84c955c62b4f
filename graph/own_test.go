package graph_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// around is a walk on a ring of n: it stays, goes on or goes back.
func around(n int, stay, on, back float64) (entries []graph.Entry) {
	for u := range n {
		entries = append(entries, graph.Entry{From: u, To: u, Value: stay}, graph.Entry{From: u, To: (u + 1) % n, Value: on},
			graph.Entry{From: u, To: (u + n - 1) % n, Value: back})
	}
	return entries
}

func ownOf(t *testing.T, expr string, entries []graph.Entry) *graph.Transition {
	t.Helper()
	w, err := graph.NewOwn(mustParse(t, expr), "w.csv", entries)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func refused(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("taken, not refused with %q", words)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the error %q does not say %q", err, word)
		}
	}
	if fault.Hint(err) == "" {
		t.Errorf("%q has no hint", err)
	}
}

// Each condition on a matrix has an example that fails it alone.
func TestOwnConditions(t *testing.T) {
	change := func(k int, e graph.Entry) []graph.Entry {
		all := around(6, 0.5, 0.3, 0.2)
		all[k] = e
		return all
	}
	for name, c := range map[string]struct {
		entries []graph.Entry
		words   string
	}{
		"on edges":     {append(change(1, graph.Entry{From: 0, To: 1, Value: 0.2}), graph.Entry{From: 0, To: 3, Value: 0.1}), "0.1 from node 0 to node 3"},
		"not negative": {change(2, graph.Entry{From: 0, To: 5, Value: -0.2}), "-0.2 from node 0 to node 5"},
		"finite":       {change(2, graph.Entry{From: 0, To: 5, Value: math.Inf(1)}), "+Inf from node 0 to node 5"},
		"a number":     {change(2, graph.Entry{From: 0, To: 5, Value: math.NaN()}), "NaN from node 0 to node 5"},
		"once":         {append(around(6, 0.5, 0.3, 0.2), graph.Entry{From: 2, To: 3, Value: 0.3}), "two numbers from node 2 to node 3"},
		"rows":         {change(4, graph.Entry{From: 1, To: 2, Value: 0.3 + 2e-9}), "row of node 1 in w.csv sums to 1.000000002"},
		"irreducible": {[]graph.Entry{{0, 0, 1}, {1, 0, 0.5}, {1, 2, 0.5}, {2, 1, 0.5}, {2, 3, 0.5}, {3, 2, 0.5}, {3, 4, 0.5},
			{4, 3, 0.5}, {4, 5, 0.5}, {5, 4, 1}}, "never leads from node 0 to node 1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := graph.NewOwn(mustParse(t, "ring:6"), "w.csv", c.entries)
			refused(t, err, c.words)
		})
	}
}

// A matrix is one that somebody gave whatever it is called.
func TestOwnByAnyName(t *testing.T) {
	for _, name := range []string{"lazy:0.5,hamilton", "hamilton", "weighted", ""} {
		w, err := graph.NewOwn(mustParse(t, "ring:6"), name, around(6, 0.5, 0.3, 0.2))
		if err != nil || !w.Own() || w.Symmetric() {
			t.Errorf("%q is taken for a rule: %v", name, err)
		}
	}
}

func TestOwnSymmetric(t *testing.T) {
	odd := ownOf(t, "ring:6", around(6, 0.5, 0.3, 0.2))
	refused(t, odd.CheckSymmetric("the accountant", graph.Tolerance, "hint"), "the accountant needs a symmetric matrix", "0.3 from node 0 to node 1 and 0.2 back")
	if odd.Symmetric() || !odd.DoublyStochastic() || odd.Reversible() {
		t.Error("a ring that goes on more than back is doubly stochastic, not symmetric and not reversible")
	}
	even := ownOf(t, "ring:6", around(6, 0.5, 0.25, 0.25))
	if err := even.CheckSymmetric("x", 0, "y"); err != nil || !even.Symmetric() || !even.Reversible() {
		t.Error(err)
	}
}

func TestOwnDoublyStochastic(t *testing.T) {
	w := ownOf(t, "line:2", []graph.Entry{{0, 0, 0.5}, {0, 1, 0.5}, {1, 0, 1}})
	refused(t, w.CheckDoublyStochastic("gossip", "hint"), "gossip needs a doubly stochastic matrix", "column of node 0", "1.5")
}

// A walk whose flows there and back differ has no real spectrum, and no gap.
func TestOwnReversible(t *testing.T) {
	_, err := ownOf(t, "ring:6", around(6, 0.5, 0.3, 0.2)).SpectralGap()
	refused(t, err, "w.csv", "not reversible")
	lopsided := ownOf(t, "line:3", []graph.Entry{{0, 0, 0.5}, {0, 1, 0.5}, {1, 0, 0.2}, {1, 1, 0.5}, {1, 2, 0.3}, {2, 1, 0.9}, {2, 2, 0.1}})
	if gap, err := lopsided.SpectralGap(); err != nil || !gap.Converged {
		t.Errorf("a walk on a line is reversible: %v", err)
	}
}

// The symmetries of a generator are not those of a matrix on its graph.
func TestOwnHasNoSymmetry(t *testing.T) {
	if _, known := ownOf(t, "ring:6", around(6, 0.5, 0.3, 0.2)).Graph().Symmetry(); known {
		t.Error("the ring's symmetry is taken for the walk's")
	}
}

func TestOwnStationary(t *testing.T) {
	for _, w := range []*graph.Transition{
		ownOf(t, "ring:6", around(6, 0.5, 0.3, 0.2)),
		ownOf(t, "ring:3", []graph.Entry{{0, 0, 0.1}, {0, 1, 0.6}, {0, 2, 0.3}, {1, 2, 0.8}, {1, 0, 0.2}, {2, 0, 0.5}, {2, 1, 0.1}, {2, 2, 0.4}}),
		ownOf(t, "line:3", []graph.Entry{{0, 0, 0.5}, {0, 1, 0.5}, {1, 0, 0.2}, {1, 1, 0.5}, {1, 2, 0.3}, {2, 1, 0.9}, {2, 2, 0.1}}),
	} {
		pi, err := w.Stationary()
		if err != nil {
			t.Fatal(err)
		}
		total := 0.0
		for v := range pi {
			next := 0.0
			for u := range pi {
				next += pi[u] * w.At(u, v)
			}
			if total += pi[v]; math.Abs(next-pi[v]) > 1e-14 {
				t.Errorf("pi W is %v at %d, pi is %v", next, v, pi[v])
			}
		}
		if math.Abs(total-1) > 1e-14 {
			t.Errorf("pi sums to %v", total)
		}
	}
}

// A matrix of a rule's numbers is the rule: the same entries, products and gap.
func TestOwnIsTheRule(t *testing.T) {
	for _, expr := range []string{"hypercube:3", "star:5", "er:n=12,p=0.4,seed=3,connected"} {
		rule, err := graph.NewTransition(mustParse(t, expr), "hamilton")
		if err != nil {
			t.Fatal(err)
		}
		var entries []graph.Entry
		for u := range rule.Len() {
			for v := range rule.Len() {
				entries = append(entries, graph.Entry{From: u, To: v, Value: rule.At(u, v)})
			}
		}
		own := ownOf(t, expr, entries)
		x, there, here := make([]float64, own.Len()), make([]float64, own.Len()), make([]float64, own.Len())
		for u := range x {
			x[u] = float64(u * u)
		}
		rule.Mul(there, x)
		own.Mul(here, x)
		for u := range x {
			if math.Abs(there[u]-here[u]) > 1e-12*float64(own.Len()*own.Len()) {
				t.Errorf("%s: the product is %v at %d, not %v", expr, here[u], u, there[u])
			}
			for v := range x {
				if math.Abs(own.At(u, v)-rule.At(u, v)) > 1e-15 {
					t.Errorf("%s: (%d, %d) is %v, not %v", expr, u, v, own.At(u, v), rule.At(u, v))
				}
			}
		}
		gap, err := own.SpectralGap()
		want, _ := rule.SpectralGap()
		if err != nil || math.Abs(gap.Value-want.Value) > 1e-9 {
			t.Errorf("%s: gap %v, not %v: %v", expr, gap.Value, want.Value, err)
		}
	}
}

// Draws follow the row, to five standard deviations of 1e5 draws (a false alarm in a million), and
// never go where the probability is 0.
func TestOwnNext(t *testing.T) {
	w := ownOf(t, "star:5", []graph.Entry{{0, 1, 0.7}, {0, 2, 0.1}, {0, 3, 0.1}, {0, 4, 0.1}, {1, 0, 1}, {2, 0, 0.5}, {2, 2, 0.5}, {3, 0, 1}, {4, 0, 1}})
	r, counts := rand.New(rand.NewPCG(1, 2)), [5]int{}
	const draws = 100000
	for range draws {
		counts[w.Next(0, r)]++
	}
	for v, count := range counts {
		p := w.At(0, v)
		if math.Abs(float64(count)-draws*p) > 5*math.Sqrt(draws*p*(1-p)) {
			t.Errorf("%d of %d draws go to %d, whose probability is %v", count, draws, v, p)
		}
	}
}

// A lazy rule stays with its probability and else moves by the other, and keeps its symmetries.
func TestLazy(t *testing.T) {
	g := mustParse(t, "star:5")
	for rule, of := range map[string]string{"lazy:0.25": "hamilton", "lazy:0.25,uniform": "uniform", "lazy:0.25,metropolis": "metropolis"} {
		lazy, err := graph.NewTransition(g, rule)
		if err != nil {
			t.Fatal(err)
		}
		moves, err := graph.NewTransition(g, of)
		if err != nil {
			t.Fatal(err)
		}
		for u := range g.Len() {
			for v := range g.Len() {
				want := 0.75 * moves.At(u, v)
				if u == v {
					want += 0.25
				}
				if math.Abs(lazy.At(u, v)-want) > 1e-15 {
					t.Errorf("%s: (%d, %d) is %v, not %v", rule, u, v, lazy.At(u, v), want)
				}
			}
		}
		if lazy.Symmetric() != moves.Symmetric() || lazy.Rule() != "lazy:0.25,"+of || lazy.Own() {
			t.Errorf("%s: %s, symmetric %v", rule, lazy.Rule(), lazy.Symmetric())
		}
		slow, err := lazy.SpectralGap()
		if err != nil || slow.Value <= 0 {
			t.Errorf("%s: gap %v, %v", rule, slow.Value, err)
		}
	}
	for _, rule := range []string{"lazy:1", "lazy:-0.1", "lazy:", "lazy:0.5,lazy:0.5", "lazy:nan", "lazy:0.5,none"} {
		_, err := graph.NewTransition(g, rule)
		refused(t, err)
	}
}
