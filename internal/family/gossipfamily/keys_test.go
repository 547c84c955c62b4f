package gossipfamily

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

// The least rows of a batch over the weight of its node are those of some node with as many rows or more, rounded down.
func TestLeastRowsAreThoseOfSomeNode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, weigh := rapid.IntRange(1, 40).Draw(t, "rows"), rapid.IntRange(0, 60).Draw(t, "weigh")
		k := &Keys{Epoch: rapid.SampledFrom([]int{0, 2, 3, 7}).Draw(t, "epoch")}
		if k.Epoch == 0 {
			k.Batch = rapid.IntRange(1, 70).Draw(t, "batch")
		}
		least := math.Inf(1)
		for m := rows; m < rows+200; m++ {
			batch := min(m, k.Batch)
			if k.Epoch > 0 {
				batch = max(1, m/k.Epoch)
			}
			least = min(least, float64(batch)*max(1, float64(weigh)/float64(m)))
		}
		if got := float64(k.leastRows(rows, weigh)); got != max(1, math.Floor(least*(1+1e-12))) {
			t.Fatalf("%g rows, by hand %g: %+v", got, least, k)
		}
	})
}
