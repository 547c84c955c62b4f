package scatter

import (
	"math"
	"slices"
	"testing"
)

// Sums are those of each number and the later ones, and no row becomes longer than the bound, which the longest nearly has.
func TestSums(t *testing.T) {
	c, err := (&Encoding{Steps: []Step{{Sums: true}}}).Chain(3)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Encode([]float64{1, 2, 4, 0, -1, 3}, 1); !slices.Equal(got, []float64{7, 6, 4, 2, 2, 3}) || c.Size() != 3 {
		t.Errorf("sums %v", got)
	}
	for _, n := range []int{1, 2, 30} {
		c, err := (&Encoding{Steps: []Step{{Sums: true}}}).Chain(n)
		if err != nil {
			t.Fatal(err)
		}
		row, length := make([]float64, n), 0.0
		for j := range row { // the first singular vector of the matrix
			row[j] = math.Sin(float64(j+1) * math.Pi / float64(2*n+1))
			length += row[j] * row[j]
		}
		sums := 0.0
		for _, x := range c.Encode(row, 1) {
			sums += x * x
		}
		if got, bound := math.Sqrt(sums), c.Bound(math.Sqrt(length)); got > bound || got < bound*(1-1e-6) {
			t.Errorf("%d numbers: a row of %g, bound %g", n, got, bound)
		}
	}
}
