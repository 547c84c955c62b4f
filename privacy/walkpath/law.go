package walkpath

import (
	"cmp"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A Law bounds what an observer learns about a node over the paths of a
// walk, in units of the node's own sensitivity. Given the path its view is no better than one Gaussian of shift
// sqrt(V)/sigma, and V, the energy of the path, has a law that this one
// exceeds in the increasing convex order: no expectation of an increasing
// convex function of V is larger than under this law.
type Law struct {
	privacy.Claim
	Energies []float64
	Weights  []float64 // their probabilities
	Most     int       // the largest energy: all contributions seen alone
	Relative float64   // the node's sensitivity over the one that sigma is a multiple of; 0 means 1
	Besides  float64   // mu^2 of what the node released besides, whatever sigma is (schedule.Walk)
	// Rate is the probability with which a record is in each of Most contributions, where it is
	// below 1: of Poisson samples (privacy.Poisson), whose law is one energy. 0 means 1.
	Rate    float64
	renewal *renewal // what the law was computed from; nil if it was not
	parts   []part   // of which it is the law of the sum; nil: of none
	exact   bool     // this is the law itself
	curve   func(delta, noise float64) float64
}

// Law bounds the energy of the contributions of u that reach v, without
// sampling, for a fixed W, of several tokens as the law of a sum (tokens.go). Its cost is that of at most Turns products
// with W, lumped to the nodes that the pair can tell apart (of a reversible walk some hundreds, leap.go), and of a small
// dynamic programme; it does not depend on sigma or delta, of which any is
// certified. Without amplification, as for step sizes that fall or a cap per
// edge, it is the local law, which says why; a Simulation prices those.
//
// The visits to u and v form a renewal process, so the numbers of turns
// between contributions are independent given their count. V is a decreasing,
// jointly convex function of them (it is the least energy of an isotonic
// regression, a supremum of functions linear in the gaps), so rounding them to
// a grid with the mean kept, each in turn, can only raise the expectation of
// a convex increasing function; so can rounding energies.
func (w Walk) Law(u, v int) (*Law, error) {
	if err := w.check(u, v); err != nil {
		return nil, err
	}
	l, err := w.base().law(u, v)
	if err != nil {
		return nil, err
	}
	return l.of(w, u), nil
}

// law is Law of what was checked, for the largest sensitivity.
func (w Walk) law(u, v int) (*Law, error) {
	if why := w.notAmplified(); why != "" {
		return localLaw(w.Most(), why), nil
	}
	if w.AllTokens() > 1 {
		return w.lawOfTokens(func(one Walk) (*Law, error) { return one.law(u, v) })
	}
	if l := w.shortLaw(u, v); l != nil {
		return l, nil
	}
	return w.boundedLaw(u, v, w.renewalOf(u, v)), nil
}

// boundedLaw is the law by renewal.
func (w Walk) boundedLaw(u, v int, r *renewal) *Law {
	energies := r.grid()
	return w.lawOfTails(energies, r.tails(energies), r, func() []float64 {
		final := ones(len(energies))
		lower(final, r.finalTails(energies, w.peakOf(u, v)), 1)
		return final
	})
}

// lawOfTails is the law of the energy of closed excursions, whose tails are
// given, and of the last one, if its end is shown to everybody.
func (w Walk) lawOfTails(energies grid, tails []float64, r *renewal, final func() []float64) *Law {
	l := &Law{Claim: w.claim("walk, path"), Most: w.Most()}
	if w.Final {
		l.Energies, l.Weights = together(energies, tails, final())
		return l
	}
	l.Energies, l.Weights, l.renewal = energies, fromTails(tails), r
	return l
}

// fromTails is the law whose tail at each point is given.
func fromTails(tails []float64) []float64 {
	weights := slices.Clone(tails)
	for i, p := range tails[1:] {
		weights[i] -= p
	}
	return weights
}

// localLaw is that of m contributions that are all public.
func localLaw(m int, why string) *Law {
	l := &Law{Energies: []float64{0, float64(m)}, Weights: []float64{0, 1}, Most: m, exact: true}
	l.Claim = privacy.LocalClaim(m)
	if why != "" {
		l.Assumptions = append(l.Assumptions, "charged as public because "+why)
	}
	return l
}

// Mean bounds the mean energy.
func (l *Law) Mean() float64 {
	mean := 0.0
	for i, p := range l.Weights {
		mean += float64(p * l.Energies[i])
	}
	return min(mean, float64(l.Most))
}

// Exceeds is the weight of energies of at least x.
func (l *Law) Exceeds(x float64) float64 {
	tail := 0.0
	for i, p := range l.Weights {
		if l.Energies[i] >= x {
			tail += p
		}
	}
	return min(1, tail)
}

// RDP bounds the Renyi divergence of order alpha > 1 at noise multiplier
// sigma > 0:
//
//	1/(alpha-1) ln E exp(alpha (alpha-1) V / (2 sigma^2)).
//
// It is never above the local loss of all contributions.
func (l *Law) RDP(alpha, sigma float64) float64 {
	if !(alpha > 1) || !(sigma > 0) || l.curve != nil {
		panic("privacy/walkpath: RDP needs alpha > 1, sigma > 0 and a law of energies")
	}
	if l.sampled() {
		return l.drawn().Loss(l.largest(sigma), privacy.Metric{Order: alpha})
	}
	rate := energyRate(alpha, l.multiplier(sigma))
	return l.rdp(alpha, rate, l.logMoment(rate))
}

// rdp is RDP, whose rate and logMoment are given.
func (l *Law) rdp(alpha, rate, logMoment float64) float64 {
	return min(logMoment, rate*float64(l.Most))/(alpha-1) + float64(alpha*l.Besides/2)
}

// energyRate is the rate of the exponential moment of the energy in RDP.
func energyRate(alpha, sigma float64) float64 { return alpha * (alpha - 1) / (2 * sigma * sigma) }

// logMoment bounds ln E exp(rate V).
func (l *Law) logMoment(rate float64) float64 {
	if l.parts != nil {
		return momentOfParts(rate, l.parts)
	}
	if l.renewal != nil {
		return logMoments(rate, []*renewal{l.renewal})[0]
	}
	excess := 0.0
	for i, p := range l.Weights {
		excess += float64(p * math.Expm1(rate*l.Energies[i]))
	}
	return math.Log1p(excess)
}

// sampled reports whether records are in some contributions only.
func (l *Law) sampled() bool { return l.Rate > 0 && l.Rate < 1 && l.Besides == 0 }

func (l *Law) drawn() privacy.Poisson { return privacy.Poisson{Rate: l.Rate, Steps: l.Most} }

// largest is the squared shift over noise of the largest energy.
func (l *Law) largest(sigma float64) float64 {
	largest := 0.0
	for i, p := range l.Weights {
		if p > 0 {
			largest = max(largest, l.Energies[i])
		}
	}
	sigma = l.multiplier(sigma)
	return min(largest, float64(l.Most)) / (sigma * sigma)
}

// Keeps reports whether the law is (eps, delta)-private at a noise multiplier.
func (l *Law) Keeps(eps, delta, sigma float64) bool {
	if (l.sampled() || l.curve != nil) && delta > 0 {
		return l.Epsilon(delta, sigma) <= eps
	}
	return l.Delta(eps, sigma) <= delta
}

// Delta bounds the delta at eps >= 0 and noise multiplier sigma > 0, of samples as if every
// record were in all of them. It is
// never above that of all contributions seen alone.
func (l *Law) Delta(eps, sigma float64) float64 {
	if !(eps >= 0) || !(sigma > 0) || l.curve != nil {
		panic("privacy/walkpath: Delta needs eps >= 0, sigma > 0 and a law of energies")
	}
	sigma = l.multiplier(sigma)
	besides := float64(l.Besides * sigma * sigma) // as an energy: Gaussians compose to one whose squared shift is the sum
	delta, d := 0.0, func(v float64) float64 { return gaussianDelta(v, eps, sigma) }
	if !l.exact {
		d = convexDelta(eps, sigma)
	}
	rest := 1.0
	for i, p := range l.Weights {
		if p > 0 {
			delta += float64(p * d(l.Energies[i]+besides))
			rest -= p
		}
	}
	if besides > 0 && rest > 0 { // what is missing has energy 0
		delta += float64(rest * d(besides))
	}
	return min(delta, gaussianDelta(float64(l.Most)+besides, eps, sigma))
}

// gaussianDelta is the delta of a Gaussian view of energy v.
func gaussianDelta(v, eps, sigma float64) float64 {
	return math.Exp(privacy.LogDeltaGaussian(math.Sqrt(v)/sigma, eps))
}

// convexDelta returns a convex function of the energy that is nowhere below
// delta: delta itself up to where it stops being convex, mu^2 =
// 2(sqrt(1+eps^2)-1), and its tangent from there on. The slope there is that
// of delta in mu, the density at eps/mu - mu/2, over 2 mu sigma^2.
func convexDelta(eps, sigma float64) func(v float64) float64 {
	muSquared := 2 * eps * eps / (math.Sqrt(1+float64(eps*eps)) + 1)
	bend := muSquared * sigma * sigma
	if bend == 0 { // the tangent at 0 is vertical
		return func(v float64) float64 {
			if v == 0 {
				return 0
			}
			return math.Inf(1)
		}
	}
	mu := math.Sqrt(muSquared)
	slope := math.Exp(privacy.LogDensity(eps/mu-float64(mu/2))) / (2 * mu * sigma * sigma)
	top := gaussianDelta(bend, eps, sigma)
	return func(v float64) float64 {
		if v <= bend {
			return gaussianDelta(v, eps, sigma)
		}
		return top + float64(slope*(v-bend))
	}
}

// Epsilon bounds the eps at delta in (0, 1) and noise multiplier sigma > 0, to
// a relative 1e-10 and from above.
func (l *Law) Epsilon(delta, sigma float64) float64 {
	if l.curve != nil {
		return l.curve(delta, sigma)
	}
	if l.sampled() {
		return l.drawn().Loss(l.largest(sigma), privacy.Metric{Delta: delta, Conversion: privacy.Tightest})
	}
	if l.Delta(0, sigma) <= delta {
		return 0
	}
	local := privacy.EpsilonGaussian(math.Hypot(math.Sqrt(float64(l.Most))/l.multiplier(sigma), math.Sqrt(l.Besides)), delta)
	_, eps := bracketZero(0, local, func(eps float64) float64 {
		return math.Log(l.Delta(eps, sigma)) - math.Log(delta)
	})
	return eps
}

// Loss is the loss in a metric: RDP at its order or Epsilon at its delta.
func (l *Law) Loss(sigma float64, m privacy.Metric) (float64, error) {
	if err := cmp.Or(m.Check(), privacy.CheckSigma(sigma)); err != nil {
		return 0, err
	}
	return l.loss(sigma, m), nil
}

// loss is Loss of what was checked.
func (l *Law) loss(sigma float64, m privacy.Metric) float64 {
	if m.Order != 0 {
		return l.RDP(m.Order, sigma)
	}
	return l.Epsilon(m.Delta, sigma)
}

// Sigma is the smallest noise multiplier whose loss is at most target > 0, to a
// relative 1e-10 and from above.
func (l *Law) Sigma(target float64, m privacy.Metric) (privacy.Calibration, error) {
	if err := m.Check(); err != nil {
		return privacy.Calibration{}, err
	}
	return calibrate(target, func(sigma float64) (float64, error) { return l.Loss(sigma, m) })
}
