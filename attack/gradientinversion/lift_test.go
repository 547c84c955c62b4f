package gradientinversion

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/internal/drawntest"
)

// lifted is a lifting of a part of a small run.
func lifted(t *rapid.T) (*lifting, *rand.Rand) {
	s, r := searched(t, 3)
	s.allow(1)
	lift := s.lift()
	if lift == nil {
		t.Skip("all slopes are known")
	}
	return lift, r
}

// force is the gradient of the cost by slopes, by differences.
func TestForceIsHowTheCostFalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, r := lifted(t)
		noise, pull := math.Pow(10, -float64(rapid.IntRange(0, 3).Draw(t, "noise"))), rapid.SampledFrom([]float64{0.01, 1}).Draw(t, "pull")
		slopes := l.begin(l.home)
		for _, k := range l.open {
			slopes[l.spot(k)] *= 1 + 0.2*r.NormFloat64()
		}
		now := l.stands(slopes, noise, pull)
		n := l.normal(now)
		force := n.force(l.residual(now))
		along := make([]float64, len(force))
		for i := range along {
			along[i] = r.NormFloat64()
		}
		const h = 1e-5
		there, back := l.stands(l.moved(now, h, along), noise, pull), l.stands(l.moved(now, -h, along), noise, pull)
		want, got := (back.cost-there.cost)/(2*h), 0.0
		for i, x := range force {
			got += 2 * x * along[i]
		}
		if math.Abs(want-got) > 1e-4*(math.Abs(want)+now.cost) {
			t.Fatalf("the cost %g falls by %g, by differences %g", now.cost, got, want)
		}
	})
}

// A lifting that reports sums as explained explains them by its examples and slopes, up to rounding. If a run with its examples
// explains everything too, its slopes are those of that run.
func TestLiftingExplainsSums(t *testing.T) {
	drawn, done, right := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		l, r := lifted(t)
		l.budget = 1e9
		l.kick(r)
		if !l.run(r) {
			return
		}
		done++
		left := l.unexplained(l.now.e, l.now.slopes)
		l.allow(l.floor())
		if rms := l.rms(square(left.RawMatrix().Data)); !(rms <= 100*l.floor()) {
			t.Fatalf("%g is left of sums where rounding may leave %g", rms, l.floor())
		}
		if l.left = l.try(l.missed, l.now.e); l.over() > 1 {
			return
		}
		right++
		for i, k := range l.open {
			if off := math.Abs(l.now.slopes[l.spot(k)] - l.at[l.spot(k)].scale); off > 1e-3 {
				t.Fatalf("slope %d is off by %g: %g", i, off, l.now.off[i])
			}
		}
	})
	drawntest.Often(t, "liftings come to an end", done, drawn, 0.3)
	drawntest.Often(t, "they end at a run", right, drawn, 0.15)
}
