package walkpath

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Energies of whole paths are gathered outward: a sound one never falls, an
// audit's never rises, and neither moves by more than the step.
func TestEnergiesAreGatheredOutward(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		energy := fromGaps(rapid.SliceOfN(rapid.IntRange(1, 30), 1, 12).Draw(t, "gaps"))
		up, down := gathered(energy, false), gathered(energy, true)
		if !(down <= energy && energy <= up && up-down <= 1e-11*(1+energy)) {
			t.Fatalf("%v became %v and %v", energy, down, up)
		}
		if below := math.Nextafter(energy, 0); gathered(below, false) < energy {
			t.Fatalf("what was lost to rounding below %v is not made up for", energy)
		}
	})
	if gathered(0, false) != 0 || gathered(0, true) != 0 {
		t.Error("nothing is not nothing")
	}
}

// No law that was moved, added or spread on a grid of energies has a smaller
// expectation of an increasing convex function than before.
func TestGridsAreRoundedOutward(t *testing.T) {
	g := energyGrid(1e-3, 100)
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.SliceOfN(rapid.Float64Range(0, 20), 1, 5)
		as, bs, by := draw.Draw(t, "a"), draw.Draw(t, "b"), rapid.Float64Range(0, 20).Draw(t, "by")
		a, b, sums := make([]float64, len(g)), make([]float64, len(g)), make([]float64, len(g))
		for _, x := range as {
			g.put(a, x, 1)
		}
		for _, x := range bs {
			g.put(b, x, 1)
		}
		moved := make([]float64, len(g))
		g.convolve(moved, a, b, 0.5)
		g.shift(sums, moved, by, 1)
		for _, bend := range []float64{0, 1, 7, 30} {
			f := func(x float64) float64 { return max(0, x-bend) }
			got, want := 0.0, 0.0
			for i, p := range sums {
				got += p * f(g[i])
			}
			for _, x := range as {
				for _, y := range bs {
					want += 0.5 * f(x+y+by)
				}
			}
			if got < want*(1-1e-12) {
				t.Fatalf("above %v: %v became %v", bend, want, got)
			}
		}
	})
}
