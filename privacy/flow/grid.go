package flow

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// Noise on a grid, as the network has it: node j sends round(Phi_j(x_j)) + z_j,
// both whole multiples of a step g in every one of d coordinates, z_j fresh
// discrete Gaussian noise of at least the standard deviation of the problem.
//
// The plan's shifts must be whole too. With r = g sqrt(d) in units of the round:
//
//   - two updates that differ by c at most differ by c + r at most when rounded,
//     and not at all if c = 0; the difference D is whole;
//   - where all is absorbed the shift is D, whole;
//   - where a < |D| is absorbed, the shift is (a/|D|) D with every coordinate rounded
//     towards zero: no longer than a, and what stays is below |D| - a + r.
//
// So c gains r where it is not 0, and what is left of a row gains r where only
// part of it was absorbed. Neither needs anything of sums of noise: what is not
// seen is only ever moved by whole vectors, as what is seen.
//
// Two claims follow from an energy V at noise multiplier sigma.
//
// Renyi divergence of order alpha is at most alpha V/(2 sigma^2), concentrated
// privacy (zCDP) with rho = V/(2 sigma^2): shifted by s whole steps, discrete noise
// of scale k has divergence of at most alpha s^2/(2 k^2) (Canonne, Kamath and Steinke 2020,
// Theorem 4), shifts depend on the past only, and their energies sum to V at
// most, always. Loss converts that.
//
// And mu-GDP with a slightly larger mu, up to some delta: the argument of
// noise/discrete. Discrete noise is, up to a factor within e^(+-eta) a
// coordinate, continuous noise that was rounded at random by a rule which
// commutes with whole shifts. With such noise at every message and the rule's choices
// the same in both worlds, the proof goes through as it stands, for all shifts
// are whole; N draws in all make it mu^2 = V/sigma'^2 with sigma' from
// discrete.EffectiveMultiplier, and discrete.ExtraDelta(N) on top of delta.

// GridRounding is r of messages of dims >= 0 coordinates on a grid of the given step,
// where unit is the step size times the sensitivity, both in the same unit. Round-off
// of the update itself comes on top: take so much larger a step.
func GridRounding(step float64, dims int, unit float64) float64 {
	if !(step >= 0) || dims < 0 || !(unit > 0) {
		panic(fmt.Sprintf("flow: a grid of step %g in %d coordinates, unit %g", step, dims, unit))
	}
	return raised(step*math.Sqrt(float64(dims))/unit, 3)
}

// round adds to the differences of round t what rounding does.
func (p *Problem) round(c []float64, t int) {
	r := p.rounding(t)
	if r == 0 {
		return
	}
	for j, x := range c {
		if x > 0 {
			c[j] = raised(x+r, 1)
		}
	}
}

// settle is what is absorbed of a difference x. On a grid what is whole but for the
// last digits is whole: else r would stay.
func (p *Problem) settle(take, x, std float64) float64 {
	if p.Rounding != nil && std > 0 && take > x*(1-planSlack) {
		return x
	}
	return take
}

// kept is what is left of a difference x of round t.
func (p *Problem) kept(x, take float64, t int) float64 {
	rest := left(x, take)
	if r := p.rounding(t); r > 0 && take > 0 && take < x {
		return min(x, raised(rest+r, 1))
	}
	return rest
}

// atOnce is the plan that absorbs everything where it enters, and needs noise there.
func (a *Accountant) atOnce(u int, observers []int) Plan {
	plan := Plan{U: u, Observers: append([]int{}, observers...)}
	for t := range a.p.Rounds {
		var b Absorption
		if s := a.p.contribution(t, u); s > 0 {
			c := []float64{raised(s, 1)}
			a.p.round(c, t)
			b = Absorption{Nodes: []int32{int32(u)}, Amounts: c}
		}
		plan.Rounds = append(plan.Rounds, b)
	}
	return plan
}

// Loss is the loss of a view of an energy at a noise multiplier: exactly that of
// the Gaussian, or on a grid what concentrated privacy gives, all orders allowed.
func (a *Accountant) Loss(energy, sigma float64, m privacy.Metric) float64 {
	if a.p.Rounding == nil || energy == 0 || math.IsInf(energy, 1) {
		return privacy.GaussianLoss(energy, sigma, m)
	}
	m.Conversion = privacy.CanonneKamathSteinke
	return m.GaussianRDP(energy / (sigma * sigma))
}

// Sigma is the smallest noise multiplier at which Loss is at most target. On a grid
// it must be one for which Rounding is large enough, for that grows with the noise.
func (a *Accountant) Sigma(energy, target float64, m privacy.Metric) (privacy.Calibration, error) {
	if a.p.Rounding == nil {
		return privacy.TightGaussian(energy, target, m)
	}
	if err := m.Check(); err != nil {
		return privacy.Calibration{}, err
	}
	if math.IsInf(energy, 1) {
		return privacy.Calibration{}, fault.New("no noise makes this private: somebody sees a message without noise", "have every node add noise")
	}
	return privacy.Calibrate(func(sigma float64) float64 { return a.Loss(energy, sigma, m) }, privacy.LeastSigma, target)
}

// meanLoss is the mean of Loss over all pairs of different nodes.
func (a *Accountant) meanLoss(p *Pairs, sigma float64, m privacy.Metric) float64 {
	sum := 0.0
	for u := range a.n {
		for v := range a.n {
			if u != v {
				sum += a.Loss(p.At(u, v), sigma, m)
			}
		}
	}
	return sum / float64(a.n*(a.n-1))
}

// OnGrid is the accountant with such Rounding, one number a round, in units of the
// largest sensitivity.
func (a *Accountant) OnGrid(rounding []float64) (*Accountant, error) {
	p := a.p
	p.Rounding = finest(rounding, a.relatives)
	g, err := New(p)
	if err == nil {
		g.update, g.relatives = a.update, a.relatives
	}
	return g, err
}
