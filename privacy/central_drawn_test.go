package privacy

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

// Enumerated: of a few nodes with values in [-1, 1], some are drawn, whose sum is shown
// with noise. The hockey-stick divergence of the two worlds in which node 0 has either
// end is never above that of the pair that is charged, whatever the others hold.
func TestNoDrawOfSeveralLeaksMoreThanCharged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(t, "nodes")
		m := rapid.IntRange(1, n-1).Draw(t, "drawn")
		std := rapid.Float64Range(0.5, 4).Draw(t, "std")
		values := rapid.SliceOfN(rapid.Float64Range(-1, 1), n, n).Draw(t, "values")
		eps := rapid.Float64Range(0, 3).Draw(t, "epsilon")
		worlds := [2][]float64{}
		for w, own := range []float64{-1, 1} {
			values[0] = own
			worlds[w] = sums(values, m)
		}
		charged := hockeyStick(append(make([]float64, n-m), slices.Repeat([]float64{2}, m)...), []float64{0}, std, eps)
		for _, pair := range [][2][]float64{{worlds[0], worlds[1]}, {worlds[1], worlds[0]}} {
			if got := hockeyStick(pair[0], pair[1], std, eps); got > charged*(1+1e-3)+1e-6 {
				t.Fatalf("%d of %d, %v at %g: delta %g at epsilon %g, charged %g", m, n, values, std, got, eps, charged)
			}
		}
	})
}

// sums are those of any m of some values.
func sums(values []float64, m int) (all []float64) {
	if m == 0 {
		return []float64{0}
	}
	for i, v := range values {
		for _, rest := range sums(values[i+1:], m-1) {
			all = append(all, v+rest)
		}
	}
	return all
}

// hockeyStick returns the hockey-stick divergence at e^eps of one mixture of Gaussians from
// another.
func hockeyStick(first, second []float64, std, eps float64) (sum float64) {
	density := func(at []float64, z float64) (d float64) {
		for _, x := range at {
			d += math.Exp(LogDensity((z-x)/std)) / (std * float64(len(at)))
		}
		return d
	}
	const width = 0.02
	for z := -5 - 8*std; z < 5+8*std; z += width * std {
		sum += max(0, density(first, z)-math.Exp(eps)*density(second, z)) * width * std
	}
	return sum
}

// Whoever draws all leaves nothing to chance; more nodes drawn, more noise needed.
func TestDrawnFromOneToAll(t *testing.T) {
	m := Metric{Delta: 1e-6}
	before := 0.0
	for _, drawn := range []int{0, 2, 5, 9, 10} {
		loss, claim, err := Central{Nodes: 10, Steps: 30, Drawn: drawn}.Loss(5, m)
		if err != nil || claim.Status != Sound || loss < before {
			t.Errorf("%d drawn: %v after %v, %v", drawn, loss, before, err)
		}
		before = loss
	}
	if want := EpsilonGaussian(math.Sqrt(30)/5, 1e-6); before != want {
		t.Errorf("all drawn: %v, want %v", before, want)
	}
	if _, _, err := (Central{Nodes: 3, Steps: 1, Drawn: 4}).Loss(1, m); err == nil {
		t.Error("4 of 3 were drawn")
	}
}
