package gradients

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/model"
)

// lifted is a lifting of a part of a small run.
func lifted(t *rapid.T) (*lifting, *rand.Rand) {
	n := rapid.IntRange(3, 7).Draw(t, "n")
	l := learnOn(t, connected(t, n), rapid.Uint64Range(1, 99).Draw(t, "seed"))
	l.protocol.Rounds, l.protocol.TurnsPerRound = rapid.IntRange(2, 5).Draw(t, "rounds"), rapid.IntRange(1, 2).Draw(t, "turns")
	l.protocol.Objective.L2 = rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "l2")
	l.protocol.Noise.Clip = rapid.SampledFrom([]float64{0.6, 10}).Draw(t, "clip")
	p, _ := l.peeled(t, 0, 0)
	r := rand.New(rand.NewPCG(5, uint64(n)))
	for u := 2; u < n; u++ {
		if r.IntN(4) == 0 {
			p.books[u] = l.book(p, u)
		}
	}
	parts := p.parts(true)
	if len(parts) == 0 {
		t.Skip("nothing is heard")
	}
	a := &unravelling{Attack: p.attack, peeling: p, loss: model.Logistic{Intercept: true}, budget: 1e18}
	s := a.annealing(parts[r.IntN(len(parts))])
	s.hop(r, 1)
	s.allow(1)
	lift := s.lift()
	if lift == nil {
		t.Skip("all slopes are known")
	}
	return lift, r
}

// What pulls at slopes is how the cost falls with them, by differences.
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
		force := n.force(now.missed, now.off)
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

// What a lifting says is explained is, by its examples and slopes, up to rounding; and where a run with its examples explains everything, too,
// slopes are those of that run.
func TestLiftingExplainsSums(t *testing.T) {
	done, right := 0, 0
	rapid.Check(t, func(t *rapid.T) {
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
	if done == 0 || right == 0 {
		t.Errorf("%d liftings came to an end, %d of them at a run", done, right)
	}
	t.Logf("%d liftings came to an end, %d of them at a run", done, right)
}
