package privacy

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// bruteStick is the hockey-stick divergence at e^eps of two densities on the plane, by the
// midpoint rule.
func bruteStick(p, q func(x, y float64) float64, eps, reach, width float64) float64 {
	sum := 0.0
	for x := -reach + width/2; x < reach; x += width {
		for y := -reach + width/2; y < reach; y += width {
			sum += max(0, p(x, y)-math.Exp(eps)*q(x, y))
		}
	}
	return sum * width * width
}

// Wherever two records move a release, no further than half the sensitivity, the pair of
// opposite ones is at least as far apart, in either direction, at every epsilon: by brute
// integration over the plane that the three points lie in.
func TestOppositeRecordsAreTheWorstOfAPoissonSample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := math.Exp(rapid.Float64Range(-4, 0).Draw(t, "ln rate"))
		c := rapid.Float64Range(0.1, 2).Draw(t, "half the shift")
		eps := rapid.Float64Range(-1.5, 2).Draw(t, "eps")
		world := func(a, angle float64) func(x, y float64) float64 {
			mx, my := a*math.Cos(angle), a*math.Sin(angle)
			return func(x, y float64) float64 {
				return (1-q)*normal(x, 0, 1)*normal(y, 0, 1) + q*normal(x, mx, 1)*normal(y, my, 1)
			}
		}
		length, angle := rapid.Float64Range(0, 1), rapid.Float64Range(0, 2*math.Pi)
		one := world(c*length.Draw(t, "length"), angle.Draw(t, "angle"))
		other := world(c*length.Draw(t, "length"), angle.Draw(t, "angle"))
		got := bruteStick(one, other, eps, 8, 0.1)
		worst := stickOfStep(newPoissonStep(q, c), eps)
		if got > worst+1e-9+1e-4*worst {
			t.Fatalf("%g, of opposite ones %g", got, worst)
		}
	})
}

// stickOfStep is the hockey-stick divergence at e^eps of the dominating pair, in closed
// form: the ratio is above e^eps from z(eps) on.
func stickOfStep(p poissonStep, eps float64) float64 {
	if p.b == 0 { // every record enters
		if eps < 0 {
			return -math.Expm1(eps) + math.Exp(eps+LogDeltaGaussian(2*p.c, -eps))
		}
		return math.Exp(LogDeltaGaussian(2*p.c, eps))
	}
	at := math.Copysign(p.z(math.Abs(eps)), eps)
	first, second := p.tails(at)
	return first - math.Exp(eps)*second
}

// The composed law of one step is never below the closed form, and close to it.
func TestPoissonOfOneStepIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := math.Exp(rapid.Float64Range(-9, -0.001).Draw(t, "ln rate"))
		mu := math.Exp(rapid.Float64Range(-3, 2).Draw(t, "ln mu"))
		delta := math.Exp(rapid.Float64Range(-40, -1).Draw(t, "ln delta"))
		step := newPoissonStep(q, mu/2)
		want := 0.0
		if stickOfStep(step, 0) > delta {
			want = Bisect(0, 400, func(eps float64) bool { return stickOfStep(step, eps) <= delta })
		}
		got := (Poisson{q, 1}).Loss(mu*mu, Metric{Delta: delta, Conversion: Tightest})
		if got < want*(1-1e-9)-1e-12 || delta > 1e-10 && got > want*1.1+2e-3 {
			t.Fatalf("rate %g, mu %g, delta %g: %g, exactly %g", q, mu, delta, got, want)
		}
	})
}

// Composed steps are never below a slow convolution of losses rounded down, and close above it.
func TestPoissonBoundsASlowConvolution(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := math.Exp(rapid.Float64Range(-3.5, -0.05).Draw(t, "ln rate"))
		mu := math.Exp(rapid.Float64Range(-1, 0.9).Draw(t, "ln mu"))
		steps := rapid.IntRange(1, 4).Draw(t, "steps")
		delta := math.Exp(rapid.Float64Range(-12, -2).Draw(t, "ln delta"))
		const reach = 150
		pair := newPoissonStep(q, mu/2)
		step := pair.loss(6+mu/2) / reach
		single := make([]float64, 2*reach+1)
		const dz = 4e-3
		for z := -9 + dz/2; z < 9; z += dz {
			loss := math.Copysign(pair.loss(math.Abs(z)), z)
			if k := min(int(math.Floor(loss/step-0.01))+reach, 2*reach); k >= 0 {
				single[k] += dz * ((1-q)*normal(z, 0, 1) + q*normal(z, mu/2, 1))
			}
		}
		sum := single
		for range steps - 1 {
			sum = convolve(sum, single)
		}
		lower := Bisect(0, 1e3, func(eps float64) bool {
			found := 0.0
			for k, m := range sum {
				found += m * max(0, -math.Expm1(eps-step*float64(k-steps*reach)))
			}
			return found <= delta*(1+1e-4)
		})
		bound := (Poisson{q, steps}).Loss(float64(steps)*mu*mu, Metric{Delta: delta, Conversion: Tightest})
		if bound < lower-1e-9 || bound > lower+float64(steps+1)*1.02*step+0.02*lower+2e-3 {
			t.Fatalf("rate %g, mu %g, %d steps, delta %g: %g, the slow convolution says at least %g (grid %g)", q, mu, steps, delta, bound, lower, step)
		}
	})
}

// The Renyi curve is that of the pair, by brute integration in both directions, and the loss
// grows with everything that reveals more; with every record in all steps it is the Gaussian's.
func TestPoissonMomentsAndMonotony(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := math.Exp(rapid.Float64Range(-5, -0.01).Draw(t, "ln rate"))
		c := math.Exp(rapid.Float64Range(-2, 0.5).Draw(t, "ln c"))
		order := rapid.Float64Range(1.1, 12).Draw(t, "order")
		world := func(mean float64) func(x float64) float64 {
			return func(x float64) float64 { return (1-q)*normal(x, 0, 1) + q*normal(x, mean, 1) }
		}
		reach := 10 + 3*c*order
		m, steps := Metric{Order: order}, rapid.IntRange(1, 50).Draw(t, "steps")
		got := (Poisson{q, 1}).Loss(4*c*c, m)
		for _, truth := range []float64{bruteRenyi(world(c), world(-c), order, -reach, reach), bruteRenyi(world(-c), world(c), order, -reach, reach)} {
			if got < truth*(1-1e-9)-1e-12 || got > truth*(1+1e-6)+1e-9 {
				t.Fatalf("rate %g, c %g, order %g: %g, by brute force %g", q, c, order, got, truth)
			}
		}
		energy := 4 * c * c * float64(steps)
		base := (Poisson{q, steps}).Loss(energy, m)
		for _, more := range []float64{(Poisson{math.Sqrt(q), steps}).Loss(energy, m), (Poisson{q, steps}).Loss(1.1*energy, m),
			(Poisson{q, steps + 1}).Loss(energy*float64(steps+1)/float64(steps), m), (Poisson{1, steps}).Loss(energy, m)} {
			if more < base*(1-1e-12) {
				t.Fatalf("%g of more, %g of less", more, base)
			}
		}
		if whole := (Poisson{1, steps}).Loss(energy, m); whole != order*energy/2 {
			t.Fatalf("%g of records that always enter, want %g", whole, order*energy/2)
		}
	})
}

// Nothing panics, and nothing says less than one step alone does, over all that can be asked.
func TestPoissonEverywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Poisson{math.Exp(rapid.Float64Range(-25, 0).Draw(t, "ln rate")), int(math.Exp(rapid.Float64Range(0, 25).Draw(t, "ln steps")))}
		mu := math.Exp(rapid.Float64Range(-20, 12).Draw(t, "ln mu"))
		delta := math.Exp(rapid.Float64Range(-690, -0.7).Draw(t, "ln delta"))
		loss := p.Loss(mu*mu*float64(p.Steps), Metric{Delta: delta, Conversion: Tightest})
		least, step := 0.0, newPoissonStep(p.Rate, mu/2)
		if mu < 20 && p.Rate < 1 && stickOfStep(step, 0) > delta*(1+1e-9) {
			least = Bisect(0, 600, func(eps float64) bool { return stickOfStep(step, eps) <= delta*(1+1e-9) })
		}
		if !(loss >= least*(1-1e-6)) || math.IsInf(loss, 1) {
			t.Fatalf("%+v at mu %g, delta %g: %g, at least %g", p, mu, delta, loss, least)
		}
	})
}

func BenchmarkPoissonLoss(b *testing.B) {
	for b.Loop() {
		(Poisson{0.1, 200}).Loss(200*0.3*0.3, Metric{Delta: 1e-6, Conversion: Tightest})
	}
}

// On a grid: whole shifts of a discrete Gaussian are no further apart than those of a continuous
// one with noise r, r^2 = s^2 - 8 (package noise/discrete), whatever two whole shifts are
// replaced by each other, samples included.
func TestPoissonOnAGrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, s := math.Exp(rapid.Float64Range(-4, 0).Draw(t, "ln rate")), rapid.Float64Range(4, 12).Draw(t, "noise in steps")
		most := rapid.IntRange(1, 12).Draw(t, "most")
		shift := rapid.IntRange(-most, most)
		one, other, eps := shift.Draw(t, "one"), shift.Draw(t, "other"), rapid.Float64Range(-1, 2).Draw(t, "eps")
		total := 0.0
		for j := -200; j <= 200; j++ {
			total += math.Exp(-float64(j*j) / (2 * s * s))
		}
		law := func(j int) float64 { return math.Exp(-float64(j*j)/(2*s*s)) / total }
		got := 0.0
		for j := -200; j <= 200; j++ {
			got += max(0, (1-q)*law(j)+q*law(j-one)-math.Exp(eps)*((1-q)*law(j)+q*law(j-other)))
		}
		if bound := stickOfStep(newPoissonStep(q, float64(most)/math.Sqrt(s*s-8)), eps); got > bound*(1+1e-9)+1e-13 {
			t.Fatalf("%g on the grid, %g off it", got, bound)
		}
	})
}
