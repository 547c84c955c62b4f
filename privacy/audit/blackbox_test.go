package audit

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/privacy"
)

// gaussianScores are runs of two worlds whose scores are N(mu, 1) and N(0, 1).
func gaussianScores(runs int, mu float64, r *rand.Rand) (first, second []float64) {
	for range runs {
		first, second = append(first, mu+r.NormFloat64()), append(second, r.NormFloat64())
	}
	return first, second
}

// scores is Scores of runs that can be audited.
func scores(t testing.TB, first, second []float64, m privacy.Metric, failure float64) *BlackBox {
	t.Helper()
	b, err := Scores(first, second, m, failure)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The bounds are false as rarely as stated. Of 200 audits of exact Gaussians
// with failure 0.05, each false with probability at most that, more than
// BinomialUpper are false with probability at most 1e-9: the false-alarm rate
// of each line of the table.
func TestBlackBoxFailsAsRarelyAsStated(t *testing.T) {
	const audits, failure = 200, 0.05
	allowed := privacy.BinomialUpper(audits, failure, 1e-9)
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		mu     float64
		metric privacy.Metric
	}{{0, privacy.Metric{Delta: 1e-3}}, {0.3, privacy.Metric{Delta: 0.05}}, {1, privacy.Metric{Delta: 1e-6}}, {1, privacy.Metric{Order: 2}}, {3,
		privacy.Metric{Delta: 1e-2}}} {
		wrong := 0
		for range audits {
			first, second := gaussianScores(60, c.mu, r)
			b := scores(t, first, second, c.metric, failure)
			if b.Loss > c.metric.GaussianView(c.mu*c.mu) || b.Mu > c.mu {
				wrong++
			}
		}
		if wrong > allowed {
			t.Errorf("mu %g, %v: %d of %d bounds are false, at most %d should be", c.mu, c.metric, wrong, audits, allowed)
		}
	}
}

// The bounds come near the truth as runs grow. The seeds are fixed; with others
// a bound would be above the truth once in a thousand.
func TestBlackBoxApproachesTheTruth(t *testing.T) {
	m := privacy.Metric{Delta: 0.02}
	for _, mu := range []float64{0.5, 1, 2} {
		truth, last := m.GaussianView(mu*mu), -1.0
		for _, runs := range []int{100, 3000, 100000} {
			first, second := gaussianScores(runs, mu, rand.New(rand.NewPCG(uint64(runs), 7)))
			b := scores(t, first, second, m, 1e-3)
			if !(b.Loss <= truth && b.Mu <= mu && b.Loss >= last) {
				t.Errorf("mu %g, %d runs: loss %g after %g, truth %g; mu %g", mu, runs, b.Loss, last, truth, b.Mu)
			}
			last = b.Loss
			if runs == 100000 && !(b.Loss >= 0.8*truth && b.Mu >= 0.9*mu) {
				t.Errorf("mu %g: loss %g of %g, mu %g", mu, b.Loss, truth, b.Mu)
			}
		}
	}
}

// Worlds that cannot be told apart give 0, whatever the order of the scores:
// always if the scores are the same, and with the stated confidence otherwise.
func TestBlackBoxOfIdenticalWorldsIsZero(t *testing.T) {
	same := []float64{3, 3, 3, 3, 3, 3, 3, 3}
	for _, m := range []privacy.Metric{{Delta: 1e-6}, {Order: 3}} {
		if b := scores(t, same, same, m, 0.01); b.Loss != 0 || b.Mu != 0 {
			t.Errorf("%v: %+v", m, b)
		}
		first, second := gaussianScores(4000, 0, rand.New(rand.NewPCG(3, 3)))
		if b := scores(t, first, second, m, 1e-3); b.Loss != 0 || b.Mu != 0 { // false alarm: once in 1000 seeds
			t.Errorf("%v: %+v", m, b)
		}
	}
}

// The attacker may score either way round, and either world may be the first.
func TestBlackBoxFindsTheDirection(t *testing.T) {
	m := privacy.Metric{Delta: 1e-6}
	first, second := gaussianScores(2000, 2, rand.New(rand.NewPCG(5, 5)))
	negated := func(x []float64) []float64 {
		y := make([]float64, len(x))
		for i := range x {
			y[i] = -x[i]
		}
		return y
	}
	want := scores(t, first, second, m, 0.01)
	for name, got := range map[string]*BlackBox{
		"negated":   scores(t, negated(first), negated(second), m, 0.01),
		"exchanged": scores(t, second, first, m, 0.01),
	} {
		if math.Abs(got.Loss-want.Loss) > 0.3*want.Loss || math.Abs(got.Mu-want.Mu) > 0.1*want.Mu {
			t.Errorf("%s: loss %g and mu %g, not %g and %g", name, got.Loss, got.Mu, want.Loss, want.Mu)
		}
	}
	if want.Loss < 1 {
		t.Errorf("two thousand runs at mu 2 prove only %g", want.Loss)
	}
}

// One world may hide what the other shows: the loss is that of the worse way.
func TestBlackBoxAuditsBothDirections(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	var first, second []float64
	for range 4000 { // 1 in one world with probability 0.5, in the other with 0.001
		first, second = append(first, 0), append(second, 0)
		if r.Float64() < 0.5 {
			first[len(first)-1] = 1
		}
		if r.Float64() < 0.001 {
			second[len(second)-1] = 1
		}
	}
	m := privacy.Metric{Delta: 1e-6}
	forward, back := scores(t, first, second, m, 0.01), scores(t, second, first, m, 0.01)
	if forward.Loss != back.Loss || forward.Loss < 3 || forward.Test.Other == back.Test.Other {
		t.Errorf("forward %+v, back %+v", forward, back)
	}
}

// Tests are chosen on one half of the runs and measured on the other: what only
// the first half shows is not proved, and what only the second half shows is
// not looked for.
func TestBlackBoxChoosesAndMeasuresOnDifferentRuns(t *testing.T) {
	m := privacy.Metric{Delta: 1e-6}
	first, second := make([]float64, 200), make([]float64, 200)
	for i := range 100 {
		first[i] = 1
	}
	if b := scores(t, first, second, m, 0.01); b.Loss != 0 || b.Mu != 0 {
		t.Errorf("what is over after half of the runs is proved: %+v", b)
	}
	for i := range 100 {
		first[i], first[100+i] = 0, 1
	}
	if b := scores(t, first, second, m, 0.01); b.Loss != 0 || b.Mu != 0 {
		t.Errorf("a test was chosen on the runs it is measured on: %+v", b)
	}
}

// Bounds of a proportion invert the binomial tail; the slow way is bisection.
func TestProportionInvertsTheBinomialTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5000).Draw(t, "n")
		count := rapid.IntRange(0, n).Draw(t, "count")
		failure := math.Exp(rapid.Float64Range(-14, -0.7).Draw(t, "ln failure"))
		low, high := proportion(count, n, failure)
		wantLow, wantHigh := 0.0, 1.0
		if count > 0 {
			wantLow = privacy.Bisect(0, 1, func(p float64) bool { return privacy.BinomialTail(n, p, count) >= failure })
		}
		if count < n {
			wantHigh = privacy.Bisect(0, 1, func(p float64) bool { return 1-privacy.BinomialTail(n, p, count+1) <= failure })
		}
		if math.Abs(low-wantLow) > 1e-7*wantLow+1e-12 || math.Abs(high-wantHigh) > 1e-7*wantHigh {
			t.Fatalf("%d of %d at %g: [%g, %g], bisection [%g, %g]", count, n, failure, low, high, wantLow, wantHigh)
		}
	})
}

// A test of a Gaussian view proves no more than its loss in any metric, and the
// best threshold at a delta proves all of it.
func TestBinaryLossIsBelowThatOfTheView(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mu := math.Exp(rapid.Float64Range(-3, 1.5).Draw(t, "ln mu"))
		x := rapid.Float64Range(-6, 6).Draw(t, "threshold")
		m := privacy.Metric{Delta: math.Exp(rapid.Float64Range(-14, -1).Draw(t, "ln delta"))}
		if rapid.Bool().Draw(t, "renyi") {
			m = privacy.Metric{Order: 1 + math.Exp(rapid.Float64Range(-2, 3).Draw(t, "ln (alpha-1)"))}
		}
		p, q := gaussianTail(x-mu), gaussianTail(x)
		if got, most := binaryLoss(m, p, q), m.GaussianView(mu*mu); got > most*(1+1e-9)+1e-9 {
			t.Fatalf("power %g, size %g prove %g of %g", p, q, got, most)
		}
		if got := shift(p, q); p < 1-1e-9 && math.Abs(got-mu) > 1e-6 {
			t.Fatalf("power %g, size %g prove a shift of %g of %g", p, q, got, mu)
		}
		if m.Order != 0 {
			return
		}
		eps := m.GaussianView(mu * mu)
		best := eps/mu + mu/2 // where the likelihood ratio is e^eps
		if got := binaryLoss(m, gaussianTail(best-mu), gaussianTail(best)); math.Abs(got-eps) > 1e-6*eps+1e-9 {
			t.Fatalf("the best test at mu %g, %v proves %g of %g", mu, m, got, eps)
		}
	})
}

func TestBlackBoxRefusesWhatIsNoAudit(t *testing.T) {
	some := []float64{1, 2, 3, 4}
	for name, f := range map[string]func() (*BlackBox, error){
		"too few": func() (*BlackBox, error) { return Scores(some[:3], some, privacy.Metric{Delta: 1e-6}, 0.01) },
		"no number": func() (*BlackBox, error) {
			return Scores(some, []float64{1, 2, 3, math.NaN()}, privacy.Metric{Delta: 1e-6}, 0.01)
		},
		"certainty":    func() (*BlackBox, error) { return Scores(some, some, privacy.Metric{Delta: 1e-6}, 0) },
		"no metric":    func() (*BlackBox, error) { return Scores(some, some, privacy.Metric{}, 0.01) },
		"order of one": func() (*BlackBox, error) { return Scores(some, some, privacy.Metric{Order: 1}, 0.01) },
	} {
		if b, err := f(); err == nil {
			t.Errorf("%s: %+v", name, b)
		}
	}
}

// gaussianTail is P(Z > x) of a standard Gaussian.
func gaussianTail(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
