package gossipview

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// exactPairs is the largest number of ordered pairs for which each loss is computed exactly. Beyond it losses
// come from a curve.
const exactPairs = 20_000

// Calibrate returns the losses at the smallest sigma whose mean or largest loss over all ordered pairs is at
// most target. Beyond exactPairs pairs, losses are rounded up by at most two parts in 10^6.
func (p *Pairs) Calibrate(s privacy.Statistic, target float64, m privacy.Metric) (*Losses, privacy.Calibration, error) {
	if err := m.Check(); err != nil {
		return nil, privacy.Calibration{}, err
	}
	cal, err := p.calibrate(s, target, m)
	if err != nil {
		return nil, cal, err
	}
	losses, err := p.Losses(cal.Sigma, m)
	return losses, cal, err
}

func (p *Pairs) calibrate(s privacy.Statistic, target float64, m privacy.Metric) (privacy.Calibration, error) {
	all := p
	if p.Drawn != nil {
		shown := *p
		shown.Drawn, all = nil, &shown
	}
	loss := func(sigma float64) float64 { return (&Losses{Sigma: sigma, Metric: m, pairs: all}).Max() }
	if s == privacy.Mean {
		loss = all.meanLoss(m)
	}
	switch {
	case p.Drawn == nil:
		return privacy.Calibrate(loss, privacy.LeastSigma, target)
	case s == privacy.Mean:
		return privacy.CalibrateBelow(loss, p.meanDrawn(newSamples(m)), privacy.LeastSigma, target)
	}
	return privacy.CalibrateBelow(loss, p.maxDrawn(newSamples(m), nil), privacy.LeastSigma, target)
}

// CalibrateLimits returns the losses at the smallest sigma that keeps all limits.
func (p *Pairs) CalibrateLimits(limits []privacy.Limit, m privacy.Metric) (*Losses, error) {
	sigma := privacy.LeastSigma
	for _, l := range limits {
		found, err := p.calibrateLimit(l, m)
		if err != nil {
			return nil, err
		}
		sigma = max(sigma, found.Sigma)
	}
	return p.Losses(sigma, m)
}

// calibrateLimit returns the smallest sigma that keeps one limit.
func (p *Pairs) calibrateLimit(l privacy.Limit, m privacy.Metric) (privacy.Calibration, error) {
	value, _ := l.Worst(p.N, p.At)
	if p.Drawn != nil {
		shown := func(sigma float64) float64 { return privacy.GaussianLoss(value, sigma, m) }
		return privacy.CalibrateBelow(shown, p.maxDrawn(newSamples(m), &l), privacy.LeastSigma, l.Loss)
	}
	return privacy.TightGaussian(value, l.Loss, m)
}

// meanLoss returns the mean loss over all ordered pairs of distinct nodes as a function of sigma. The function
// caches losses between calls.
func (p *Pairs) meanLoss(m privacy.Metric) func(sigma float64) float64 {
	if p.many() {
		return p.meanOn(newCurve(m.GaussianView, p.Status))
	}
	return p.mean(m.GaussianView)
}

// many reports whether losses come from a curve. This holds for more than exactPairs pairs, unless an audit
// attacked at most so many.
func (p *Pairs) many() bool {
	if p.N*(p.N-1) <= exactPairs {
		return false
	}
	if p.Status != privacy.Audit {
		return true
	}
	attacked := 0
	for _, value := range p.Values {
		if value > 0 {
			attacked++
		}
	}
	return attacked > exactPairs
}

// mean returns the mean of view over the values of all ordered pairs of distinct nodes, as a function of sigma.
func (p *Pairs) mean(view func(energy float64) float64) func(sigma float64) float64 {
	counts := p.counts(p.nodes())
	return func(sigma float64) float64 {
		sum := 0.0
		for _, c := range counts {
			sum += float64(float64(c.pairs) * view(c.value/(sigma*sigma)))
		}
		return sum / p.ordered()
	}
}

// meanOn does as mean, with losses read off a curve.
func (p *Pairs) meanOn(c *curve) func(sigma float64) float64 {
	counts := p.counts(p.nodes())
	positions := make([]float64, len(counts))
	for i, k := range counts {
		positions[i] = position(k.value)
	}
	return func(sigma float64) float64 {
		sum, shift := 0.0, 2*position(sigma)
		for at := 0; at < len(counts); {
			below, end := math.Floor(positions[at]-shift), at+1
			for end < len(counts) && positions[end]-shift < below+1 {
				end++
			}
			between := c.between(int(below))
			for i := at; i < end; i++ {
				sum += float64(float64(counts[i].pairs) * between.at(positions[i]-shift-below))
			}
			at = end
		}
		return sum / p.ordered()
	}
}

func (p *Pairs) nodes() []int {
	all := make([]int, p.N)
	for u := range all {
		all[u] = u
	}
	return all
}

// ordered returns the number of ordered pairs of distinct nodes, at least 1.
func (p *Pairs) ordered() float64 { return float64(max(1, p.N*(p.N-1))) }

// count holds the number of pairs with a value.
type count struct {
	value float64
	pairs int
}

// counts returns the values other than 0 of the pairs of each of these nodes with every other, in ascending
// order.
func (p *Pairs) counts(nodes []int) (counts []count) {
	values := make([]float64, 0, len(nodes)*p.N)
	for _, u := range nodes {
		for v := range p.N {
			if value := p.At(u, v); u != v && value > 0 {
				values = append(values, value)
			}
		}
	}
	slices.Sort(values)
	for i, value := range values {
		if i == 0 || value != values[i-1] {
			counts = append(counts, count{value: value})
		}
		counts[len(counts)-1].pairs++
	}
	return counts
}
