package discrete

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/noise"
)

// The grid's noise is never below the one asked for, and above by less than
// one part in 2^28.
func TestGridRoundsTheNoiseUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		std := math.Ldexp(rapid.Float64Range(1, 2).Draw(t, "mantissa"), rapid.IntRange(-900, 900).Draw(t, "exponent"))
		g := NewGrid(std)
		got := math.Ldexp(float64(g.Steps()), g.Exponent())
		if got < std || got > std*(1+0x1p-28) || g.Steps() < minSteps || g.Steps() > maxSteps {
			t.Fatalf("noise %g for %g, %d steps", got, std, g.Steps())
		}
	})
}

// Whatever the value, what comes out is a grid point, within 50 standard
// deviations.
func TestResultsAreGridPoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		std := math.Ldexp(rapid.Float64Range(1, 2).Draw(t, "mantissa"), rapid.IntRange(-300, 300).Draw(t, "exponent"))
		x := std * rapid.Float64Range(-1000, 1000).Draw(t, "x")
		dst := []float64{x}
		NewSampler(seeded(rapid.Uint64().Draw(t, "seed"))).Add(dst, std, 0, 0, 0)
		if steps := dst[0] / NewGrid(std).Step(); steps != math.Trunc(steps) || math.Abs(dst[0]-x) > 50*std {
			t.Fatalf("%g became %g, %g steps", x, dst[0], steps)
		}
	})
}

// Values that are no numbers, and values beyond all measure, come out as
// something an honest input could have given.
func TestOddValuesAreTamed(t *testing.T) {
	s := NewSampler(seeded(1))
	for _, odd := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		dst := []float64{1e6, odd}
		s.Add(dst, 1, 0, 0, 0)
		if !(math.Abs(dst[0]) < 50 && math.Abs(dst[1]) < 50) {
			t.Errorf("[1e6 %g] became %g", odd, dst)
		}
	}
	dst := []float64{1e300, -math.MaxFloat64}
	s.Add(dst, 1e-300, 0, 0, 0)
	for _, x := range dst {
		if math.IsNaN(x) || math.Abs(x) > 1e-280 {
			t.Errorf("1e300 on a grid of 1e-309 became %g", x)
		}
	}
}

// Digits of a value below the grid do not come out: on the same words, values
// that round alike give the same result to the last bit.
func TestDigitsBelowTheGridAreErased(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		std := rapid.Float64Range(1e-6, 1e6).Draw(t, "std")
		g, seed := NewGrid(std), rapid.Uint64().Draw(t, "seed")
		point := g.value(rapid.Int64Range(-1<<40, 1<<40).Draw(t, "steps"))
		a, b := []float64{point}, []float64{point + rapid.Float64Range(-0.49, 0.49).Draw(t, "below")*g.Step()}
		NewSampler(seeded(seed)).Add(a, std, 0, 0, 0)
		NewSampler(seeded(seed)).Add(b, std, 0, 0, 0)
		if a[0] != b[0] {
			t.Fatalf("%g and %g share a grid point and become %g and %g", point, b[0], a[0], b[0])
		}
	})
}

// By itself a Sampler is no source of noise for anything: somebody has to say
// whether its words are secret.
func TestASamplerIsNoSource(t *testing.T) {
	if _, is := any(NewSampler(seeded(1))).(noise.Source); is {
		t.Error("a Sampler on seeded words passes for a noise.Source")
	}
}

func TestNoNoiseChangesNothing(t *testing.T) {
	dst := []float64{0.1}
	NewSampler(seeded(1)).Add(dst, 0, 0, 0, 0)
	if dst[0] != 0.1 {
		t.Errorf("0.1 became %g", dst[0])
	}
}

// A change of std changes the grid, back and forth.
func TestNoiseFollowsStd(t *testing.T) {
	const n = 20_000
	s, one := NewSampler(seeded(3)), make([]float64, 1)
	var squares [2]float64
	stds := [2]float64{1e-3, 50}
	for i := range n {
		one[0] = 0
		s.Add(one, stds[i%2], 0, 0, 0)
		squares[i%2] += one[0] * one[0]
	}
	for i, std := range stds { // six standard errors: false alarm 4e-9 for the two
		if got := squares[i] / (n / 2) / (std * std); math.Abs(got-1) > 6*math.Sqrt(4./n) {
			t.Errorf("variance is %g of the one asked for at std %g", got, std)
		}
	}
}

// The cost of one hop, beside as many floating-point Gaussians on the same
// words.
func BenchmarkHop(b *testing.B) {
	for _, dims := range []int{1, 10, 1000} {
		dst := make([]float64, dims)
		b.Run(fmt.Sprintf("discrete/%d", dims), func(b *testing.B) {
			s := NewSampler(seeded(1))
			for b.Loop() {
				s.Add(dst, 3, 0, 0, 0)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*dims), "ns/draw")
		})
		b.Run(fmt.Sprintf("float/%d", dims), func(b *testing.B) {
			r := rand.New(seeded(1))
			for b.Loop() {
				for i := range dst {
					dst[i] += 3 * r.NormFloat64()
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*dims), "ns/draw")
		})
	}
}
