package chebyshev

import (
	"math"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/drawntest"
	"github.com/hearsay-dp/hearsay/internal/sparsetest"
	"github.com/hearsay-dp/hearsay/sparse"
	"pgregory.net/rapid"
)

// On vectors that do not tell twins apart the folded matrix is the matrix, nobody else shares a class, and who is
// alone is.
func TestFoldedMatrixIsTheMatrixOnClasses(t *testing.T) {
	drawn, folded := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		m := sparsetest.DrawWalk(t, 30)
		alone := rapid.IntRange(0, m.N-1).Draw(t, "alone")
		f := Fold(m, alone)
		classes, whole := make([]float64, f.Matrix.N), make([]float64, m.N)
		image, want, got := make([]float64, f.Matrix.N), make([]float64, m.N), make([]float64, m.N)
		for c := range classes {
			clear(classes)
			classes[c] = 1
			f.Unfold(whole, classes)
			if math.Abs(norm(whole)-1) > 1e-15 {
				t.Fatalf("class %d: a unit vector of length %g", c, norm(whole))
			}
			f.Matrix.MulBlock(image, classes, 1)
			f.Unfold(got, image)
			m.MulBlock(want, whole, 1)
			if d := furthest(got, want); d > 1e-14 {
				t.Fatalf("class %d: off by %g", c, d)
			}
		}
		for i := range m.N {
			for j := range i {
				together := f.Of(i) == f.Of(j)
				if together && (i == alone || j == alone) || together != (sameRow(m, i, j) && i != alone && j != alone) {
					t.Fatalf("%d and %d share a class: %v", i, j, together)
				}
			}
		}
		if f.Matrix.N < m.N {
			folded++
		}
	})
	drawntest.Often(t, "matrices have twins", folded, drawn, 0.3)
}

// A function of the folded matrix is that of the matrix.
func TestFoldedFunction(t *testing.T) {
	star := hamilton(400, func(i, j int) bool { return i%20 == 0 && j%20 == 0 || i/20 == j/20 && (i%20 == 0 || j%20 == 0) })
	want, column, got := make([]float64, 400*400), make([]float64, 0), make([]float64, 400)
	if !DenseGapFunction(want, star, walkLike) {
		t.Fatal("no eigendecomposition")
	}
	for _, u := range []int{0, 1, 399} {
		f := Fold(star, u)
		if f.Matrix.N > 41 {
			t.Fatalf("%d classes of 20 hubs and their leaves", f.Matrix.N)
		}
		fn, ok := f.GapFunction(walkLike, 2)
		if !ok {
			t.Fatal("no series")
		}
		column = append(column[:0], make([]float64, f.Matrix.N)...)
		fn.Columns(column, make([]float64, f.Matrix.N), f.Of(u), 1)
		f.Unfold(got, column)
		if d := furthest(got, want[u*400:(u+1)*400]); d > 2e-12 {
			t.Errorf("row %d: off by %g", u, d)
		}
	}
}

// Rows are shared out between goroutines without changing them.
func TestProductsDoNotDependOnWorkers(t *testing.T) {
	big := &sparse.Matrix{N: 3*rowsAtOnce + 5, Offsets: []int{0}}
	for i := range big.N {
		big.Columns = append(big.Columns, int32(i/2), int32(i))
		big.Values = append(big.Values, 0.25, 0.5)
		big.Offsets = append(big.Offsets, len(big.Columns))
	}
	x, one, many := make([]float64, big.N), make([]float64, big.N), make([]float64, big.N)
	for i := range x {
		x[i] = float64(i%17) / 3
	}
	threeTerm(big, one, x, 1, 1, recurrence{1, 2, 3})
	threeTerm(big, many, x, 1, 4, recurrence{1, 2, 3})
	if furthest(one, many) != 0 {
		t.Error("4 workers give another product than 1")
	}
}
