package privacy

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestLocalPublishedReferenceNumbers(t *testing.T) {
	for eps, want := range map[float64]float64{1: 46.9, 10: 5.87} {
		n, err := LocalPublished(12, eps, 1e-6)
		if err != nil || math.Abs(n.Std(0.4)/want-1) > 2e-3 {
			t.Errorf("eps %g: std %g, want %g (%v)", eps, n.Std(0.4), want, err)
		}
		if n.Status != Published {
			t.Errorf("status %v", n.Status)
		}
	}
}

// 12 contributions at delta 1e-6, in units of the sensitivity.
func TestLocalTightReferenceNumbers(t *testing.T) {
	for eps, want := range map[float64]float64{0.5: 27.9, 1: 14.6, 2: 7.73, 5: 3.39} {
		n, err := LocalTight(12, eps, Metric{Delta: 1e-6})
		if err != nil || math.Abs(n.Multiplier/want-1) > 5e-3 {
			t.Errorf("eps %g: sigma %g, want %g (%v)", eps, n.Multiplier, want, err)
		}
	}
}

func TestLocalTightInvertsLocalLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 1000).Draw(t, "contributions")
		eps := math.Exp(rapid.Float64Range(-3, 3).Draw(t, "ln eps"))
		delta := math.Exp(rapid.Float64Range(-60, -3).Draw(t, "ln delta"))
		n, err := LocalTight(k, eps, Metric{Delta: delta})
		if err != nil {
			t.Fatal(err)
		}
		back, claim, err := LocalLoss(k, n.Multiplier, Metric{Delta: delta})
		if err != nil || back > eps || back < eps*(1-1e-8) || claim.Status != Sound {
			t.Fatalf("eps %g came back as %g (%v, %v)", eps, back, claim, err)
		}
	})
}

func TestBaselinesRefuseWhatIsNoTarget(t *testing.T) {
	c := Central{Nodes: 10, Steps: 10}
	refused := map[string]error{}
	_, refused["local, no contribution"] = LocalTight(0, 1, Metric{Delta: 1e-6})
	_, refused["local, eps 0"] = LocalTight(3, 0, Metric{Delta: 1e-6})
	_, refused["published local, delta 1"] = LocalPublished(3, 1, 1)
	_, refused["published local, no contribution"] = LocalPublished(0, 1, 1e-6)
	_, refused["published central, eps NaN"] = c.Published(math.NaN(), 1e-6)
	_, refused["published central, no steps"] = Central{Nodes: 3}.Published(1, 1e-6)
	_, _, refused["tight central, no metric"] = c.Tight(1, Metric{})
	_, _, refused["tight central, target 0"] = c.Tight(0, Metric{Order: 2})
	_, _, refused["central loss, sigma 0"] = c.Loss(0, Metric{Order: 2})
	_, _, refused["local loss, sigma NaN"] = LocalLoss(2, math.NaN(), Metric{Order: 2})
	for what, err := range refused {
		if err == nil {
			t.Errorf("%s was accepted", what)
		}
	}
}
