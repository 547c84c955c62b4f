package walk

import "github.com/hearsay-dp/hearsay/privacy"

// Calibrate finds the smallest sigma whose mean or worst pairwise loss is at
// most target, by bisection. The loss falls as sigma grows.
func (p *Pairs) Calibrate(s privacy.Statistic, target float64, c Charge) (*Losses, privacy.Calibration, error) {
	floor := privacy.LeastSigma
	if c.Metric.Order > 1 {
		floor = max(floor, c.Condition.MinSigma(c.Metric.Order))
	}
	if err := c.check(floor); err != nil {
		return nil, privacy.Calibration{}, err
	}
	cal, err := privacy.Calibrate(func(sigma float64) float64 {
		curve, maxOrder := c.curve(sigma)
		l := Losses{Sigma: sigma, Charge: c, MaxOrder: maxOrder, pairs: p, curve: curve}
		if s == privacy.Max {
			return l.Max()
		}
		return l.Mean()
	}, floor, target)
	if err != nil {
		return nil, cal, err
	}
	losses, err := p.Losses(cal.Sigma, c)
	return losses, cal, err
}
