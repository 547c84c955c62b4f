package walkpath

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/internal/sparsetest"
	"github.com/hearsay-dp/hearsay/sparse"
)

// The matrix between classes is what a pass over all classes for every one of them finds, to the bit.
func TestQuotientAddsUpRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := sparsetest.DrawWalk(t, 20)
		class := drawClasses(t, w.N)
		got := quotient(w, class)
		n := got.N
		dense := make([]float64, n*n)
		for c := range n {
			x := w.N - 1 // the last of the class
			for class[x] != int32(c) {
				x--
			}
			columns, values := w.Row(x)
			for k, y := range columns {
				dense[c*n+int(class[y])] += values[k]
			}
		}
		want := sparse.FromDense(n, dense)
		if !slices.Equal(got.Offsets, want.Offsets) || !slices.Equal(got.Columns, want.Columns) || !slices.Equal(got.Values, want.Values) {
			t.Fatalf("classes %v of %v become %v, want %v", class, w, got, want)
		}
	})
}

// drawClasses puts nodes into classes, none of them empty.
func drawClasses(t *rapid.T, nodes int) []int32 {
	classes := rapid.IntRange(1, nodes).Draw(t, "classes")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "classes of nodes"), 3))
	class := make([]int32, nodes)
	for k, x := range rng.Perm(nodes) {
		if class[x] = int32(k); k >= classes {
			class[x] = rng.Int32N(int32(classes))
		}
	}
	return class
}
