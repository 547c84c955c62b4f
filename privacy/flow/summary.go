package flow

import (
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
)

// Pairs holds the energies of all ordered pairs.
type Pairs = gossipview.Pairs

// A Summary holds the mean and largest losses of all pairs at one noise level.
// The mean hides the losses of neighbours.
type Summary struct {
	Mean, Max float64
	Beyond    float64 // the largest among pairs without direct messages, 0 if there are none
}

// Worst returns the largest energies of different nodes: of all pairs, and of
// pairs in which v hears no message of u in any round, except the public last
// one.
func (a *Accountant) Worst(p *Pairs) (largest, beyond float64) {
	for v := range a.n {
		direct := make([]bool, a.n)
		for t := range max(len(a.p.Weights), len(a.p.Hears)) {
			for _, u := range a.heardIn(t, v) {
				direct[u] = true
			}
		}
		for u := range a.n {
			if u == v {
				continue
			}
			largest = max(largest, p.At(u, v))
			if !direct[u] {
				beyond = max(beyond, p.At(u, v))
			}
		}
	}
	return largest, beyond
}

// Summarise returns a summary of the losses of all pairs at a noise multiplier.
func (a *Accountant) Summarise(p *Pairs, sigma float64, m privacy.Metric) (Summary, error) {
	largest, beyond := a.Worst(p)
	summary := Summary{Max: a.Loss(largest, sigma, m), Beyond: a.Loss(beyond, sigma, m)}
	if a.p.Rounding != nil {
		summary.Mean = a.meanLoss(p, sigma, m)
		return summary, nil
	}
	losses, err := p.Losses(sigma, m)
	if err != nil {
		return Summary{}, err
	}
	summary.Mean = losses.Mean()
	return summary, nil
}

// Sigmas holds the smallest noise multipliers for which each number of a Summary
// stays at or below a target.
type Sigmas struct{ Mean, Max, Beyond privacy.Calibration }

// Calibrate returns the Sigmas for a target.
func (a *Accountant) Calibrate(p *Pairs, target float64, m privacy.Metric) (s Sigmas, err error) {
	largest, beyond := a.Worst(p)
	if s.Max, err = a.Sigma(largest, target, m); err != nil {
		return s, err
	}
	if s.Beyond, err = a.Sigma(beyond, target, m); err != nil {
		return s, err
	}
	if a.p.Rounding != nil {
		s.Mean, err = privacy.Calibrate(func(sigma float64) float64 { return a.meanLoss(p, sigma, m) }, privacy.LeastSigma, target)
		return s, err
	}
	_, s.Mean, err = p.Calibrate(privacy.Mean, target, m)
	return s, err
}
