package flow

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// Noise on a grid, as the network sends it. Node j sends round(Phi_j(x_j)) + z_j, both
// whole multiples of a step g in every one of d coordinates. z_j is fresh discrete Gaussian
// noise of at least the standard deviation of the problem.
//
// The plan's shifts must be whole too. With r = g sqrt(d) in units of the round:
//
//   - two updates that differ by at most c differ by at most c + r when rounded,
//     and not at all if c = 0; the difference D is whole;
//   - where everything is absorbed the shift is D, whole;
//   - where a < |D| is absorbed, the shift is (a/|D|) D with every coordinate rounded
//     towards zero: no longer than a, and the rest is below |D| - a + r.
//
// So c gains r where it is not 0, and the rest of a row gains r where only part of it was
// absorbed. Neither depends on sums of noise, because unseen values are moved by whole
// vectors only, as seen ones are.
//
// Two claims follow from an energy V at noise multiplier sigma.
//
// First, the Renyi divergence of order alpha is at most alpha V/(2 sigma^2), concentrated
// privacy (zCDP) with rho = V/(2 sigma^2). Shifted by s whole steps, discrete noise of
// scale k has divergence of at most alpha s^2/(2 k^2) (Canonne, Kamath and Steinke 2020,
// Theorem 4). Shifts depend on the past only, and their energies always sum to at most V.
// Loss converts that.
//
// Second, mu-GDP with a slightly larger mu, up to some delta, by the argument of
// noise/discrete. Discrete noise is, up to a factor within e^(+-eta) a coordinate,
// continuous noise that was rounded at random by a rule which commutes with whole shifts.
// Take such noise at every message, and the rule's choices the same in both worlds. The
// proof then holds unchanged, because all shifts are whole. N draws in all give mu^2 =
// V/sigma'^2 with sigma' from discrete.EffectiveMultiplier, and add discrete.ExtraDelta(N)
// to delta.

// GridRounding returns r for messages of dims >= 0 coordinates on a grid of the given step.
// unit is the step size times the sensitivity, in the unit of step. Round-off of the update
// itself is not included: enlarge step by it. GridRounding panics if an argument is out of
// range.
func GridRounding(step float64, dims int, unit float64) float64 {
	if !(step >= 0) || dims < 0 || !(unit > 0) {
		panic(fmt.Sprintf("flow: a grid of step %g in %d coordinates, unit %g", step, dims, unit))
	}
	return raised(step*math.Sqrt(float64(dims))/unit, 3)
}

// round adds the effect of rounding to the differences of round t.
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

// settle returns the absorbed part of a difference x. On a grid a part that equals x up to
// the last digits becomes x, because r would stay otherwise.
func (p *Problem) settle(take, x, std float64) float64 {
	if p.Rounding != nil && std > 0 && take > x*(1-planSlack) {
		return x
	}
	return take
}

// kept returns the rest of a difference x of round t.
func (p *Problem) kept(x, take float64, t int) float64 {
	rest := left(x, take)
	if r := p.rounding(t); r > 0 && take > 0 && take < x {
		return min(x, raised(rest+r, 1))
	}
	return rest
}

// atOnce returns the plan that absorbs everything where it enters. It needs noise there.
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

// Loss returns the loss of a view of an energy at a noise multiplier. It is exactly that of
// the Gaussian. On a grid it follows from concentrated privacy, minimised over all orders.
func (a *Accountant) Loss(energy, sigma float64, m privacy.Metric) float64 {
	if a.p.Rounding == nil || energy == 0 || math.IsInf(energy, 1) {
		return privacy.GaussianLoss(energy, sigma, m)
	}
	m.Conversion = privacy.CanonneKamathSteinke
	return m.GaussianRDP(energy / (sigma * sigma))
}

// Sigma returns the smallest noise multiplier at which Loss is at most target. On a grid
// Rounding must be large enough for that noise, because Rounding grows with the noise.
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

// meanLoss returns the mean of Loss over all pairs of different nodes.
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

// OnGrid returns the accountant with the given Rounding, one number a round, in units of
// the largest sensitivity.
func (a *Accountant) OnGrid(rounding []float64) (*Accountant, error) {
	p := a.p
	p.Rounding = finest(rounding, a.relatives)
	g, err := New(p)
	if err == nil {
		g.update, g.relatives, g.records = a.update, a.relatives, a.records
	}
	return g, err
}
