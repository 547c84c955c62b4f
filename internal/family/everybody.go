package family

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
)

// Local returns the sound accountant that holds for any graph. It charges all of a node's contributions as public, each with
// the noise and the sensitivities of n. check may be nil.
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

// TowardsAll is the loss of nodes towards all observers alike.
type TowardsAll struct {
	Name      string
	Relatives []float64 // nodes' sensitivities over the largest; nil: all are equal
	Rates     []float64 // probability with which each record of a node is in its releases; nil: 1
	// Loss returns the loss at a node's rate and own noise multiplier. It increases in rate and decreases in own.
	Loss func(rate, own float64) (float64, privacy.Claim, error)
}

// A member holds the two properties of a node on which its losses depend.
type member struct{ relative, rate float64 }

func (t TowardsAll) member(u int) member {
	if t.Relatives == nil {
		return member{1, 1}
	}
	if t.Rates == nil {
		return member{t.Relatives[u], 1}
	}
	return member{t.Relatives[u], t.Rates[u]}
}

// loss returns the loss of a member. sigma is the noise over the largest sensitivity.
func (t TowardsAll) loss(sigma float64, m member) (float64, privacy.Claim, error) {
	return t.Loss(m.rate, sigma/m.relative)
}

// Price returns the account at the noise multiplier sigma of the largest sensitivity. If sigma is nil, Price calibrates the
// least multiplier that meets the spec's target.
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
		account := Constant(t.Name, loss, claim)
		account.alone = t.alone
		return account, *sigma, err
	}
	of, mean, claim, err := t.losses(*sigma)
	if err != nil {
		return Account{}, 0, err
	}
	claim.Unit = h.Unit()
	return Account{Accounted: Accounted(t.Name, mean, slices.Max(of), claim), At: func(u, _ int) float64 { return of[u] }, alone: t.alone}, *sigma, nil
}

// alone returns the loss of node u at a noise multiplier.
func (t TowardsAll) alone(u int, sigma float64) (float64, error) {
	loss, _, err := t.loss(sigma, t.member(u))
	return loss, err
}

// losses returns the loss of every node, and the mean.
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

// calibrate returns the least multiplier that meets the spec's target.
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

// smallest returns the least multiplier at which loss, a function of the nodes' losses, is at most target. Losses of samples
// are slow, so that the search starts from the multiplier of the whole data and goes down.
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

// orInfinite returns loss, or +Inf if there is an error.
func orInfinite(loss float64, err error) float64 {
	if err != nil {
		return math.Inf(1)
	}
	return loss
}

// calibrateLimits returns the least multiplier that keeps every limit. It evaluates only the worst of the nodes that a limit
// concerns. Where there are too many nodes to look at all pairs, it takes the worst of all nodes.
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

// worst returns the members that a limit concerns and that no other such member dominates in both sensitivity and rate.
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

// LocalLow returns the lower end of the bracket that bisection finds for the sigma of the local accountant, where it still
// misses its target. The accountant itself may have computed sigma in closed form.
func LocalLow(a Algorithm, sigma float64) (float64, error) {
	m, err := Metric(&a.Of().Spec.Privacy)
	if err != nil {
		return 0, err
	}
	charged := a.Contributions()
	if c, ok := a.(Charger); ok {
		charged = c.Charged()
	}
	noise := a.Local().Noise
	noise.Clips = nil // noise is calibrated as if nobody had a limit
	found, err := localTowards(charged, noise, m).calibrate(a.Of())
	return math.Min(found.Low, sigma), err
}

// Multiplier returns the noise of node u over its own sensitivity. sigma is the noise over the largest sensitivity.
func Multiplier(a Algorithm, u int, sigma float64) float64 {
	relatives := a.Local().Noise.Relatives()
	if relatives == nil {
		return sigma
	}
	return sigma / relatives[u]
}
