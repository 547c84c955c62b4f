package walk

import "github.com/hearsay-dp/hearsay/internal/math"

// Conditions holds the quantities of 002 Theorem 7.6 (000 Theorem 2), each a public bound.
type Conditions struct {
	Steps        int     // T
	StrongConvex float64 // mu > 0
	Smoothness   float64 // L in the theorem
	Mixing       float64 // tau_mix
	Gradient     float64 // zeta*: norm of a node's gradient at the optimum
	Distance     float64 // norm(x_0 - x*)
	NoiseEnergy  float64 // d sigma^2 Delta^2 + sigma_sgd^2
}

// TheoryStep returns the step size of 002 Theorem 7.6, min(1/L, log(T D^2 mu^2 / (39 L tau zeta^2)) / (T mu)). It is
// not positive if T is too small for the theorem to apply.
func (c Conditions) TheoryStep() float64 {
	return min(1/c.Smoothness, c.logarithm()/(float64(c.Steps)*c.StrongConvex))
}

// Distance2 returns the bound of 002 Theorem 7.6 on E norm(x_T - x*)^2 under TheoryStep.
func (c Conditions) Distance2() float64 {
	t, mu, l := float64(c.Steps), c.StrongConvex, c.Smoothness
	start := float64(2 * math.Exp(-t*mu/l) * c.Distance * c.Distance)
	walk := 39 * c.Mixing * c.Gradient * c.Gradient * l / (mu * mu * mu * t)
	noise := c.NoiseEnergy * l / (mu * mu * t)
	return start + float64((walk+noise)*c.logarithm())
}

func (c Conditions) logarithm() float64 {
	mu := c.StrongConvex
	return math.Log(float64(c.Steps) * mu * mu * c.Distance * c.Distance /
		(39 * c.Smoothness * c.Mixing * c.Gradient * c.Gradient))
}
