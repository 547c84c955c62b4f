package sums

import (
	"cmp"
	"math"

	"github.com/hearsay-dp/hearsay/privacy"
)

// RDP is a sound curve of the sum at noise multiplier sigma, before the walk is
// known and for an observer that is told the path, while the total is shown to
// nobody: tighter than Law, which also covers updates that are not sums.
//
// Given the path, v's view is a Gaussian of energy V, the sum of m^2/l over the
// excursions (ActualWalk.Energies), so that the loss of order alpha is at most
// ln E exp(r V)/(alpha-1), r = alpha (alpha-1)/(2 sigma^2). Excursions are
// independent: l others with probability (1-1/n)^l/n, m of them u with law
// B(l, 1/(n-1)), and then v. Let w range over them, with l+1 turns. If
//
//	E exp(r m^2/l - theta (l+1)) <= 1,
//
// then, by induction over the turns left, E exp(r V) <= exp(theta T)/kappa with
// kappa = E exp(-theta (l+1)) of the unfinished excursion, at least that of a
// fresh one: 1/(1 + n (e^theta - 1)). RDP takes the least such theta.
//
// Excursions longer than longExcursion n are cut, as if v were told the token
// there: that only adds to V, as m^2/l is subadditive over parts.
func (c Complete) RDP(sigma float64) privacy.RDP {
	return func(order float64) float64 {
		rate := order * (order - 1) / (2 * sigma * sigma)
		return c.logMoment(rate) / (order - 1)
	}
}

// longExcursion n turns are cut: one in 3000.
const longExcursion = 8

// logMoment bounds ln E exp(rate V). V is never above the number of turns, which
// is the answer near where excursions of u alone, of chance (n-1)^-l and energy
// l, outweigh all others: at a rate of ln(n-1).
func (c Complete) logMoment(rate float64) float64 {
	all := rate * float64(c.Turns)
	if rate > 0.8*math.Log(float64(c.Nodes-1)) {
		return all
	}
	return min(all, c.renewalMoment(c.gains(rate)))
}

// renewalMoment finds theta.
func (c Complete) renewalMoment(gains []float64) float64 {
	above := func(theta float64) bool { return c.drift(gains, theta) <= 0 }
	most := 1.0
	for !above(most) {
		if most *= 2; math.IsInf(most, 1) {
			return most
		}
	}
	least := 0.0
	for most-least > 1e-12*most {
		if mid := (least + most) / 2; above(mid) {
			most = mid
		} else {
			least = mid
		}
	}
	return most*float64(c.Turns) + math.Log1p(float64(c.Nodes)*math.Expm1(most))
}

// gains[l] is E exp(rate m^2/l) - 1 for l = 0..longExcursion n.
func (c Complete) gains(rate float64) []float64 {
	gains := make([]float64, longExcursion*c.Nodes+1)
	e := newExcursions(rate, 1/float64(c.Nodes-1), float64(len(gains)))
	for l := 1; l < len(gains); l++ {
		gains[l] = e.gain(l)
	}
	return gains
}

// drift is E exp(rate m^2/l - theta turns) - 1 over one excursion, cut at the
// last of the gains.
func (c Complete) drift(gains []float64, theta float64) float64 {
	p, sum := 1/float64(c.Nodes), 0.0
	chance, last := p, len(gains)-1
	step := math.Expm1(-theta)
	fall := step // exp(-theta (l+1)) - 1
	for _, gain := range gains[:last] {
		sum += chance * (gain*(1+fall) + fall)
		chance *= 1 - p
		fall += step * (1 + fall)
	}
	fall = math.Expm1(-theta * float64(last))
	return sum + chance/p*(gains[last]*(1+fall)+fall)
}

// Sound is the loss of RDP in a metric, at a delta by the conversion of m, or
// the local loss of all turns that u has, but for half of delta, if that is
// less.
func (c Complete) Sound(sigma float64, m privacy.Metric) (float64, privacy.Claim, error) {
	if err := cmp.Or(c.check(), m.Check(), privacy.CheckSigma(sigma)); err != nil {
		return 0, privacy.Claim{}, err
	}
	return c.loss(sigma, m), c.soundClaim("renewal", false), nil
}

func (c Complete) loss(sigma float64, m privacy.Metric) float64 {
	if m.Order != 0 {
		return c.RDP(sigma)(m.Order)
	}
	made := privacy.BinomialUpper(c.Turns, 1/float64(c.Nodes), m.Delta/2)
	local := privacy.GaussianLoss(float64(made), sigma, privacy.Metric{Delta: m.Delta / 2})
	return min(local, c.RDP(sigma).Minimise(m.Conversion, m.Delta))
}

// Tight is the smallest noise with Sound at most target.
func (c Complete) Tight(target float64, m privacy.Metric) (privacy.Noise, privacy.Calibration, error) {
	if err := cmp.Or(c.check(), m.Check()); err != nil {
		return privacy.Noise{}, privacy.Calibration{}, err
	}
	cal, err := privacy.Calibrate(func(sigma float64) float64 { return c.loss(sigma, m) }, privacy.CentralFloor, target)
	return privacy.Noise{Claim: c.soundClaim("renewal", false), Multiplier: cal.Sigma}, cal, err
}
