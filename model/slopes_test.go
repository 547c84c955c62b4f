package model

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/sparse"
)

// foreign is a linear model of another package, as far as this one knows.
type foreign struct{ Linear }

// The slopes of many examples are those of one by one, bit for bit, whatever the numbers are.
func TestSlopesOfManyAreThoseOfEach(t *testing.T) {
	var linear []Linear
	for _, m := range all() {
		if l, ok := m.(Linear); ok {
			linear = append(linear, l, foreign{l})
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(linear).Draw(t, "model")
		n, features := rapid.IntRange(0, 11).Draw(t, "rows"), rapid.IntRange(1, 19).Draw(t, "features")
		ex := Examples{Features: features, X: vector(t, "x", n*features), Y: rapid.SliceOfN(rapid.SampledFrom(labels(m)), n, n).Draw(t, "y")}
		theta := vector(t, "theta", m.Params(features))
		if rapid.IntRange(0, 3).Draw(t, "spoilt") == 0 {
			theta[0] = rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), 1e3, -1e300}).Draw(t, "by")
		}
		slopes := make([]float64, sparse.Fours(n))
		SlopesOf(slopes, m, theta, &ex)
		for i, got := range slopes[:n] {
			x, y := ex.Row(i)
			if want := m.Slope(theta, x, y); math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Fatalf("%T: the slope of row %d of %d is %v, alone %v", m, i, n, got, want)
			}
		}
	})
}
