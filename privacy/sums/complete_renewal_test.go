package sums

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/privacy"
)

// everyWalk is E exp(rate V) from 0 towards 1 over all n^T walks.
func everyWalk(n, turns int, rate float64) float64 {
	w, sum, count := ActualWalk{n, make([]int32, turns)}, 0.0, 0.0
	for {
		sum += math.Exp(rate * simplePairEnergy(w, 0, 1))
		count++
		t := 0
		for ; t < turns; t++ {
			if w.Holders[t]++; int(w.Holders[t]) < n {
				break
			}
			w.Holders[t] = 0
		}
		if t == turns {
			return sum / count
		}
	}
}

func TestRenewalBoundsEveryWalk(t *testing.T) {
	for _, c := range []Complete{{3, 1}, {3, 2}, {3, 8}, {4, 7}, {6, 5}, {9, 4}} {
		for _, rate := range []float64{1e-6, 0.01, 0.3, 0.5} {
			truth, bound := math.Log(everyWalk(c.Nodes, c.Turns, rate)), c.logMoment(rate)
			if bound < truth*(1-1e-9) {
				t.Errorf("%+v at rate %g: %g, all walks have %g", c, rate, bound, truth)
			}
		}
	}
}

// Many turns forget the beginning and the end: at small rates the moment is that
// of the mean energy. Ten walks with fixed seeds have it to 2 %.
func TestRenewalIsTightForManyTurns(t *testing.T) {
	c, mean := Complete{Nodes: 50, Turns: 20_000}, 0.0
	for seed := range uint64(10) {
		m, _, _ := uniformWalk(c.Nodes, c.Turns, seed).Energies().Summary()
		mean += m / 10
	}
	const rate = 1e-7
	if got := c.logMoment(rate) / rate; math.Abs(got/mean-1) > 0.02 {
		t.Errorf("mean energy %g, walks have %g", got, mean)
	}
}

// The part that is left out is a millionth and bounded: the gain is the plain
// sum, from above.
func TestExcursionGainEqualsItsSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 300).Draw(t, "n")
		l := rapid.IntRange(1, longExcursion*n).Draw(t, "l")
		rate := rapid.Float64Range(0, 0.8).Draw(t, "fraction") * math.Log(float64(n-1))
		q, want := 1/float64(n-1), 0.0
		for m := 1; m <= l; m++ {
			log, gain := privacy.LogBinomial(l, q, m), rate*float64(m*m)/float64(l)
			if n == 3 && l == m { // Lgamma of large numbers cancels
				log = float64(l) * math.Log(q)
			}
			if gain < 1 {
				want += math.Exp(log) * math.Expm1(gain)
			} else {
				want += math.Exp(log+gain) - math.Exp(log)
			}
		}
		got := newExcursions(rate, q, float64(longExcursion*n+1)).gain(l)
		if got < want*(1-1e-9) || got > want*(1+2e-6)+2e-15 {
			t.Fatalf("n=%d l=%d rate %g: %g, the sum is %g", n, l, rate, got, want)
		}
	})
}

func TestCompleteSumTightInvertsSound(t *testing.T) {
	c, m := Complete{Nodes: 20, Turns: 400}, privacy.Metric{Delta: 1e-6, Conversion: privacy.CanonneKamathSteinke}
	noise, cal, err := c.Tight(0.5, m)
	if err != nil || cal.Low > cal.Sigma {
		t.Fatal(cal, err)
	}
	if loss, _, err := c.Sound(noise.Multiplier, m); err != nil || loss > 0.5 || loss < 0.5*(1-1e-5) {
		t.Errorf("%g (%v)", loss, err)
	}
	if _, _, err := c.Sound(0, m); err == nil {
		t.Error("sigma 0 was accepted")
	}
	if _, _, err := (Complete{Nodes: 2, Turns: 5}).Tight(1, m); err == nil {
		t.Error("two nodes were accepted")
	}
}

// bisected is c.renewalMoment by halving alone.
func bisected(c Complete, drift func(theta float64) (value, slope float64)) float64 {
	theta := privacy.Bisect(0, 1e3, func(theta float64) bool {
		value, _ := drift(theta)
		return value <= 0
	})
	return theta*float64(c.Turns) + math.Log1p(float64(c.Nodes)*math.Expm1(theta))
}

// On large graphs long excursions are grouped. The group's bound is above each
// excursion's own, and hardly above it.
func TestGroupedExcursionsBoundEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Complete{Nodes: rapid.IntRange(3, 400).Draw(t, "nodes"), Turns: rapid.IntRange(1, 1_000_000).Draw(t, "turns")}
		rate := math.Pow(10, rapid.Float64Range(-7, 0).Draw(t, "rate")) * 0.8 * math.Log(float64(c.Nodes-1))
		gains := c.gains(rate)
		drift := func(theta float64) (value, slope float64) { return c.drift(gains, theta) }
		each, halved := c.renewalMoment(drift), bisected(c, drift)
		if math.Abs(each/halved-1) > 1e-9 {
			t.Errorf("%+v at rate %g: %g, by bisection %g", c, rate, each, halved)
		}
		if got := c.renewalMoment(c.grouped(rate).drift); got < each*(1-1e-9) || got > each*1.01 {
			t.Errorf("%+v at rate %g: %g, one by one %g", c, rate, got, each)
		}
	})
}

// A hundred thousand nodes and ten million turns are priced in seconds. Their loss is
// that of fewer of both at as many turns each.
func TestRenewalOfALargeGraph(t *testing.T) {
	const sigma = 10
	m := privacy.Metric{Delta: 1e-6}
	large, _, err := Complete{Nodes: 100_000, Turns: 10_000_000}.Sound(sigma, m)
	if err != nil {
		t.Fatal(err)
	}
	if small, _, _ := (Complete{Nodes: 1000, Turns: 100_000}).Sound(sigma, m); !(large < small) || !(large > small/10) {
		t.Errorf("%g, of a hundredth %g", large, small)
	}
}
