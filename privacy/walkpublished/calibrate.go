package walkpublished

import "github.com/hearsay-dp/hearsay/privacy"

// Calibrate returns the losses at the smallest sigma whose mean or worst pairwise loss is at most
// target, by bisection. s selects the statistic. The loss falls as sigma grows.
func (p *Pairs) Calibrate(s privacy.Statistic, target float64, c Charge) (*Losses, privacy.Calibration, error) {
	if s == privacy.Max {
		return p.calibrate((*Losses).Max, target, c)
	}
	return p.calibrate((*Losses).Mean, target, c)
}

// CalibrateLimits returns the losses at the smallest sigma that keeps all limits.
func (p *Pairs) CalibrateLimits(limits []privacy.Limit, c Charge) (*Losses, privacy.Calibration, error) {
	worst := make([]float64, len(limits)) // a loss rises with the sum
	for k, l := range limits {
		worst[k], _ = l.Worst(p.n, p.reach)
	}
	return p.calibrate(func(losses *Losses) float64 {
		most := 0.0
		for k, l := range limits {
			if worst[k] > 0 {
				most = max(most, losses.curve.at(worst[k])/l.Loss)
			}
		}
		return most
	}, 1, c)
}

// calibrate returns the losses at the smallest sigma at which a statistic of them is at most
// target.
func (p *Pairs) calibrate(statistic func(*Losses) float64, target float64, c Charge) (*Losses, privacy.Calibration, error) {
	floor := privacy.LeastSigma
	if c.Metric.Order > 1 {
		floor = max(floor, c.Condition.MinSigma(c.Metric.Order))
	}
	if err := c.check(floor); err != nil {
		return nil, privacy.Calibration{}, err
	}
	cal, err := privacy.Calibrate(func(sigma float64) float64 {
		curve, maxOrder := c.curve(sigma)
		return statistic(&Losses{Sigma: sigma, Charge: c, MaxOrder: maxOrder, pairs: p, curve: curve})
	}, floor, target)
	if err != nil {
		return nil, cal, err
	}
	losses, err := p.Losses(cal.Sigma, c)
	return losses, cal, err
}
