package discrete

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// alarm is the false-alarm rate of each statistical test below: with true
// draws it fails once in ten million sets of words.
const alarm = 1e-7

// Draws of small laws follow the exact probabilities: Pearson's chi-square
// over all values that are expected ten times or more, the rest in two bins.
func TestSmallLawsAreExact(t *testing.T) {
	const n = 200_000
	for _, s := range []uint64{1, 2, 3, 7, 20} {
		words, counts := seeded(s), map[int64]int{}
		l := smallLaw(s)
		for range n {
			counts[l.draw(words)]++
		}
		reach := int64(12 * s)
		var observed, expected []float64
		var left, right, before, after float64 // the two tails
		for z := -reach; z <= reach; z++ {
			p := n * exactly(z, s, reach)
			switch {
			case p >= 10:
				observed, expected = append(observed, float64(counts[z])), append(expected, p)
			case z < 0:
				left, before = left+float64(counts[z]), before+p
			default:
				right, after = right+float64(counts[z]), after+p
			}
		}
		observed, expected = append(observed, left, right), append(expected, before, after)
		checkChiSquare(t, observed, expected)
	}
}

// exactly is the probability of z by summing over -reach..reach.
func exactly(z int64, s uint64, reach int64) float64 {
	weight := func(z int64) float64 { return math.Exp(-float64(z*z) / float64(2*s*s)) }
	var sum float64
	for j := -reach; j <= reach; j++ {
		sum += weight(j)
	}
	return weight(z) / sum
}

func checkChiSquare(t *testing.T, observed, expected []float64) {
	t.Helper()
	var chi float64
	for i, e := range expected {
		chi += (observed[i] - e) * (observed[i] - e) / e
	}
	bound := distuv.ChiSquared{K: float64(len(expected) - 1)}.Quantile(1 - alarm)
	if chi > bound {
		t.Errorf("chi-square is %.1f over %d bins, bound %.1f", chi, len(expected), bound)
	}
}

// Large laws look Gaussian: the Kolmogorov-Smirnov distance (bound by the
// inequality of Dvoretzky, Kiefer, Wolfowitz and Massart), variance and fourth
// moment (at their normal standard errors), and the lowest eight bits, which
// must be uniform.
func TestLargeLawsAreGaussian(t *testing.T) {
	const n = 200_000
	z := distuv.UnitNormal.Quantile(1 - alarm/2)
	for _, s := range []uint64{minSteps, 379625062, 379625063, 450000001, maxSteps} { // around 2^28.5, where t doubles
		words, l := seeded(s), newLaw(s)
		sample, low := make([]float64, n), make([]float64, 256)
		var squares, fourths float64
		for i := range sample {
			x := l.draw(words)
			low[x&255]++
			u := float64(x) / float64(s)
			sample[i], squares, fourths = u, squares+u*u, fourths+u*u*u*u
		}
		slices.Sort(sample)
		var distance float64
		for i, u := range sample {
			p := distuv.UnitNormal.CDF(u)
			distance = max(distance, p-float64(i)/n, float64(i+1)/n-p)
		}
		if bound := math.Sqrt(math.Log(2/alarm) / (2 * n)); distance > bound {
			t.Errorf("s = %d: distance to the Gaussian %g, bound %g", s, distance, bound)
		}
		if got, error := squares/n, math.Sqrt(2./n); math.Abs(got-1) > z*error {
			t.Errorf("s = %d: variance %g s^2", s, got)
		}
		if got, error := fourths/n, math.Sqrt(96./n); math.Abs(got-3) > z*error {
			t.Errorf("s = %d: fourth moment %g s^4", s, got)
		}
		checkChiSquare(t, low, slices.Repeat([]float64{n / 256.}, 256))
	}
}

func BenchmarkDraw(b *testing.B) {
	words, l := seeded(1), newLaw(400_000_000)
	for b.Loop() {
		l.draw(words)
	}
}
