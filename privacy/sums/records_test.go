package sums

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/privacy"
)

// binomial is the chance of k in n.
func binomial(n, k int, p float64) float64 { return math.Exp(privacy.LogBinomial(n, p, k)) }

// exactDelta is the largest chance, over both orders, by which the count of one value
// among so many answers, one of them u's, tells data sets of u apart that differ in one row
// of several: all other rows and nodes have the other value.
func exactDelta(r RandomResponse, others int, rows, eps float64) (most float64) {
	count := func(u float64) []float64 { // of answers with the value, u being the chance of u's
		all := make([]float64, others+2)
		for k := range others + 1 {
			p := binomial(others, k, r.Other())
			all[k] += p * (1 - u)
			all[k+1] += p * u
		}
		return all
	}
	before, after := count(r.Other()), count(r.Other()*(1-1/rows)+r.Truth()/rows)
	for _, pair := range [][2][]float64{{before, after}, {after, before}} {
		delta := 0.0
		for k := range pair[0] {
			delta += max(0, pair[0][k]-math.Exp(eps)*pair[1][k])
		}
		most = max(most, delta)
	}
	return most
}

// The loss about one of several rows that a node draws its answer from is at most that of
// PairsOf and Among, by enumeration of the counts of one observer.
func TestRowsOfAHistogramLoseNoMoreThanStated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := RandomResponse{Values: 2, Gamma: rapid.Float64Range(0.01, 0.99).Draw(t, "gamma")}
		rows := float64(rapid.IntRange(1, 40).Draw(t, "rows"))
		nodes, delta := rapid.IntRange(3, 60).Draw(t, "nodes"), math.Pow(10, rapid.Float64Range(-9, -2).Draw(t, "delta"))
		if got := exactDelta(r, 0, rows, r.Among(rows)); got > 1e-12 {
			t.Errorf("%+v of %g rows: an answer is off by %g", r, rows, got)
		}
		pairs, err := RingHistogram{Nodes: nodes, Rounds: 1, Response: r}.PairsOf(delta, rows)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []int{1, nodes / 2, nodes - 1} {
			if v < 1 {
				continue
			}
			// v answers before v's turn, beside the random ones of the start.
			if got := exactDelta(r, v-1, rows, pairs.At(0, v)); int(r.Gamma*float64(nodes)) == 0 && got > delta*(1+1e-9) {
				t.Errorf("%+v of %g rows, place %d of %d: delta %g at eps %g, stated %g", r, rows, v, nodes, got, pairs.At(0, v), delta)
			}
		}
		if whole, _ := (RingHistogram{Nodes: nodes, Rounds: 1, Response: r}).Pairs(delta); pairs.At(0, 1) > whole.At(0, 1) {
			t.Errorf("a row loses %g, all rows %g", pairs.At(0, 1), whole.At(0, 1))
		}
	})
}
