package gradientinversion

import (
	"math"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Who is not looked for, as that takes more work than there is, is said, and with the work that is said there is nobody of whom it is.
func TestWhoIsNotLookedForIsSaid(t *testing.T) {
	testdata.Sequential(t)
	g, err := gen.Parse("er:n=12,p=0.3,seed=3,connected", 1)
	if err != nil {
		t.Fatal(err)
	}
	l := wide(t, g, model.Logistic{Intercept: true}, 20, 1, func(int) int { return 1 })
	left := func(f *Found, u int) bool { return u != 0 && !f.Peeled[u] && !f.Solved[u] && !f.Open[u] }
	none := l.unravelled(t, 0, 1e4)
	if none.Unlooked == nil || len(none.Unlooked.Short) > 0 {
		t.Fatalf("with next to no work: %+v", none.Unlooked)
	}
	for u := range g.Len() {
		if slices.Contains(none.Unlooked.Nodes, u) != left(none, u) {
			t.Errorf("node %d: not found %v, said %v", u, left(none, u), none.Unlooked.Nodes)
		}
	}
	short := l.unravelled(t, 0, none.Unlooked.Work)
	if short.Unlooked != nil && len(short.Unlooked.Nodes) > 0 {
		t.Errorf("with the work that is said %v are not looked for", short.Unlooked.Nodes)
	}
	for u := range g.Len() {
		if left(short, u) && (short.Unlooked == nil || !slices.Contains(short.Unlooked.Short, u)) {
			t.Errorf("node %d is not found, the work is done, and nothing says so: %+v", u, short.Unlooked)
		}
	}
	if all := l.unravelled(t, 0, 4e11); all.Unlooked != nil {
		t.Errorf("all are found: %+v", all.Unlooked)
	}
}

// A search that takes too much memory is not begun, however much work is allowed.
func TestASearchThatDoesNotFitIsNotBegun(t *testing.T) {
	q := &part{dim: 2000, want: make([]float64, 2000), turns: []partTurn{{mix: &sparse.Matrix{}}}}
	if w := least(10, q); !math.IsInf(w, 1) {
		t.Errorf("matrices of %d rows take work %g", 10*q.dim, w)
	}
	if w := least(2, q); !(w > 0 && w < math.Inf(1)) {
		t.Errorf("matrices of %d rows take work %g", 2*q.dim, w)
	}
}
