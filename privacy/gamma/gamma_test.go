package gamma

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/fault"
	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/privacy"
)

func TestLemma3Golden(t *testing.T) {
	type laws struct {
		Least      float64 `json:"inf_L"`
		Most       float64 `json:"sup_L"`
		Theta, Eps float64
		Tail       string `json:"delta_tail"`
		Exact      string `json:"delta_exact"`
	}
	for _, c := range slices.Concat(testdata.Goldens[[]laws](t, "gamma")...) {
		g := Mechanism{c.Least, c.Most, c.Theta}
		for what, pair := range map[string][2]float64{
			"tail":  {g.TailDelta(c.Eps), math.Exp(testdata.LogOfDecimal(t, c.Tail))},
			"exact": {g.Delta(c.Eps), math.Exp(testdata.LogOfDecimal(t, c.Exact))},
		} {
			if math.Abs(pair[0]/pair[1]-1) > 1e-8 {
				t.Errorf("%+v at %g: %s %.15g, want %.15g", g, c.Eps, what, pair[0], pair[1])
			}
		}
	}
}

// integratedDelta integrates the positive part of p - e^eps q over the logarithm
// of the draw, both ways round.
func integratedDelta(low, high, eps float64) float64 {
	a, _ := math.Lgamma(low)
	b, _ := math.Lgamma(high)
	up, down := 0.0, 0.0
	const step = 0.005
	for y := -80.0; y < 6; y += step {
		p, q := math.Exp(high*y-math.Exp(y)-b), math.Exp(low*y-math.Exp(y)-a)
		up += max(0, p-math.Exp(eps)*q) * step
		down += max(0, q-math.Exp(eps)*p) * step
	}
	return max(up, down)
}

func drawGamma(t *rapid.T) Mechanism {
	least := rapid.Float64Range(0.5, 3).Draw(t, "least")
	return Mechanism{least, least * rapid.Float64Range(1.1, 5).Draw(t, "ratio"), least / rapid.Float64Range(0.3, 8).Draw(t, "shape")}
}

func TestLemma3ExactDeltaEqualsItsIntegral(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, eps := drawGamma(t), rapid.Float64Range(0, 3).Draw(t, "eps")
		low, high := g.shapes()
		if got, want := g.Delta(eps), integratedDelta(low, high, eps); math.Abs(got-want) > 1e-4 {
			t.Fatalf("%+v at %g: %g, the integral gives %g", g, eps, got, want)
		}
	})
}

// The tail bound is one, the ends of the range are the worst pair, no theta
// gets below the floor, and more noise hides more.
func TestLemma3Order(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, eps := drawGamma(t), rapid.Float64Range(0, 4).Draw(t, "eps")
		exact := g.Delta(eps)
		if tail := g.TailDelta(eps); tail < exact-1e-12 {
			t.Fatalf("%+v at %g: tail %g below %g", g, eps, tail, exact)
		}
		inner := g
		inner.Least += rapid.Float64Range(0, 0.4).Draw(t, "up") * (g.Most - g.Least)
		inner.Most -= rapid.Float64Range(0, 0.4).Draw(t, "down") * (g.Most - g.Least)
		if d := inner.Delta(eps); d > exact+1e-12 {
			t.Fatalf("%+v at %g: %g, the inner %+v has %g", g, eps, exact, inner, d)
		}
		if floor := Floor(g.Least, g.Most, eps); exact < floor-1e-12 {
			t.Fatalf("%+v at %g: %g below the floor %g", g, eps, exact, floor)
		}
		more := g
		more.Theta *= 1.5
		if d := more.Delta(eps); d > exact+1e-9 {
			t.Fatalf("%+v at %g: %g, with more noise %g", g, eps, exact, d)
		}
	})
}

// The floor is what large theta approach.
func TestGammaFloorIsTheLimit(t *testing.T) {
	for _, eps := range []float64{0, 0.1, 0.5, 1, 3} {
		for _, most := range []float64{1.5, 2, 5} {
			far := Mechanism{1, most, 1e6}
			if got, want := far.Delta(eps), Floor(1, most, eps); math.Abs(got-want) > 1e-4 {
				t.Errorf("[1, %g] at %g: %g, the floor is %g", most, eps, got, want)
			}
		}
	}
	if got, want := Floor(1, 2, 1), math.Exp(-1)/4; math.Abs(got-want) > 1e-15 {
		t.Errorf("%g, want %g", got, want)
	}
}

func TestSmallestTheta(t *testing.T) {
	g, cal, err := SmallestTheta(1, 2, 3, 0.03)
	if err != nil || cal.Low > g.Theta {
		t.Fatal(cal, err)
	}
	if d := g.Delta(3); d > 0.03 || d < 0.03*(1-1e-9) {
		t.Errorf("delta %g at theta %g", d, g.Theta)
	}
	if eps := g.Epsilon(0.03); math.Abs(eps-3) > 1e-9 {
		t.Errorf("epsilon %g", eps)
	}
	if _, _, err := SmallestTheta(1, 2, 1, 1e-6); err == nil {
		t.Error("a delta below the floor was accepted")
	}
	for _, bad := range []Mechanism{{0, 1, 1}, {2, 1, 1}, {1, 2, 0}, {1, math.Inf(1), 1}, {math.NaN(), 2, 1}} {
		if bad.Check() == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
	if g.Claim().Status != privacy.Sound || g.PublishedClaim().Status != privacy.Published {
		t.Error("wrong status")
	}
}

// What no theta gets below is a lower bound, and says so.
func TestFloorIsNoSoundNumber(t *testing.T) {
	g := Mechanism{Least: 1, Most: 2, Theta: 3}
	if c := g.FloorClaim(); c.Status != privacy.Audit || len(c.Assumptions) == 0 {
		t.Errorf("the floor is %v", c)
	}
	if floor := Floor(1, 2, 1); floor > g.Delta(1) {
		t.Errorf("floor %v, delta %v", floor, g.Delta(1))
	}
}

// The least and the largest theta of the hint are taken.
func TestBoundsOfTheHintAreTaken(t *testing.T) {
	for _, most := range []float64{1.0003, 2, 3.14159, 7} {
		err := Mechanism{most / 3, most, 1e-30}.Check()
		var least, largest float64
		if _, failed := fmt.Sscanf(fault.Hint(err), "give a theta of at least %g and at most %g", &least, &largest); failed != nil {
			t.Fatalf("%v (%s): %v", err, fault.Hint(err), failed)
		}
		for _, theta := range []float64{least, largest} {
			if err := (Mechanism{most / 3, most, theta}).Check(); err != nil {
				t.Errorf("%v (%s)", err, fault.Hint(err))
			}
		}
	}
}
