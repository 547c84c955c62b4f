package walkpath

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/graphtest"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/schedule"
)

// Rates that are followed together have the tails that each has alone, bit for
// bit: with and without a count of contributions, on any graph.
func TestLanesAreWhatEachIsAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.Draw(t, true)
		if g.Len() < 2 {
			return
		}
		w, err := graph.NewTransition(g, "hamilton")
		if err != nil {
			t.Fatal(err)
		}
		walk := Walk{Walk: schedule.Walk{Nodes: g.Len(), W: w.Sparse(), Start: AnyStart, Turns: rapid.IntRange(2, 300).Draw(t, "turns"),
			Cap: rapid.SampledFrom([]int{0, 1, 2, 5, 9, 100}).Draw(t, "cap")}}
		r := walk.renewalOf(0, 1)
		energies := r.grid()
		for k, together := range r.tailsByRate(energies) {
			if alone := r.alone(k, energies); !slices.Equal(together, alone) {
				t.Fatalf("rate %d: %v together, %v alone", k, together, alone)
			}
		}
	})
}

// alone is the k-th of tailsByRate, by the model that every law of energies has.
func (r *renewal) alone(k int, energies grid) []float64 {
	return falling(r.changes(k, energies), math.Exp(r.rates()[k]))
}
