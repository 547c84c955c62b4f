package math

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"pgregory.net/rapid"
)

// Tails are a library's, which has been tested for decades (Cephes), to its own precision.
func TestTailsAreCephes(t *testing.T) {
	near := func(t *rapid.T, what string, got, want float64) {
		if want > 1e-300 && math.Abs(got-want) > 2e-11*want {
			t.Fatalf("%s: %v, want %v: off by %.1e of it", what, got, want, got/want-1)
		}
	}
	shape := rapid.OneOf(rapid.Float64Range(0.01, 5), rapid.Float64Range(1, 200))
	rapid.Check(t, func(t *rapid.T) {
		a, b := shape.Draw(t, "a"), shape.Draw(t, "b")
		x := a * math.Exp(rapid.Float64Range(-2, 2).Draw(t, "ln x/a"))
		below, above := GammaTails(a, x)
		if below < above {
			near(t, "P", below, mathext.GammaIncReg(a, x))
		} else {
			near(t, "Q", above, mathext.GammaIncRegComp(a, x))
		}
		if math.Abs(below+above-1) > 1e-15 {
			t.Fatalf("%v below and %v above", below, above)
		}
		part := rapid.Float64Range(0, 1).Draw(t, "x")
		near(t, "I", BetaBelow(a, b, part), mathext.RegIncBeta(a, b, part))
		p := math.Exp(rapid.Float64Range(-700, -0.001).Draw(t, "ln p"))
		if got, want := NormalQuantile(p), mathext.NormalQuantile(p); math.Abs(got-want) > 1e-13*(1+math.Abs(want)) {
			t.Fatalf("quantile %v of %v, want %v", got, p, want)
		}
	})
}

// A transform is its definition, and twice it turns around.
func TestFourierIsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 4, 64} {
		x := make([]complex128, n)
		for j := range x {
			x[j] = complex(rng.NormFloat64(), rng.NormFloat64())
		}
		got := append([]complex128(nil), x...)
		Fourier(got)
		for k := range got {
			want := complex128(0)
			for j, v := range x {
				want += v * cmplx.Exp(complex(0, -2*math.Pi*float64(j*k%n)/float64(n)))
			}
			if cmplx.Abs(got[k]-want) > 1e-13 {
				t.Fatalf("%d of %d: %v, want %v", k, n, got[k], want)
			}
		}
		Fourier(got)
		for j, v := range x {
			if cmplx.Abs(got[(n-j)%n]-complex(float64(n), 0)*v) > 1e-12 {
				t.Fatalf("%d of %d turned around: %v, want %d times %v", j, n, got[(n-j)%n], n, v)
			}
		}
	}
}
