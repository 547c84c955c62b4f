package gossipview

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/privacy"
)

// Calibration meets its target, and a little less noise would not.
func TestCalibrateMeetsItsTargetAndNoMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 3).Draw(t, "n")
		p := &Pairs{N: n, Values: rapid.SliceOfN(rapid.Float64Range(0.001, 3), n*n, n*n).Draw(t, "values")}
		target := rapid.Float64Range(0.1, 5).Draw(t, "target")
		for _, m := range []privacy.Metric{{Order: 2}, {Delta: 1e-6}} {
			for _, s := range []privacy.Statistic{privacy.Mean, privacy.Max} {
				of := func(l *Losses) float64 {
					if s == privacy.Max {
						return l.Max()
					}
					return l.Mean()
				}
				losses, _, err := p.Calibrate(s, target, m)
				if err != nil {
					t.Fatal(err)
				}
				if got := of(losses); got > target*(1+1e-9) {
					t.Fatalf("asked for %g, got %g", target, got)
				}
				less, err := p.Losses(losses.Sigma*(1-1e-3), m)
				if err != nil {
					t.Fatal(err)
				}
				if got := of(less); got <= target {
					t.Fatalf("a thousandth less noise still gives %g of %g", got, target)
				}
			}
		}
	})
}
