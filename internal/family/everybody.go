package family

import (
	"math"
	"slices"

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
	return TowardsAll{report.LocalAccountant, n.Relatives(), func(own float64) (float64, privacy.Claim, error) { return privacy.LocalLoss(contributions, own, m) }}
}

// TowardsAll is what nodes lose towards everybody alike.
type TowardsAll struct {
	Name      string
	Relatives []float64                                         // nodes' sensitivities over the largest; nil: all have the same
	Loss      func(own float64) (float64, privacy.Claim, error) // at a node's own noise multiplier; it falls
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
		loss, claim, err := t.Loss(*sigma)
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
	of, known := make([]float64, len(t.Relatives)), map[float64]float64{}
	for u, relative := range t.Relatives {
		loss, found := known[relative]
		if !found {
			if loss, claim, err = t.Loss(sigma / relative); err != nil {
				return nil, 0, claim, err
			}
			known[relative] = loss
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
			loss, _, err := t.Loss(sigma)
			return loss, err
		}, privacy.LeastSigma, h.Spec.Privacy.Calibrate.Target())
	}
	target, err := h.Target()
	if err != nil {
		return privacy.Calibration{}, err
	}
	if target.Mean != 0 {
		return privacy.SmallestSigma(func(sigma float64) (float64, error) {
			_, mean, _, err := t.losses(sigma)
			return mean, err
		}, privacy.LeastSigma, target.Mean)
	}
	return t.calibrateLimits(target.Limits)
}

// calibrateLimits keeps every limit by the node that it concerns with the largest
// sensitivity; where there are too many nodes to look at all pairs, by that of all.
func (t TowardsAll) calibrateLimits(limits []privacy.Limit) (most privacy.Calibration, err error) {
	for _, l := range limits {
		relative := 1.0
		if n := len(t.Relatives); l.Of != nil && n <= PairLimit {
			relative, _ = l.Worst(n, func(u, _ int) float64 { return t.Relatives[u] })
		}
		if relative == 0 { // it concerns nobody
			continue
		}
		found, err := privacy.SmallestSigma(func(sigma float64) (float64, error) {
			loss, _, err := t.Loss(sigma / relative)
			return loss, err
		}, privacy.LeastSigma, l.Loss)
		if err != nil {
			return found, err
		}
		if found.Sigma > most.Sigma {
			most = found
		}
	}
	if most.Sigma == 0 {
		most = privacy.Calibration{Sigma: privacy.LeastSigma, Low: privacy.LeastSigma}
	}
	return most, nil
}

// LocalLow is where bisection for the sigma of the local accountant, which may have
// inverted it in closed form, would have missed its target last.
func LocalLow(a Algorithm, sigma float64) (float64, error) {
	m, err := Metric(&a.Of().Spec.Privacy)
	if err != nil {
		return 0, err
	}
	found, err := localTowards(a.Contributions(), a.Local().Noise, m).calibrate(a.Of())
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
