package gossipview

import (
	"math"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
)

// One view says who is reconstructed as Reconstruction does, and how much leaks as Leakage does of all pairs; how many cells it
// has is what its rank cannot exceed.
func TestLeakingSaysWhatLeakageAndReconstructionSay(t *testing.T) {
	for _, expr := range []string{"florentine", "star:7", "line:2", "er:n=40,p=0.1,seed=3,connected", "ba:n=60,m=2,seed=5", "grid:5x6", "hypercube:5"} {
		for _, steps := range []int{0, 1, 3, 8, 40} {
			g, err := gen.Parse(expr, 1)
			if err != nil {
				t.Fatal(err)
			}
			w, err := graph.NewTransition(g, "hamilton")
			if err != nil {
				t.Fatal(err)
			}
			a, err := New(w.Sparse(), steps)
			if err != nil {
				t.Fatal(err)
			}
			pairs := a.Leakage(2)
			for v := range g.Len() {
				one, err := a.Leaking([]int{v})
				if err != nil {
					t.Fatal(err)
				}
				other, err := a.Reconstruction([]int{v})
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(one.Reconstructed(), other.Reconstructed()) {
					t.Errorf("%s, %d steps, attacker %d: reconstructs %v, and %v", expr, steps, v, one.Reconstructed(), other.Reconstructed())
				}
				for u := range g.Len() {
					if math.Abs(one.Leakage(u)-pairs.At(u, v)) > 1e-9 {
						t.Errorf("%s, %d steps: %g of %d leaks to %d, and %g", expr, steps, one.Leakage(u), u, v, pairs.At(u, v))
					}
				}
				if one.Cells() < one.Rank() || one.Cells() > g.Len() {
					t.Errorf("%s: %d cells, rank %d", expr, one.Cells(), one.Rank())
				}
			}
		}
	}
}
