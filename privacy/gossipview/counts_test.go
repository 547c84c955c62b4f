package gossipview

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/privacy"
)

// TestCountsAreOfAllPairs compares them with a map, on values that stand often, once or are 0.
func TestCountsAreOfAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "nodes")
		p := &Pairs{N: n}
		for range n * n {
			p.Values = append(p.Values, float64(rapid.IntRange(0, 6).Draw(t, "value"))/3)
		}
		want := map[float64]int{}
		for u := range n {
			for v := range n {
				if value := p.At(u, v); u != v && value > 0 {
					want[value]++
				}
			}
		}
		got := p.counts(p.nodes())
		for i, c := range got {
			if c.pairs != want[c.value] {
				t.Fatalf("%d pairs have %g, want %d", c.pairs, c.value, want[c.value])
			}
			if i > 0 && got[i-1].value >= c.value {
				t.Fatalf("%g comes after %g", c.value, got[i-1].value)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%d values, want %d", len(got), len(want))
		}
	})
}

// BenchmarkCalibrateMean is of 2048 nodes no two pairs of whom are alike.
func BenchmarkCalibrateMean(b *testing.B) {
	const n = 2048
	rng := rand.New(rand.NewPCG(1, 2))
	p := &Pairs{N: n, Values: make([]float64, n*n), Claim: privacy.Claim{Status: privacy.Sound}}
	for i := range p.Values {
		p.Values[i] = rng.ExpFloat64()
	}
	for b.Loop() {
		if _, _, err := p.Calibrate(privacy.Mean, 1, privacy.Metric{Delta: 1e-6}); err != nil {
			b.Fatal(err)
		}
	}
}
