package walkpublished

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/internal/sparsetest"
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
			if err := w.Towards(row, 3, sender, 2); err != nil {
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

// A row that does not tell twins apart is the row, whoever is asked about.
func TestAFoldedRowIsTheRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := sparsetest.DrawWalk(t, 30)
		if m.N < 2 {
			t.Skip("a walk needs two nodes")
		}
		w, err := New(m, rapid.SampledFrom([]int{1, 7, 40, 300}).Draw(t, "steps"), Exact)
		if err != nil {
			t.Fatal(err)
		}
		sums, err := w.Sums(1)
		if err != nil {
			t.Fatal(err)
		}
		row := make([]float64, m.N)
		for _, u := range []int{0, m.N - 1} {
			if err := w.foldedRow(row, u, 2); err != nil {
				t.Fatal(err)
			}
			for v, got := range row {
				if want := sums.At(u, v); math.Abs(got-want) > 1e-11 {
					t.Fatalf("from %d to %d: %g, want %g", u, v, got, want)
				}
			}
		}
	})
}
