package scatter

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
)

func projection(tb testing.TB, from, to int, seed uint64) Projection {
	tb.Helper()
	p, err := NewProjection(from, to, seed)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// Products are those of the matrix that draw says, the same bits for any workers and beside any other rows.
func TestProjectionIsAProductWithItsMatrix(t *testing.T) {
	for _, c := range [][2]int{{5, 5}, {700, 33}, {1025, 3}} {
		p, rows := projection(t, c[0], c[1], 11), 300
		src := draw(4, rows*c[0])
		got := make([]float64, rows*p.Size())
		p.Apply(got, src, rows, 3)
		for _, row := range []int{0, 299} {
			want, drawn := make([]float64, c[1]), make([]float64, c[1])
			for i, v := range src[row*c[0] : (row+1)*c[0]] {
				p.draw(drawn, i)
				for j, w := range drawn {
					want[j] += v * w
				}
			}
			for j, w := range want {
				if d := math.Abs(got[row*c[1]+j] - w); d > 1e-12 {
					t.Fatalf("%v: entry %d of row %d is off by %g", c, j, row, d)
				}
			}
		}
		for _, cut := range [][2]int{{0, rows}, {0, 1}, {140, 290}} {
			some := make([]float64, (cut[1]-cut[0])*c[1])
			p.Apply(some, src[cut[0]*c[0]:cut[1]*c[0]], cut[1]-cut[0], 1)
			if !slices.Equal(some, got[cut[0]*c[1]:cut[1]*c[1]]) {
				t.Errorf("%v: rows %v are projected otherwise on their own", c, cut)
			}
		}
	}
}

// Inner products keep their means and have the variance that is stated, over 4000 seeds. Means and variances within six standard errors
// (that of a variance is below sqrt(3/n) of it: a product has an excess kurtosis of at most 12, a mean of 16 less): false alarms 2e-9
// each, and the seeds are fixed.
func TestProjectionKeepsInnerProducts(t *testing.T) {
	const from, to, seeds = 40, 16, 4000
	rng := rand.New(rand.NewPCG(2, 3))
	src := make([]float64, 2*from)
	for i := range src {
		src[i] = rng.NormFloat64()
	}
	dot := func(a, b []float64) (sum float64) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	x, y := src[:from], src[from:]
	want := dot(x, y)
	variance := (dot(x, x)*dot(y, y) + want*want) / to
	got, products := make([]float64, 2*to), make([]float64, seeds)
	for seed := range products {
		projection(t, from, to, uint64(seed)).Apply(got, src, 2, 1)
		products[seed] = dot(got[:to], got[to:])
	}
	m, v := moments(products)
	if off := math.Abs(m-want) / math.Sqrt(variance/seeds); off > 6 {
		t.Errorf("mean %g, want %g: off by %.1f standard errors", m, want, off)
	}
	if off := math.Abs(v/variance-1) / math.Sqrt(3.0/seeds); off > 6 {
		t.Errorf("variance %g, want %g: off by %.1f standard errors", v, variance, off)
	}
}

func TestProjectionsToMoreNumbersAreRefused(t *testing.T) {
	for _, to := range []int{-1, 0, 11} {
		_, err := NewProjection(10, to, 1)
		if err == nil || !strings.Contains(err.Error(), "is not 1 to 10") || fault.Hint(err) != "project: 10" {
			t.Errorf("%d: %v (%s)", to, err, fault.Hint(err))
		}
	}
}
