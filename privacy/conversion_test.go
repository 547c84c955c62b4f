package privacy

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/internal/testdata"
)

func TestPropositionD8AndCKSGolden(t *testing.T) {
	type conversion struct{ Alpha, RDP, Delta, Mironov, CKS float64 }
	var cases []conversion
	for _, file := range testdata.Goldens[struct {
		Cases []conversion `json:"rdp_to_dp"`
	}](t, "conversions") {
		cases = append(cases, file.Cases...)
	}
	for _, c := range cases {
		if got := Mironov.Epsilon(c.Alpha, c.RDP, c.Delta); math.Abs(got/c.Mironov-1) > 1e-12 {
			t.Errorf("mironov(%g, %g, %g) = %v, want %v", c.Alpha, c.RDP, c.Delta, got, c.Mironov)
		}
		if got := CanonneKamathSteinke.Epsilon(c.Alpha, c.RDP, c.Delta); math.Abs(got/c.CKS-1) > 1e-12 {
			t.Errorf("cks(%g, %g, %g) = %v, want %v", c.Alpha, c.RDP, c.Delta, got, c.CKS)
		}
	}
}

func TestConversionsHoldForTheGaussianMechanism(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mu := math.Exp(rapid.Float64Range(-3, 1).Draw(t, "ln mu"))
		delta := math.Exp(rapid.Float64Range(-40, -2).Draw(t, "ln delta"))
		truth := EpsilonGaussian(mu, delta)
		curve := RDP(func(order float64) float64 { return order * mu * mu / 2 })
		cks, _ := curve.Epsilon(CanonneKamathSteinke, delta, Orders())
		mironov, order := curve.Epsilon(Mironov, delta, Orders())
		if !(truth <= cks && cks <= mironov) {
			t.Fatalf("mu=%g delta=%g: exact %g, cks %g, mironov %g", mu, delta, truth, cks, mironov)
		}
		if order <= 1 {
			t.Fatalf("order %g", order)
		}
	})
}

func TestBestOrderIsBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slope := math.Exp(rapid.Float64Range(-10, 5).Draw(t, "ln slope"))
		inverse := rapid.Float64Range(0.5, 60).Draw(t, "ln 1/delta")
		for _, c := range []Conversion{Mironov, CanonneKamathSteinke} {
			best := c.BestOrder(slope, inverse)
			at := func(order float64) float64 { return order*slope + c.Price(order, inverse) }
			for _, factor := range []float64{0.5, 0.9, 0.999, 1.001, 1.1, 2} {
				if other := 1 + (best-1)*factor; at(other) < at(best)-1e-12*math.Abs(at(best)) {
					t.Fatalf("%v: order %g is better than %g at slope %g", c, other, best, slope)
				}
			}
		}
	})
}

func TestParseConversion(t *testing.T) {
	for _, c := range []Conversion{Mironov, CanonneKamathSteinke} {
		if got, err := ParseConversion(c.String()); err != nil || got != c {
			t.Errorf("%v came back as %v, %v", c, got, err)
		}
	}
	if _, err := ParseConversion("tight"); err == nil {
		t.Error("an unknown conversion was read")
	}
}

func TestConversionInverses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom([]Conversion{Mironov, CanonneKamathSteinke}).Draw(t, "conversion")
		order := 1 + math.Exp(rapid.Float64Range(-3, 5).Draw(t, "ln order"))
		rdp := rapid.Float64Range(0, 10).Draw(t, "rdp")
		delta := math.Exp(rapid.Float64Range(-60, -1).Draw(t, "ln delta"))
		eps := c.Epsilon(order, rdp, delta)
		if eps == 0 {
			return
		}
		if back := c.LogDelta(order, rdp, eps); math.Abs(back-math.Log(delta)) > 1e-8 {
			t.Fatalf("delta %g came back as %g", delta, math.Exp(back))
		}
		if back := c.RDP(order, eps, delta); math.Abs(back-rdp) > 1e-9*(1+rdp+eps) {
			t.Fatalf("rdp %g came back as %g", rdp, back)
		}
	})
}

// A case in which the total variation improves the conversion.
func TestTightestKnowsTheTotalVariation(t *testing.T) {
	cks, tightest := math.Exp(CanonneKamathSteinke.LogDelta(1.01, 1e-6, 0)), math.Exp(Tightest.LogDelta(1.01, 1e-6, 0))
	if math.Abs(cks-0.945) > 1e-3 || math.Abs(tightest-1e-3) > 1e-8 {
		t.Errorf("delta %g by Canonne, Kamath and Steinke, %g by the tightest", cks, tightest)
	}
	if eps := Tightest.Epsilon(1.01, 1e-6, 0.0011); eps != 0 {
		t.Errorf("epsilon %g", eps)
	}
}

// No conversion says less than the truth about two laws on three points, and none
// is better than the tightest.
func TestEveryConversionIsABound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		law := func(name string) [3]float64 {
			var p [3]float64
			sum := 0.0
			for i := range p {
				p[i] = math.Exp(rapid.Float64Range(-8, 0).Draw(t, name))
				sum += p[i]
			}
			for i := range p {
				p[i] /= sum
			}
			return p
		}
		p, q := law("p"), law("q")
		order := 1 + math.Exp(rapid.Float64Range(-6, 4).Draw(t, "ln(order - 1)"))
		eps := rapid.Float64Range(0, 4).Draw(t, "eps")
		moment, truth, farthest := 0.0, 0.0, 0.0
		for i := range p {
			ratio := math.Log(p[i] / q[i])
			moment += p[i] * math.Exp((order-1)*ratio)
			truth += max(0, p[i]-math.Exp(eps)*q[i])
			farthest = max(farthest, math.Abs(ratio))
		}
		// Rounding may take this much from the moment, and delta grows as the root of a small loss.
		rounding := 1e-15 * order * (1 + farthest)
		rdp := max(0, (math.Log(moment)+rounding)/(order-1))
		for _, c := range []Conversion{Mironov, CanonneKamathSteinke, Tightest} {
			delta := math.Exp(c.LogDelta(order, rdp, eps))
			if truth > delta*(1+1e-9)+1e-12 {
				t.Fatalf("%v: delta %g, the truth is %g", c, delta, truth)
			}
			if best := math.Exp(Tightest.LogDelta(order, rdp, eps)); best > delta {
				t.Fatalf("%v gives delta %g, the tightest %g", c, delta, best)
			}
			if delta > 0 && delta < 1 && c.Epsilon(order, rdp, delta*(1+1e-9)) > eps+1e-6*(1+eps) {
				t.Fatalf("%v: epsilon %g at delta %g, which is that of %g", c, c.Epsilon(order, rdp, delta), delta, eps)
			}
			if back := c.RDP(order, eps, delta); delta < 1 && math.Abs(back-rdp) > 1e-6*(1+rdp) {
				t.Fatalf("%v: the loss %g came back as %g", c, rdp, back)
			}
		}
	})
}
