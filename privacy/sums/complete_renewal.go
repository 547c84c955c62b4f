package sums

import (
	"cmp"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// RDP returns a sound RDP curve of the sum at noise multiplier sigma, before the walk is
// known and for an observer that is told the path. The total is shown to nobody. It is
// tighter than Law, which also covers updates that are not sums.
//
// Given the path, v's view is a Gaussian of energy V, the sum of m^2/l over the excursions
// (ActualWalk.Energies). So the loss of order alpha is at most ln E exp(r V)/(alpha-1), r =
// alpha (alpha-1)/(2 sigma^2). Excursions are independent: l others with probability
// (1-1/n)^l/n, m of them u with law B(l, 1/(n-1)), and then v. Take expectations over an
// excursion, with l+1 turns. If
//
//	E exp(r m^2/l - theta (l+1)) <= 1,
//
// then, by induction over the turns left, E exp(r V) <= exp(theta T)/kappa. kappa is E
// exp(-theta (l+1)) of the unfinished excursion, at least that of a fresh one: 1/(1 + n
// (e^theta - 1)). RDP takes the least such theta.
//
// Excursions longer than longExcursion n are cut, as if v were told the token there. That
// only adds to V, because m^2/l is subadditive over parts.
func (c Complete) RDP(sigma float64) privacy.RDP {
	return func(order float64) float64 {
		rate := order * (order - 1) / (2 * sigma * sigma)
		return c.logMoment(rate) / (order - 1)
	}
}

// longExcursion times n turns is the length at which excursions are cut: one in 3000 is as
// long.
const longExcursion = 8

// logMoment returns an upper bound on ln E exp(rate V). V is never above the number of turns.
// logMoment uses that near a rate of ln(n-1), where excursions of u alone, of chance (n-1)^-l
// and energy l, outweigh all others.
func (c Complete) logMoment(rate float64) float64 {
	all := rate * float64(c.Turns)
	if rate > 0.8*math.Log(float64(c.Nodes-1)) {
		return all
	}
	if longExcursion*c.Nodes > mostGains {
		return min(all, c.renewalMoment(c.grouped(rate).drift))
	}
	gains := c.gains(rate)
	return min(all, c.renewalMoment(func(theta float64) (value, slope float64) { return c.drift(gains, theta) }))
}

// mostGains is the largest number of lengths whose gains are computed one by one.
const mostGains = longExcursion << 13

// renewalMoment finds theta, where the value of drift is 0 or less, and returns the bound.
// The logarithm of 1 + drift falls and is convex, so Newton's steps from 0 stay below theta.
// It returns +Inf if it finds no theta.
func (c Complete) renewalMoment(drift func(theta float64) (value, slope float64)) float64 {
	theta := 0.0
	for range 100 {
		value, slope := drift(theta)
		next := theta - math.Log1p(value)*(1+value)/slope
		if !(value > 0) || !(next > theta*(1+1e-13)) {
			break
		}
		theta = next
	}
	least := theta
	for wide := 1e-13; ; wide *= 2 {
		value, _ := drift(theta)
		if value <= 0 {
			return float64(theta*float64(c.Turns)) + math.Log1p(float64(c.Nodes)*math.Expm1(theta))
		}
		if theta = least * (1 + wide); least == 0 || math.IsInf(theta, 1) || math.IsNaN(value) {
			return math.Inf(1)
		}
	}
}

// gains returns E exp(rate m^2/l) - 1 for l = 0..longExcursion n, at index l.
func (c Complete) gains(rate float64) []float64 {
	gains := make([]float64, longExcursion*c.Nodes+1)
	e := newExcursions(rate, 1/float64(c.Nodes-1), float64(len(gains)))
	for l := 1; l < len(gains); l++ {
		gains[l] = e.gain(l)
	}
	return gains
}

// drift returns E exp(rate m^2/l - theta turns) - 1 over one excursion, cut at the last of
// the gains, and its derivative by theta.
func (c Complete) drift(gains []float64, theta float64) (value, slope float64) {
	p := 1 / float64(c.Nodes)
	chance, last := p, len(gains)-1
	step := math.Expm1(-theta)
	fall := step // exp(-theta (l+1)) - 1
	for l, gain := range gains[:last] {
		value += float64(chance * (float64(gain*(1+fall)) + fall))
		slope -= float64(chance * float64(l+1) * (1 + gain) * (1 + fall))
		chance *= 1 - p
		fall += float64(step * (1 + fall))
	}
	fall = math.Expm1(-theta * float64(last))
	value += float64(chance / p * (float64(gains[last]*(1+fall)) + fall))
	slope -= float64(chance / p * float64(last) * (1 + gains[last]) * (1 + fall))
	return value, slope
}

// Sound returns the loss of RDP in a metric, at a delta by the conversion of m. At a delta it
// returns the local loss of all turns that u has if that is less. Half of delta then bounds
// their number.
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

// Tight returns the smallest noise with Sound at most target.
func (c Complete) Tight(target float64, m privacy.Metric) (privacy.Noise, privacy.Calibration, error) {
	if err := cmp.Or(c.check(), m.Check()); err != nil {
		return privacy.Noise{}, privacy.Calibration{}, err
	}
	cal, err := privacy.Calibrate(func(sigma float64) float64 { return c.loss(sigma, m) }, privacy.LeastSigma, target)
	return privacy.Noise{Claim: c.soundClaim("renewal", false), Multiplier: cal.Sigma}, cal, err
}
