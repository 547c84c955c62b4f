package chebyshev

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestFitReachesItsTolerance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := math.Exp(rapid.Float64Range(-13, 0).Draw(t, "log lo"))
		hi := rapid.Float64Range(lo*1.01, 2).Draw(t, "hi")
		p, ok := Fit(negativeLog, lo, hi, 1e-14)
		if !ok {
			t.Fatalf("no fit on [%g, %g]", lo, hi)
		}
		for k := range 101 {
			x := lo + (hi-lo)*float64(k)/100
			if d := math.Abs(p.At(x) - negativeLog(x)); d > 1e-12+1e-15/lo {
				t.Fatalf("degree %d on [%g, %g] is off by %g at %g", p.Degree(), lo, hi, d, x)
			}
		}
	})
}

func negativeLog(x float64) float64 { return -math.Log(x) }

// The coefficients of -log on [1-b, 1+b] fall as rho^-k/k with
// rho = z + sqrt(z^2-1), z = 1/b, so the degree is known beforehand.
func TestTheDegreeIsThatOfTheBernsteinEllipse(t *testing.T) {
	for _, b := range []float64{0.3, 0.8333, 0.95, 0.995} {
		p, _ := Fit(negativeLog, 1-b, 1+b, 1e-13)
		want := math.Log(1e14) / math.Acosh(1/b)
		if d := float64(p.Degree()); d < want*0.75 || d > want*1.05 {
			t.Errorf("b=%g: degree %v, the ellipse says %.1f at most", b, d, want)
		}
	}
}

func TestAFunctionThatIsNotSmoothHasNoFit(t *testing.T) {
	if _, ok := Fit(math.Abs, -1, 1, 1e-14); ok {
		t.Error("|x| was fitted")
	}
}

func TestAPolynomialIsItsOwnExpansion(t *testing.T) {
	f := func(x float64) float64 { return 2 - x + 3*x*x*x }
	p, ok := Fit(f, -2, 5, 1e-10)
	if !ok || p.Degree() != 3 {
		t.Fatalf("degree %d", p.Degree())
	}
	for _, x := range []float64{-2, 0, 1.5, 5, 7} {
		if d := math.Abs(p.At(x) - f(x)); d > 1e-9 {
			t.Errorf("off by %g at %g", d, x)
		}
	}
}
