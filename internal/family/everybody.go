package family

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
)

// Local is the sound accountant that holds whatever the graph is: all of a node's
// contributions public, each with the noise and the sensitivities of n. check may be
// nil.
func Local(h *Holdings, contributions int, n noise.Gaussian, m privacy.Metric, check func() error) Accountant {
	all := localTowards(contributions, n, m)
	return Accountant{Name: report.LocalAccountant, Check: check, Beside: Always, Price: func(sigma *float64) (Account, float64, error) {
		if sigma != nil || all.Relatives != nil {
			return all.Price(h, sigma)
		}
		noise, err := privacy.LocalTight(contributions, h.Spec.Privacy.Calibrate.Target(), m)
		if err != nil {
			return Account{}, 0, err
		}
		return all.Price(h, &noise.Multiplier)
	}}
}

func localTowards(contributions int, n noise.Gaussian, m privacy.Metric) TowardsAll {
	return TowardsAll{report.LocalAccountant, n.Relatives(), n.Rates(), func(rate, own float64) (float64, privacy.Claim, error) {
		if rate < 1 {
			return privacy.SampledLoss(privacy.Poisson{Rate: rate, Steps: contributions}, own, m)
		}
		return privacy.LocalLoss(contributions, own, m)
	}}
}

// TowardsAll is what nodes lose towards everybody alike.
type TowardsAll struct {
	Name      string
	Relatives []float64 // nodes' sensitivities over the largest; nil: all have the same
	Rates     []float64 // and with which probability each of their records is in what they release; nil: 1
	// Loss is that at a node's rate and own noise multiplier; it grows with the one and falls with the other.
	Loss func(rate, own float64) (float64, privacy.Claim, error)
}

// A member is a node as its losses depend on it.
type member struct{ relative, rate float64 }

func (t TowardsAll) member(u int) member {
	if t.Rates == nil {
		return member{t.Relatives[u], 1}
	}
	return member{t.Relatives[u], t.Rates[u]}
}

// loss is that of a member where sigma is the noise over the largest sensitivity.
func (t TowardsAll) loss(sigma float64, m member) (float64, privacy.Claim, error) {
	return t.Loss(m.rate, sigma/m.relative)
}

// Price is the account at the noise multiplier of the largest sensitivity, or at the
// least that meets the spec's target.
func (t TowardsAll) Price(h *Holdings, sigma *float64) (Account, float64, error) {
	if sigma == nil {
		found, err := t.calibrate(h)
		if err != nil {
			return Account{}, 0, err
		}
		sigma = &found.Sigma
	}
	if t.Relatives == nil {
		loss, claim, err := t.Loss(1, *sigma)
		return Constant(t.Name, loss, claim), *sigma, err
	}
	of, mean, claim, err := t.losses(*sigma)
	if err != nil {
		return Account{}, 0, err
	}
	claim.Unit = privacy.Record
	return Account{Accounted: Accounted(t.Name, mean, slices.Max(of), claim), At: func(u, _ int) float64 { return of[u] }}, *sigma, nil
}

// losses are those of every node, and their mean.
func (t TowardsAll) losses(sigma float64) (of []float64, mean float64, claim privacy.Claim, err error) {
	of, known := make([]float64, len(t.Relatives)), map[member]float64{}
	for u := range t.Relatives {
		loss, found := known[t.member(u)]
		if !found {
			if loss, claim, err = t.loss(sigma, t.member(u)); err != nil {
				return nil, 0, claim, err
			}
			known[t.member(u)] = loss
		}
		of[u] = loss
		mean += loss / float64(len(of))
	}
	return of, mean, claim, nil
}

// calibrate finds the least multiplier that meets the spec's target.
func (t TowardsAll) calibrate(h *Holdings) (privacy.Calibration, error) {
	if t.Relatives == nil {
		return privacy.SmallestSigma(func(sigma float64) (float64, error) {
			loss, _, err := t.Loss(1, sigma)
			return loss, err
		}, privacy.LeastSigma, h.Spec.Privacy.Calibrate.Target())
	}
	target, err := h.Target()
	if err != nil {
		return privacy.Calibration{}, err
	}
	if target.Mean != 0 {
		return t.smallest(func(t TowardsAll, sigma float64) (float64, error) {
			_, mean, _, err := t.losses(sigma)
			return mean, err
		}, target.Mean)
	}
	return t.calibrateLimits(target.Limits)
}

// smallest is the least multiplier that keeps a loss, which follows from what nodes lose, at
// a target. Losses of samples take long, and are looked for below those of whole data.
func (t TowardsAll) smallest(loss func(t TowardsAll, sigma float64) (float64, error), target float64) (privacy.Calibration, error) {
	whole := t
	whole.Rates = nil
	found, err := privacy.SmallestSigma(func(sigma float64) (float64, error) { return loss(whole, sigma) }, privacy.LeastSigma, target)
	if t.Rates == nil || err != nil {
		return found, err
	}
	return privacy.CalibrateBelow(
		func(sigma float64) float64 { return orInfinite(loss(whole, sigma)) }, func(sigma float64) float64 { return orInfinite(loss(t, sigma)) },
		privacy.LeastSigma, target)
}

// orInfinite is a loss, no bound where there is an error.
func orInfinite(loss float64, err error) float64 {
	if err != nil {
		return math.Inf(1)
	}
	return loss
}

// calibrateLimits keeps every limit by the nodes that it concerns of which none is worse; where
// there are too many nodes to look at all pairs, by those of all.
func (t TowardsAll) calibrateLimits(limits []privacy.Limit) (privacy.Calibration, error) {
	return privacy.Strictest(limits, func(l privacy.Limit) (privacy.Calibration, bool, error) {
		worst := t.worst(l)
		if len(worst) == 0 { // it concerns nobody
			return privacy.Calibration{}, false, nil
		}
		found, err := t.smallest(func(t TowardsAll, sigma float64) (most float64, err error) {
			for _, m := range worst {
				if t.Rates == nil {
					m.rate = 1
				}
				loss, _, err := t.loss(sigma, m)
				if most = max(most, loss); err != nil {
					return 0, err
				}
			}
			return most, nil
		}, l.Loss)
		return found, true, err
	})
}

// worst are the members among those that a limit concerns of which none has both a larger
// sensitivity and a larger rate.
func (t TowardsAll) worst(l privacy.Limit) (worst []member) {
	n := len(t.Relatives)
	for u := range n {
		m := t.member(u)
		if l.Of != nil && n <= PairLimit && !concerned(l, u, n) ||
			slices.ContainsFunc(worst, func(w member) bool { return w.relative >= m.relative && w.rate >= m.rate }) {
			continue
		}
		worst = slices.DeleteFunc(worst, func(w member) bool { return w.relative <= m.relative && w.rate <= m.rate })
		worst = append(worst, m)
	}
	return worst
}

// concerned reports whether a limit is about node u, towards some of n nodes.
func concerned(l privacy.Limit, u, n int) bool {
	for v := range n {
		if l.Concerns(u, v) {
			return true
		}
	}
	return false
}

// LocalLow is where bisection for the sigma of the local accountant, which may have
// inverted it in closed form, would have missed its target last.
func LocalLow(a Algorithm, sigma float64) (float64, error) {
	m, err := Metric(&a.Of().Spec.Privacy)
	if err != nil {
		return 0, err
	}
	charged := a.Contributions()
	if c, ok := a.(Charger); ok {
		charged = c.Charged()
	}
	found, err := localTowards(charged, a.Local().Noise, m).calibrate(a.Of())
	return math.Min(found.Low, sigma), err
}

// Multiplier is the noise of node u over its own sensitivity, where sigma is that over
// the largest of all.
func Multiplier(a Algorithm, u int, sigma float64) float64 {
	relatives := a.Local().Noise.Relatives()
	if relatives == nil {
		return sigma
	}
	return sigma / relatives[u]
}
