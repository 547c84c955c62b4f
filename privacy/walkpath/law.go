package walkpath

import (
	"cmp"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A Law bounds the loss of a node towards an observer over the paths of a walk, in units of the node's own
// sensitivity. Given the path, the observer's view tells no more than one Gaussian of shift sqrt(V)/sigma,
// where V is the energy of the path. A Law exceeds the law of V in the increasing convex order: no increasing
// convex function of V has a larger expectation than under the Law.
type Law struct {
	privacy.Claim
	Energies []float64
	Weights  []float64 // their probabilities
	Most     int       // the largest energy, of all contributions without amplification
	Relative float64   // the node's sensitivity over the one in units of which sigma is; 0 means 1
	Besides  float64   // mu^2 of the node's other releases, whatever sigma is (schedule.Walk)
	// Rate is the probability, below 1, with which a record is in each of Most contributions, for Poisson
	// samples (privacy.Poisson). Such a law has one energy. 0 means 1.
	Rate    float64
	renewal *renewal // the renewal that the law was computed from; nil if there is none
	parts   []part   // the terms, if it is the law of a sum; nil: it is not
	exact   bool     // the law is exact, not only a bound
	curve   func(delta, noise float64) float64
}

// Law returns the law that bounds the energy of the contributions of u towards v, without sampling, for a fixed
// W. For several tokens it is the law of a sum (tokens.go). It does not depend on sigma or delta. Where nothing
// is amplified, as for falling step sizes or a cap per edge, it is the local law, with the reason among its
// assumptions; a Simulation prices such walks. The cost is that of at most Turns products with W and of a small
// dynamic programme. W is lumped to the nodes that the pair can tell apart. A reversible walk needs some
// hundreds of products (leap.go).
//
// The visits to u and v form a renewal process, so that the numbers of turns between contributions are
// independent given their count. V is a decreasing, jointly convex function of them: it is the least energy of
// an isotonic regression, a supremum of functions linear in the gaps. Rounding them to a grid with the mean
// kept, one after the other, can therefore only raise the expectation of a convex increasing function. The same
// holds for rounding energies.
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

// law does as Law for checked arguments, and for the largest sensitivity.
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

// boundedLaw returns the law of a pair, computed from its renewal.
func (w Walk) boundedLaw(u, v int, r *renewal) *Law {
	energies := r.grid()
	return w.lawOfTails(energies, r.tails(energies), r, func() []float64 {
		final := ones(len(energies))
		lower(final, r.finalTails(energies, w.peakOf(u, v)), 1)
		return final
	})
}

// lawOfTails returns the law of the energy, given the tails of that of closed excursions. If the last token is
// released it adds the energy of the last excursion, whose tails final returns.
func (w Walk) lawOfTails(energies grid, tails []float64, r *renewal, final func() []float64) *Law {
	l := &Law{Claim: w.claim("walk, path"), Most: w.Most()}
	if w.Final {
		l.Energies, l.Weights = together(energies, tails, final())
		return l
	}
	l.Energies, l.Weights, l.renewal = energies, fromTails(tails), r
	return l
}

// fromTails returns the weights of the law with these tails.
func fromTails(tails []float64) []float64 {
	weights := slices.Clone(tails)
	for i, p := range tails[1:] {
		weights[i] -= p
	}
	return weights
}

// localLaw returns the law of m contributions that are all public. why is the reason, "" for none.
func localLaw(m int, why string) *Law {
	l := &Law{Energies: []float64{0, float64(m)}, Weights: []float64{0, 1}, Most: m, exact: true}
	l.Claim = privacy.LocalClaim(m)
	if why != "" {
		l.Assumptions = append(l.Assumptions, "charged as public because "+why)
	}
	return l
}

// Mean returns an upper bound of the mean energy.
func (l *Law) Mean() float64 {
	mean := 0.0
	for i, p := range l.Weights {
		mean += float64(p * l.Energies[i])
	}
	return min(mean, float64(l.Most))
}

// Exceeds returns the weight of energies of at least x.
func (l *Law) Exceeds(x float64) float64 {
	tail := 0.0
	for i, p := range l.Weights {
		if l.Energies[i] >= x {
			tail += p
		}
	}
	return min(1, tail)
}

// RDP returns an upper bound of the Renyi divergence of order alpha > 1 at noise multiplier sigma > 0:
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

// rdp returns RDP, given its rate and logMoment.
func (l *Law) rdp(alpha, rate, logMoment float64) float64 {
	return min(logMoment, rate*float64(l.Most))/(alpha-1) + float64(alpha*l.Besides/2)
}

// energyRate returns the rate of the exponential moment of the energy in RDP.
func energyRate(alpha, sigma float64) float64 { return alpha * (alpha - 1) / (2 * sigma * sigma) }

// logMoment returns an upper bound of ln E exp(rate V).
func (l *Law) logMoment(rate float64) float64 {
	if l.parts != nil {
		return momentOfParts(rate, l.parts)
	}
	if l.renewal != nil {
		return logMoments(rate, []*renewal{l.renewal})[0]
	}
	excess := 0.0
	for i, p := range l.Weights {
		if p > 0 { // 0 times what overflows is no number
			excess += float64(p * math.Expm1(rate*l.Energies[i]))
		}
	}
	return math.Log1p(excess)
}

// sampled reports whether a record is in a random part of the contributions only.
func (l *Law) sampled() bool { return l.Rate > 0 && l.Rate < 1 && l.Besides == 0 }

func (l *Law) drawn() privacy.Poisson { return privacy.Poisson{Rate: l.Rate, Steps: l.Most} }

// largest returns the squared shift over noise of the largest energy.
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

// MuSquared returns the squared shift over noise of one Gaussian that tells at least as much as any view of the
// law. It charges sampled records as if each were in all samples. The law must have energies.
func (l *Law) MuSquared(sigma float64) float64 { return l.largest(sigma) + l.Besides }

// Keeps reports whether the law is (eps, delta)-private at a noise multiplier.
func (l *Law) Keeps(eps, delta, sigma float64) bool {
	if (l.sampled() || l.curve != nil) && delta > 0 {
		return l.Epsilon(delta, sigma) <= eps
	}
	return l.Delta(eps, sigma) <= delta
}

// Delta returns an upper bound of the delta at eps >= 0 and noise multiplier sigma > 0. It charges sampled
// records as if each were in all samples. It is never above the delta of all contributions without
// amplification.
func (l *Law) Delta(eps, sigma float64) float64 {
	if !(eps >= 0) || !(sigma > 0) || l.curve != nil {
		panic("privacy/walkpath: Delta needs eps >= 0, sigma > 0 and a law of energies")
	}
	sigma = l.multiplier(sigma)
	besides := float64(l.Besides * sigma * sigma) // as an energy: the squared shifts of Gaussians add
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
	if besides > 0 && rest > 0 { // paths that the law omits have energy 0
		delta += float64(rest * d(besides))
	}
	return min(delta, gaussianDelta(float64(l.Most)+besides, eps, sigma))
}

// gaussianDelta returns the delta of a Gaussian view of energy v.
func gaussianDelta(v, eps, sigma float64) float64 {
	return math.Exp(privacy.LogDeltaGaussian(math.Sqrt(v)/sigma, eps))
}

// convexDelta returns a convex function of the energy that is nowhere below delta. It is delta up to the end of
// its convex part, mu^2 = 2(sqrt(1+eps^2)-1), and its tangent from there on. The slope there is that of delta
// in mu, the density at eps/mu - mu/2, over 2 mu sigma^2.
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

// Epsilon returns an upper bound of the eps at delta in (0, 1) and noise multiplier sigma > 0, too large by a
// relative 1e-10 at most.
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

// Loss returns the loss in a metric: RDP at its order or Epsilon at its delta.
func (l *Law) Loss(sigma float64, m privacy.Metric) (float64, error) {
	if err := cmp.Or(m.Check(), privacy.CheckSigma(sigma)); err != nil {
		return 0, err
	}
	return l.loss(sigma, m), nil
}

// loss does as Loss for checked arguments.
func (l *Law) loss(sigma float64, m privacy.Metric) float64 {
	if m.Order != 0 {
		return l.RDP(m.Order, sigma)
	}
	return l.Epsilon(m.Delta, sigma)
}

// Sigma returns the smallest noise multiplier whose loss is at most target > 0, too large by a relative 1e-10
// at most.
func (l *Law) Sigma(target float64, m privacy.Metric) (privacy.Calibration, error) {
	if err := m.Check(); err != nil {
		return privacy.Calibration{}, err
	}
	return calibrate(target, func(sigma float64) (float64, error) { return l.Loss(sigma, m) })
}
