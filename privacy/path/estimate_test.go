package path

import (
	"math"
	"testing"

	"github.com/hearsay-dp/hearsay/privacy"
	"pgregory.net/rapid"
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
	})
}
