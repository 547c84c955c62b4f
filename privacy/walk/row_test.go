package walk

import (
	"math"
	"testing"

	"github.com/hearsay-dp/hearsay/sparse"
)

// A row by Towards is the row of Pairs, for both threat models.
func TestTowardsIsARowOfPairs(t *testing.T) {
	for name, matrix := range map[string]*sparse.Matrix{"hypercube": hypercubeOf(5), "ring": ringOf(12), "geometric": geometricOf(40, 0.4)} {
		w := mustWalk(t, matrix, 200, Exact)
		sums := mustSums(t, w)
		row := make([]float64, w.Len())
		for _, sender := range []Sender{Hidden, Known} {
			pairs := w.Pairs(sums, sender)
			if err := w.Towards(row, 3, sender); err != nil {
				t.Fatal(err)
			}
			for v, got := range row {
				if want := pairs.reach(3, v); v != 3 && math.Abs(got-want) > 1e-12 {
					t.Errorf("%s, %v sender: towards %d is %g, in the matrix %g", name, sender, v, got, want)
				}
			}
		}
	}
}
