package noise_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// rows are gradients as they come.
type rows [][]float64

func (r rows) Len() int { return len(r) }

func (r rows) Gradient(i int) (slope, norm float64, direction []float64) {
	square := 0.0
	for _, x := range r[i] {
		square += x * x
	}
	return 1, math.Sqrt(square), r[i]
}

// Replacing one example moves what a node releases, but for its noise, by at most the
// node's sensitivity: whatever the gradients, whatever stands where, and where there are
// more examples than the share counts on.
func TestOneRecordMovesNoMoreThanItsShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Float64Range(-2, 2), rapid.Float64(), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), 1e300, 5e-324}))
		n, d := rapid.IntRange(1, 30).Draw(t, "examples"), rapid.IntRange(1, 3).Draw(t, "parameters")
		one := make(rows, n)
		for i := range one {
			one[i] = rapid.SliceOfN(number, d, d).Draw(t, "gradient")
		}
		other := append(rows(nil), one...)
		other[rapid.IntRange(0, n-1).Draw(t, "which")] = rapid.SliceOfN(number, d, d).Draw(t, "another")
		declared := rapid.IntRange(1, n).Draw(t, "declared")
		scale := rapid.Float64Range(0.1, 1).Draw(t, "scale")
		g := noise.Gaussian{Clip: rapid.Float64Range(1e-3, 1e3).Draw(t, "clip"), Shares: noise.NewShares([]float64{noise.Share(declared), noise.Share(1)})}
		moved := func(of rows) []float64 {
			x := make([]float64, d)
			var r step.Release
			g.Descend(x, make([]float64, d), of, &noise.Update{Rate: 1, Scale: scale}, noise.NewSimulated(1), &r)
			if r.Sensitivity != g.SensitivityOf(0) || g.Sensitivity() != g.SensitivityOf(1) {
				t.Fatalf("a release of sensitivity %g, want %g of %g", r.Sensitivity, g.SensitivityOf(0), g.Sensitivity())
			}
			return x
		}
		a, b, distance := moved(one), moved(other), 0.0
		for i := range a {
			distance += (a[i] - b[i]) * (a[i] - b[i])
		}
		if distance = math.Sqrt(distance); !(distance <= g.SensitivityOf(0)) {
			t.Fatalf("one of %d examples moves the mean by %g, above %g", n, distance, g.SensitivityOf(0))
		}
	})
}

// A share is at least one over the number of examples, and what it allows for rounding
// is nothing to speak of before there are millions.
func TestShares(t *testing.T) {
	for _, n := range []int{1, 2, 303, 1e4, noise.MostRecords} {
		if got := noise.Share(n) * float64(n); got < 1 || n <= 1e4 && got > 1+3e-8 || got > 2.001 {
			t.Errorf("the share of one of %d is %v times 1/n", n, got)
		}
	}
}
