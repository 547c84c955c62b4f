package walkpublished

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/privacy"
)

// drawPairs draws a connected graph, a number of steps and a threat model.
func drawPairs(t *rapid.T) (*Accountant, *Sums, *Pairs) {
	w := drawConnected(t, 14)
	walk, err := New(w, rapid.IntRange(1, 300).Draw(t, "steps"), Exact)
	if err != nil {
		t.Fatal(err)
	}
	s, err := walk.Sums(1)
	if err != nil {
		t.Fatal(err)
	}
	return walk, s, walk.Pairs(s, Sender(rapid.IntRange(0, 1).Draw(t, "sender")))
}

func drawCharge(t *rapid.T) Charge {
	c := Charge{
		Contributions: rapid.IntRange(1, 30).Draw(t, "contributions"),
		Condition:     privacy.Condition(rapid.IntRange(0, 1).Draw(t, "condition")),
	}
	if rapid.Bool().Draw(t, "renyi") {
		c.Metric.Order = 1 + math.Exp(rapid.Float64Range(-3, 3).Draw(t, "ln order-1"))
	} else {
		c.Metric.Delta = math.Exp(rapid.Float64Range(-40, -3).Draw(t, "ln delta"))
		c.Metric.Conversion = privacy.Conversion(rapid.IntRange(0, 1).Draw(t, "conversion"))
	}
	return c
}

// simpleReach applies the cap and the threat model by the definitions.
func simpleReach(walk *Accountant, s *Sums, sender Sender, u, v int) float64 {
	if sender == Hidden {
		return math.Min(s.At(u, v), 0.5)
	}
	worst := 0.0
	for w := range walk.Len() {
		if w == v || walk.transition.At(w, v) == 0 {
			continue
		}
		if w == u {
			return 0.5
		}
		worst = math.Max(worst, math.Min(s.At(u, w), 0.5))
	}
	return worst
}

// simpleLoss minimises over ten thousand orders, those the condition allows
// with the sum and all of them with the local loss.
func simpleLoss(reach, sigma float64, c Charge) float64 {
	k := float64(c.Contributions)
	if c.Metric.Order != 0 {
		return k * c.Metric.Order * reach / (sigma * sigma)
	}
	most, best := c.Condition.MaxOrder(sigma), math.Inf(1)
	for i := range 10001 {
		order := 1 + math.Exp(-14+28*float64(i)/10000)
		best = math.Min(best, c.Metric.Conversion.Epsilon(order, k*order/(2*sigma*sigma), c.Metric.Delta))
		order = math.Min(order, most)
		best = math.Min(best, c.Metric.Conversion.Epsilon(order, k*order*reach/(sigma*sigma), c.Metric.Delta))
	}
	return best
}

// drawLosses are losses at a noise multiplier of at least e^least that the charge allows.
func drawLosses(t *rapid.T, p *Pairs, least float64) (*Losses, float64, Charge) {
	c := drawCharge(t)
	sigma := math.Exp(rapid.Float64Range(least, 5).Draw(t, "ln sigma"))
	if c.Metric.Order != 0 {
		sigma = max(sigma, c.Condition.MinSigma(c.Metric.Order))
	}
	l, err := p.Losses(sigma, c)
	if err != nil {
		t.Fatal(err)
	}
	return l, sigma, c
}

func TestEquationD11LossesEqualTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		walk, s, p := drawPairs(t)
		l, sigma, c := drawLosses(t, p, -1)
		sum, worst, n := 0.0, 0.0, walk.Len()
		for u := range n {
			for v := range n {
				if u != v {
					sum += l.At(u, v)
					worst = max(worst, l.At(u, v))
				}
			}
		}
		pairs := float64(n * (n - 1))
		if math.Abs(l.Mean()-sum/pairs) > 1e-10*(1+l.Mean()) || math.Abs(l.Max()-worst) > 1e-10*(1+worst) {
			t.Fatalf("mean %g, max %g; pair by pair %g and %g", l.Mean(), l.Max(), sum/pairs, worst)
		}
		rng := rand.New(rand.NewPCG(uint64(n), 1))
		u := rng.IntN(n)
		v := (u + 1 + rng.IntN(n-1)) % n
		reach := simpleReach(walk, s, p.Sender(), u, v)
		if reach == 0 {
			if l.At(u, v) != 0 {
				t.Fatalf("%g lost towards a node that is not reached", l.At(u, v))
			}
			return
		}
		want := simpleLoss(reach, sigma, c)
		if math.Abs(l.At(u, v)-want) > 2e-5*want+1e-6 {
			t.Fatalf("(%d, %d): %g, by the definition %g", u, v, l.At(u, v), want)
		}
	})
}

func TestLossesFallAsSigmaGrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, _, p := drawPairs(t)
		c := drawCharge(t)
		sigma := math.Exp(rapid.Float64Range(-2, 5).Draw(t, "ln sigma"))
		if c.Metric.Order != 0 {
			sigma = max(sigma, c.Condition.MinSigma(c.Metric.Order))
		}
		more := sigma * (1 + math.Exp(rapid.Float64Range(-9, 1).Draw(t, "ln more")))
		a, errA := p.Losses(sigma, c)
		b, errB := p.Losses(more, c)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if b.Mean() > a.Mean() || b.Max() > a.Max() {
			t.Fatalf("sigma %g loses %g and %g, sigma %g loses %g and %g",
				sigma, a.Mean(), a.Max(), more, b.Mean(), b.Max())
		}
	})
}

// No pair ever loses more than it would if everything it sent were public,
// converted the same way.
func TestNoLossExceedsTheLocalOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, _, p := drawPairs(t)
		l, sigma, c := drawLosses(t, p, -2)
		local := c.Metric.GaussianRDP(float64(c.Contributions) / (sigma * sigma))
		if l.Max() > local*(1+1e-12) {
			t.Fatalf("%g is more than the local %g", l.Max(), local)
		}
	})
}

func TestTheEnvelopeIsTheMinimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))
		lines, slope := []line{}, 100.0
		for range rapid.IntRange(1, 30).Draw(t, "lines") {
			lines = append(lines, line{slope, rng.Float64() * 50})
			slope = max(0, slope-float64(rng.IntN(8)))
		}
		e := lowerEnvelope(lines)
		for range 50 {
			x, want := rng.Float64()*10, math.Inf(1)
			for _, l := range lines {
				want = min(want, l.at(x))
			}
			if got := e.at(x); math.Abs(got-want) > 1e-9 {
				t.Fatalf("at %g: %g, want %g", x, got, want)
			}
		}
	})
}

// The complete graph of 2048 nodes, 12 contributions, T = 20,000, delta = 1e-6.
// Under the printed condition the walk's own formula would need 39.9, 20.3,
// 10.5 and 4.57; the local loss, which knows no condition, is smaller there:
// 6/sigma^2 = (sqrt(ln 1e6 + eps) - sqrt(ln 1e6))^2.
func TestTheoremD7CompleteGraphCalibrations(t *testing.T) {
	const n = 2048
	harmonic := partialLog(0, 20000) / n
	p := &Pairs{n: 2, values: []float64{0, harmonic, harmonic, 0}}
	p.sort(true)
	for _, c := range []struct {
		eps, want  float64
		condition  privacy.Condition
		conversion privacy.Conversion
	}{
		{0.5, 36.745, privacy.Printed, privacy.Mironov}, {0.5, 20.1, privacy.Needed, privacy.Mironov}, {0.5, 14.4, privacy.Needed, privacy.CanonneKamathSteinke},
		{1, 18.533, privacy.Printed, privacy.Mironov}, {1, 10.2, privacy.Needed, privacy.Mironov}, {1, 7.8, privacy.Needed, privacy.CanonneKamathSteinke},
		{2, 9.423, privacy.Printed, privacy.Mironov}, {2, 5.27, privacy.Needed, privacy.Mironov}, {2, 4.28, privacy.Needed, privacy.CanonneKamathSteinke},
		{5, 3.9459, privacy.Printed, privacy.Mironov}, {5, 2.30, privacy.Needed, privacy.Mironov}, {5, 2.00, privacy.Needed, privacy.CanonneKamathSteinke},
	} {
		l, cal, err := p.Calibrate(privacy.Mean, c.eps, Charge{12, privacy.Metric{Delta: 1e-6, Conversion: c.conversion}, c.condition})
		if err != nil || math.Abs(cal.Sigma/c.want-1) > 0.01 {
			t.Errorf("eps %g, %v, %v: sigma %g, want %g (%v)", c.eps, c.condition, c.conversion, cal.Sigma, c.want, err)
			continue
		}
		if most := c.condition.MaxOrder(cal.Sigma); l.Status != privacy.Published || math.Abs(l.MaxOrder/most-1) > 1e-12 {
			t.Errorf("status %v, largest order %g, allowed %g", l.Status, l.MaxOrder, most)
		}
	}
}

func TestCalibrationMeetsItsTarget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, _, p := drawPairs(t)
		c := drawCharge(t)
		statistic := privacy.Statistic(rapid.IntRange(0, 1).Draw(t, "statistic"))
		target := math.Exp(rapid.Float64Range(-3, 2).Draw(t, "ln target"))
		l, cal, err := p.Calibrate(statistic, target, c)
		if err != nil {
			t.Fatal(err)
		}
		value := l.Mean
		if statistic == privacy.Max {
			value = l.Max
		}
		if value() != cal.Loss || cal.Loss > target {
			t.Fatalf("loss %g, reported %g, target %g", value(), cal.Loss, target)
		}
		if cal.Low == cal.Sigma {
			return // the floor is enough
		}
		if cal.Sigma > cal.Low*(1+1e-11) {
			t.Fatalf("bracket [%g, %g]", cal.Low, cal.Sigma)
		}
		below, err := p.Losses(cal.Low*(1-1e-9), c)
		if err != nil {
			return // the condition on sigma forbids less
		}
		if statistic == privacy.Mean && below.Mean() <= target || statistic == privacy.Max && below.Max() <= target {
			t.Fatalf("sigma %g is enough already", below.Sigma)
		}
	})
}

func TestARefusedConditionNamesItself(t *testing.T) {
	walk := mustWalk(t, ringOf(6), 100, Exact)
	p := walk.Pairs(mustSums(t, walk), Hidden)
	for condition, name := range map[privacy.Condition]string{privacy.Needed: "alpha (alpha-1)/2", privacy.Printed: "2 alpha (alpha-1)"} {
		sigma := condition.MinSigma(3)
		if _, err := p.Losses(sigma, Charge{1, privacy.Metric{Order: 3}, condition}); err != nil {
			t.Errorf("%v refused at its edge: %v", condition, err)
		}
		_, err := p.Losses(sigma*0.999, Charge{1, privacy.Metric{Order: 3}, condition})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v: error %v", condition, err)
		}
		if o := condition.MaxOrder(sigma); math.Abs(o-3) > 1e-12 {
			t.Errorf("%v allows order %g at the least sigma of order 3", condition, o)
		}
	}
}

func TestImpossibleChargesAreErrors(t *testing.T) {
	walk := mustWalk(t, ringOf(6), 100, Exact)
	p := walk.Pairs(mustSums(t, walk), Known)
	good := Charge{1, privacy.Metric{Delta: 1e-6}, privacy.Needed}
	for _, target := range []float64{0, -1, math.NaN(), math.Inf(1), 1e-30} {
		if _, _, err := p.Calibrate(privacy.Mean, target, good); err == nil {
			t.Errorf("calibrated to %g", target)
		}
	}
	for _, c := range []Charge{
		{0, privacy.Metric{Delta: 1e-6}, privacy.Needed}, {1, privacy.Metric{}, privacy.Needed}, {1, privacy.Metric{Delta: 1e-6, Order: 2}, privacy.Needed},
		{1, privacy.Metric{Order: 1}, privacy.Needed}, {1, privacy.Metric{Delta: 2}, privacy.Needed}, {1, privacy.Metric{Order: math.NaN()}, privacy.Needed},
	} {
		if _, err := p.Losses(10, c); err == nil {
			t.Errorf("charged %+v", c)
		}
	}
	for _, sigma := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := p.Losses(sigma, good); err == nil {
			t.Errorf("charged at sigma %g", sigma)
		}
	}
}
