package privacy

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// normal is the density of N(mean, sigma^2) at x.
func normal(x, mean, sigma float64) float64 {
	return math.Exp(LogDensity((x-mean)/sigma)) / sigma
}

// bruteRenyi integrates the Renyi divergence of two densities on the line by
// the trapezoid rule.
func bruteRenyi(p, q func(x float64) float64, order, lo, hi float64) float64 {
	const n = 20000
	sum := 0.0
	for k := range n + 1 {
		x := lo + (hi-lo)*float64(k)/n
		if a, b := p(x), q(x); a > 0 && b > 0 {
			sum += math.Exp(order*math.Log(a) - (order-1)*math.Log(b))
		}
	}
	return math.Log(sum*(hi-lo)/n) / (order - 1)
}

// One step of the curator, in one dimension, with every node's gradient
// anywhere in [-1/2, 1/2] (sensitivity 1): the divergence of the two real
// mixtures never exceeds the bound.
func TestCentralBoundsEveryMixtureOnTheLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "nodes")
		sigma := math.Exp(rapid.Float64Range(-0.7, 1).Draw(t, "ln sigma"))
		order := rapid.Float64Range(1.1, 12).Draw(t, "order")
		gradient := rapid.Float64Range(-0.5, 0.5)
		others := rapid.SliceOfN(gradient, n-1, n-1).Draw(t, "others")
		mixture := func(own float64) func(float64) float64 {
			return func(x float64) float64 {
				sum := normal(x, own, sigma)
				for _, g := range others {
					sum += normal(x, g, sigma)
				}
				return sum / float64(n)
			}
		}
		p, q := mixture(gradient.Draw(t, "own")), mixture(gradient.Draw(t, "replaced"))
		reach := 10*sigma + order
		truth := bruteRenyi(p, q, order, -reach, reach)
		if bound := (Central{Nodes: n, Steps: 1}).RDP(sigma)(order); truth > bound*(1+1e-7)+1e-9 {
			t.Fatalf("divergence %g exceeds the bound %g", truth, bound)
		}
	})
}

// The worst case that is known: the others stand where the replaced one
// stands. The bound may exceed it by the other direction's share only.
func TestCentralIsCloseToTheWorstMixture(t *testing.T) {
	for _, q := range []float64{1, 0.5, 0.1, 0.01} {
		for _, sigma := range []float64{0.7, 1, 3} {
			for _, order := range []float64{1.5, 2, 4, 16} {
				p := func(x float64) float64 { return (1-q)*normal(x, 0, sigma) + q*normal(x, 1, sigma) }
				base := func(x float64) float64 { return normal(x, 0, sigma) }
				truth := bruteRenyi(p, base, order, -12*sigma, order+12*sigma)
				excess := math.Exp(SubsampledLogExcess(q, 1/sigma, order))
				bound := math.Log1p(excess) / (order - 1)
				if bound < truth*(1-1e-6) || bound > truth*2.01+1e-12 {
					t.Errorf("q=%g sigma=%g order=%g: bound %g, worst mixture %g", q, sigma, order, bound, truth)
				}
			}
		}
	}
}

// With every node drawn (one node) both directions mirror each other, and the
// bound is the Gaussian mechanism's own curve.
func TestCentralOfOneNodeIsTheGaussianMechanism(t *testing.T) {
	for _, sigma := range []float64{0.3, 1, 7} {
		for _, order := range []float64{1.01, 2, 8, 64, 500} {
			got, want := (Central{Nodes: 1, Steps: 3}).RDP(sigma)(order), 3*order/(2*sigma*sigma)
			if math.Abs(got/want-1) > 1e-9 {
				t.Errorf("sigma %g order %g: %g, Gaussian %g", sigma, order, got, want)
			}
		}
	}
}

func TestCentralPublishedReferenceNumbers(t *testing.T) {
	c := Central{Nodes: 2048, Steps: 20000}
	for eps, want := range map[float64]float64{1: 6.80, 10: 0.680} {
		n, err := c.Published(eps, 1e-6)
		if err != nil || math.Abs(n.Std(0.4)/want-1) > 2e-3 {
			t.Errorf("eps %g: std %g, want %g (%v)", eps, n.Std(0.4), want, err)
		}
		if n.Status != Published {
			t.Errorf("status %v", n.Status)
		}
	}
}

func TestCentralTightMeetsItsTarget(t *testing.T) {
	c := Central{Nodes: 2048, Steps: 20000}
	for _, m := range []Metric{{Delta: 1e-6, Conversion: CanonneKamathSteinke}, {Order: 4}} {
		for _, eps := range []float64{0.5, 1, 10} {
			n, cal, err := c.Tight(eps, m)
			if err != nil {
				t.Fatal(err)
			}
			at, claim, _ := c.Loss(n.Multiplier, m)
			above, _, _ := c.Loss(n.Multiplier*0.999, m)
			if at > eps || above <= eps || claim.Status != Sound {
				t.Errorf("%v eps %g: sigma %g loses %g, a little less noise %g", m, eps, n.Multiplier, at, above)
			}
			if !(cal.Low <= cal.Sigma && cal.Sigma <= cal.Low*(1+1.1e-5)) {
				t.Errorf("bracket [%g, %g]", cal.Low, cal.Sigma)
			}
			t.Logf("%v eps %g: sigma %.4f after %d losses", m, eps, cal.Sigma, cal.Steps)
		}
	}
}

func BenchmarkCentralTight(b *testing.B) {
	c := Central{Nodes: 2048, Steps: 20000}
	for b.Loop() {
		if _, _, err := c.Tight(1, Metric{Delta: 1e-6, Conversion: CanonneKamathSteinke}); err != nil {
			b.Fatal(err)
		}
	}
}

// If hardly any noise meets a target, Calibrate finds hardly any: no floor stops the search.
func TestCentralCalibratesWithoutAFloor(t *testing.T) {
	for _, c := range []Central{{Nodes: 50, Steps: 10}, {Nodes: 2, Steps: 1}, {Nodes: 1000, Steps: 1}} {
		for _, target := range []float64{900, 1e4, 1e6} {
			for _, m := range []Metric{{Delta: 1e-6}, {Order: 2}} {
				noise, found, err := c.Tight(target, m)
				if err != nil {
					t.Fatal(err)
				}
				if loss := c.loss(noise.Multiplier, m); !(loss <= target) || found.Low > LeastSigma && !(c.loss(found.Low, m) >= target*(1-1e-3)) {
					t.Errorf("%+v at %v, %v: sigma %v loses %v, the lower end %v %v", c, target, m, noise.Multiplier, loss, found.Low, c.loss(found.Low, m))
				}
			}
		}
	}
}
