package gossipview

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/internal/subspace"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Rows (1,1) and (1,2): the sum of equation 6.3 gives 1/2 + 1/5 where the two
// messages together give each value away.
func TestEquation63IsBelowTheTruthForTwoRows(t *testing.T) {
	rows := [][]float64{{1, 1}, {1, 2}}
	sum := 0.0
	for _, row := range rows {
		sum += row[0] * row[0] / sparse.Dot(row, row)
	}
	span := subspace.NewSpan(2)
	span.Insert(rows...)
	energy := make([]float64, 2)
	span.Energy(energy)
	if math.Abs(sum-0.7) > 1e-15 || energy[0] != 1 {
		t.Errorf("the sum is %v, the truth %v", sum, energy[0])
	}
}

func TestEquation63IsBelowTheTruthOnGraphs(t *testing.T) {
	for _, c := range []struct {
		graph string
		u, v  int
		least float64 // by how much it is too small, at least
	}{{"line:7", 0, 6, 13690}, {"grid:5x5", 22, 0, 2340}} {
		g := gossipNamed(t, c.graph, 6)
		truth, published := g.Leakage(1).At(c.u, c.v), g.PublishedSum(1)
		if ratio := truth / published.At(c.u, c.v); ratio < c.least {
			t.Errorf("%s: truth %v, published %v: only %g times", c.graph, truth, published.At(c.u, c.v), ratio)
		}
		if published.Status != privacy.Published {
			t.Errorf("status %v", published.Status)
		}
	}
}

func TestEquation63CountsMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 15)
		gossip, err := New(weightsOf(t, g), rapid.IntRange(0, 10).Draw(t, "T"))
		if err != nil {
			t.Fatal(err)
		}
		p := gossip.PublishedSum(2)
		for v := range g.Len() {
			sum := 0.0
			for u := range g.Len() {
				sum += p.At(u, v)
			}
			if want := float64(gossip.Steps() * g.Degree(v)); math.Abs(sum-want) > 1e-10*want {
				t.Fatalf("the sum over u is %v, want the number of messages %v (equation 6.4)", sum, want)
			}
		}
	})
}

func TestEquation63OnChangingGraphsEqualsTheSimpleLoop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "n")
		var ws []*sparse.Matrix
		for range rapid.IntRange(1, 5).Draw(t, "T") {
			ws = append(ws, drawRound(t, n))
		}
		g, err := NewChanging(ws)
		if err != nil {
			t.Fatal(err)
		}
		got := g.PublishedSum(2)
		want := make([]float64, n*n)
		product := make([]float64, n*n)
		for i := range n {
			product[i*n+i] = 1
		}
		for _, w := range ws {
			for v := range n {
				for x := range n {
					row := product[x*n : (x+1)*n]
					for u := range n {
						if x != v && w.At(v, x) != 0 {
							want[u*n+v] += row[u] * row[u] / sparse.Dot(row, row)
						}
					}
				}
			}
			next := make([]float64, n*n)
			w.MulBlock(next, product, n)
			product = next
		}
		for k := range want {
			if math.Abs(got.Values[k]-want[k]) > 1e-12 {
				t.Fatalf("entry %d is %v, want %v", k, got.Values[k], want[k])
			}
		}
	})
}

func TestCorollary63BoundsTheSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := weightsOf(t, drawGraph(t, 15))
		g, err := New(w, rapid.IntRange(0, 10).Draw(t, "T"))
		if err != nil {
			t.Fatal(err)
		}
		bound, err := g.Corollary63(1)
		if err != nil {
			if w.Symmetric(0) {
				t.Fatal(err)
			}
			return
		}
		sum := g.PublishedSum(1)
		for k, value := range sum.Values {
			if u, v := k/g.n, k%g.n; u != v && value > bound.Values[k]*(1+1e-9)+1e-12 {
				t.Fatalf("(%d, %d): sum %v, bound %v", u, v, value, bound.Values[k])
			}
		}
	})
}

func TestTheorem66(t *testing.T) {
	local, rest, claim, err := RandomGraphLoss(1000, 10, 20, 2, 2)
	if err != nil || local != 0.25 || math.Abs(rest/(0.5*20*10/990)-1) > 1e-15 || claim.Status != privacy.Published {
		t.Errorf("%v, %v, %v, %v", local, rest, claim, err)
	}
	for _, bad := range []struct {
		n, degree, steps int
		sigma, order     float64
	}{{10, 10, 1, 2, 2}, {10, -1, 1, 2, 2}, {10, 1, -1, 2, 2}, {10, 1, 1, 0.9, 2}, {10, 1, 1, 2, 1}, {10, 1, 1, math.NaN(), 2}} {
		if _, _, _, err := RandomGraphLoss(bad.n, bad.degree, bad.steps, bad.sigma, bad.order); err == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
}
