package walkpath

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// cappedSimply is capped, convolution by convolution.
func cappedSimply(r *renewal, m excursionModel, closed, last [][]float64, first, again float64) []float64 {
	ended, change := make([][]float64, r.cap+1), make([]float64, m.energies.size())
	for n := range ended {
		ended[n] = make([]float64, m.energies.size())
	}
	m.energies.put(ended[0], 0, 1)
	back := first
	for used := range r.cap {
		leaves := 0.0
		for k := 1; used+k <= r.cap; k++ {
			law := closed
			if used+k == r.cap {
				law = last
			}
			if k < len(law) {
				m.energies.convolve(ended[used+k], ended[used], law[k], back)
				leaves += m.energies.mass(law[k])
			}
		}
		accumulate(change, ended[used], -back*leaves)
		accumulate(change, ended[used+1], 1)
		back = again
	}
	return change
}

// Excursions of any laws, of as many contributions as a run may have, of fewer and of more.
func TestCappedIsThatOfItsConvolutions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var energies energySpace = moment(rapid.Float64Range(0.01, 2).Draw(t, "rate"))
		if rapid.Bool().Draw(t, "grid") {
			energies = energyGrid(rapid.Float64Range(1e-3, 0.3).Draw(t, "step"), rapid.Float64Range(1, 40).Draw(t, "most"))
		}
		laws := func(name string) [][]float64 {
			all := make([][]float64, rapid.IntRange(1, 9).Draw(t, name))
			for k := range all {
				all[k] = make([]float64, energies.size())
				for range rapid.IntRange(0, 3).Draw(t, "values") {
					energies.put(all[k], rapid.Float64Range(0, 3).Draw(t, "energy"), rapid.Float64Range(0, 0.1).Draw(t, "mass"))
				}
			}
			return all
		}
		r := &renewal{cap: rapid.IntRange(1, 7).Draw(t, "cap")}
		m := excursionModel{energies: energies}
		closed, last := laws("closed"), laws("last")
		first, again := rapid.Float64Range(0, 1).Draw(t, "first"), rapid.Float64Range(0, 1).Draw(t, "again")
		got, want := r.capped(m, closed, last, first, again), cappedSimply(r, m, closed, last, first, again)
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-13 {
				t.Fatalf("value %d is %v, by its convolutions %v", i, got[i], want[i])
			}
		}
	})
}
