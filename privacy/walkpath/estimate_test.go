package walkpath

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/privacy"
)

// Weighted by the sizes of their strata, pairs of which all are drawn have the mean
// of all pairs, however they are put into strata.
func TestEstimateOfAllPairsIsTheirMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, _, _ := drawWalk(t)
		laws, err := w.Laws(EveryPair(w.Nodes), 1)
		if err != nil {
			t.Fatal(err)
		}
		pairs := w.Nodes * (w.Nodes - 1)
		stratum, size := make([]int, pairs), make([]int, 3)
		for k := range stratum {
			stratum[k] = rapid.IntRange(0, len(size)-1).Draw(t, "stratum")
			size[stratum[k]]++
		}
		e := laws.Estimate(stratum, size)
		losses, err := e.Losses(2, privacy.Metric{Order: 2})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := e.Mean(losses), losses.Mean(); math.Abs(got-want) > 1e-12*(1+want) {
			t.Fatalf("estimate %g, mean %g", got, want)
		}
		if low, high := e.Interval(losses); low != high || low != e.Mean(losses) {
			t.Fatalf("all pairs are drawn, and the mean %g is between %g and %g", e.Mean(losses), low, high)
		}
	})
}

// Of 400 samples, at most one in twenty has an interval that the mean of all pairs is
// outside of; by Hoeffding's inequality it is far fewer, and a binomial count of 400 at
// 0.05 exceeds 40 with a probability below 1e-5. The seed is fixed.
func TestIntervalHoldsTheMean(t *testing.T) {
	w, g := walkOn(t, "er:n=9,p=0.5,seed=3,connected=true")
	w.Turns, w.Cap = 90, 4
	whole, err := w.Laws(EveryPair(w.Nodes), 2)
	if err != nil {
		t.Fatal(err)
	}
	hops, err := g.Graph().AllDistances()
	if err != nil {
		t.Fatal(err)
	}
	distance := func(u, v int) int { return int(hops[u][v]) }
	m := privacy.Metric{Delta: 1e-6}
	all, err := whole.Losses(2, m)
	if err != nil {
		t.Fatal(err)
	}
	outside := 0
	for seed := range uint64(400) {
		class := StratifiedPairs(w.Nodes, distance, 5, rand.New(rand.NewPCG(seed, 1)))
		some := &Laws{nodes: w.Nodes, class: class, local: whole.local}
		losses, of := &Losses{laws: some, ranks: []rankLosses{{rest: whole.local.loss(2, m)}}}, []int(nil)
		for _, p := range some.count() {
			losses.ranks[0].losses, of = append(losses.ranks[0].losses, all.At(p.U, p.V)), append(of, distance(p.U, p.V))
		}
		some.rank(w)
		size := make([]int, w.Nodes)
		for u := range w.Nodes {
			for v := range w.Nodes {
				if u != v {
					size[distance(u, v)]++
				}
			}
		}
		e := some.Estimate(of, size)
		if low, high := e.Interval(losses); all.Mean() < low || all.Mean() > high {
			outside++
		}
	}
	if outside > 20 { // one in twenty
		t.Errorf("%d of 400 intervals miss the mean", outside)
	}
}
