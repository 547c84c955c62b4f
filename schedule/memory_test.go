package schedule

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/fault"
	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

// moved is the squared length of C d, written out.
func moved(past, d []float64) (sum float64) {
	for t := range d {
		x := d[t]
		for j, c := range past {
			if t-1-j >= 0 {
				x += c * d[t-1-j]
			}
		}
		sum += x * x
	}
	return sum
}

// Energy bounds what contributions of any size up to 1 and any sign move, a period apart, and of coefficients of at least 0 it is
// the largest. With Times a unit costs one a contribution.
func TestEnergyIsTheLargest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rounds := rapid.IntRange(1, 12).Draw(t, "rounds")
		last, period := rapid.IntRange(1, rounds).Draw(t, "last"), rapid.IntRange(1, rounds).Draw(t, "period")
		least := rapid.SampledFrom([]float64{0, -0.5}).Draw(t, "least")
		m, err := NewMemory(rapid.SliceOfN(rapid.Float64Range(least, 0.9), 0, 14).Draw(t, "past"), rounds, last, period)
		if err != nil {
			t.Skip(err)
		}
		energy, largest := m.Energy(rounds, last, period)*m.Times*m.Times, 0.0
		for first := range min(period, last) {
			all, some := make([]float64, rounds), make([]float64, rounds)
			for at := first; at < last; at += period {
				all[at], some[at] = 1, rapid.Float64Range(-1, 1).Draw(t, "some")
			}
			largest = max(largest, moved(m.Past, all))
			if got := moved(m.Past, some); got > energy {
				t.Fatalf("contributions of energy %g, charged %g", got, energy)
			}
		}
		if least == 0 && math.Abs(largest/energy-1) > 1e-9 {
			t.Fatalf("the largest is %g, charged %g", largest, energy)
		}
		if k := float64(Taken(last, period)); math.Abs(m.Energy(rounds, last, period)/k-1) > 1e-9 {
			t.Fatalf("%g for %g contributions", m.Energy(rounds, last, period), k)
		}
	})
}

// The square of the square root is the matrix of prefix sums.
func TestSquareRootOfPrefixSums(t *testing.T) {
	root := append([]float64{1}, SquareRoot(40)...)
	for at := range root {
		sum := 0.0
		for j := range at + 1 {
			sum += root[j] * root[at-j]
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("coefficient %d of the square is %g", at, sum)
		}
	}
}

// Growth is the standard deviation of the last round's noise, and a memory that multiplies noise is refused.
func TestMemoryThatMultipliesNoiseIsRefused(t *testing.T) {
	m := Memory{Past: []float64{-1}, Times: 1} // sums of all noise so far
	if got := m.Growth(9); math.Abs(got-3) > 1e-12 {
		t.Errorf("nine draws summed are %g of one", got)
	}
	for _, past := range [][]float64{{2}, {math.NaN()}, {math.Inf(1)}, make([]float64, MostPast+1)} {
		if m, err := NewMemory(past, 2*MostPast, 9, 1); err == nil || fault.Hint(err) == "" {
			t.Errorf("%v: %v", m, err)
		}
	}
}
