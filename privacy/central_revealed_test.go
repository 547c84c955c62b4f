package privacy

import (
	"math"
	"testing"
)

// By hand, for two nodes and two steps: drawn never, once or twice.
func TestRevealedDrawsByHand(t *testing.T) {
	c, sigma := Central{Nodes: 2, Steps: 2}, 1.3
	for _, delta := range []float64{1e-3, 1e-6} {
		eps, claim, err := c.RevealedLoss(sigma, Metric{Delta: delta})
		if err != nil || claim.Status != Sound || claim.Unit != Record {
			t.Fatal(claim, err)
		}
		at := 0.5*math.Exp(LogDeltaGaussian(1/sigma, eps)) + 0.25*math.Exp(LogDeltaGaussian(math.Sqrt2/sigma, eps))
		if at > delta || at < delta*(1-1e-6) {
			t.Errorf("epsilon %v has delta %v, want %v", eps, at, delta)
		}
	}
	alpha := 3.0
	rate := alpha * (alpha - 1) / (2 * sigma * sigma)
	got, _, err := c.RevealedLoss(sigma, Metric{Order: alpha})
	if want := math.Log(0.25+0.5*math.Exp(rate)+0.25*math.Exp(2*rate)) / (alpha - 1); err != nil || math.Abs(got-want) > 1e-12*want {
		t.Errorf("Renyi %v, want %v (%v)", got, want, err)
	}
}

// Secret draws hide no less than shown ones where all nodes are alike, and shown ones no
// less than no draws at all.
func TestRevealedDrawsLieBetween(t *testing.T) {
	for _, c := range []Central{{1, 5, 0}, {10, 100, 0}, {100, 1000, 0}, {2048, 20, 1}, {10, 50, 4}, {5, 20, 5}} {
		for _, m := range []Metric{{Delta: 1e-6}, {Order: 4}} {
			shown, _, err := c.RevealedLoss(2, m)
			if err != nil {
				t.Fatal(err)
			}
			hidden, _, _ := c.Loss(2, m)
			local, _, _ := LocalLoss(c.Steps, 2, m)
			if shown > local*(1+1e-9) || shown < hidden*(1-1e-3) {
				t.Errorf("%+v %v: hidden %v, shown %v, local %v", c, m, hidden, shown, local)
			}
		}
	}
}
