package spec

import (
	"cmp"
	"fmt"
	"slices"
)

// Sound names the accountant that leaves the choice open: it takes the least of all sound ones that
// price the run.
const Sound = "sound"

// checkPrivacy checks how the noise is set and which accountant accounts for it.
func (s *Spec) checkPrivacy() error {
	p, all := &s.Privacy, s.Kind().Accountants
	if p.Accountant == "" {
		p.Accountant = all[len(all)-1]
	}
	if p.Sigma == nil && p.Calibrate == nil {
		return invalid("privacy: neither sigma nor calibrate is given", "give sigma: 8, or calibrate: {mean: 1}; sigma: 0 runs without noise")
	}
	if p.Sigma != nil && p.Calibrate != nil {
		return invalid("privacy: both sigma and calibrate are given", "keep one of them")
	}
	for _, choice := range []struct {
		key, value string
		allowed    []string
	}{
		{"privacy.accountant", p.Accountant, append(slices.Clone(all), Sound)},
		{"privacy.release", p.Release, []string{"final", "none"}},
		{"privacy.sender", p.Sender, []string{"hidden", "known"}},
		{"privacy.condition", p.Condition, []string{"weakest", "printed"}},
		{"privacy.conversion", p.Conversion, []string{"mironov", "cks"}},
	} {
		if err := OneOf(choice.key, choice.value, choice.allowed...); err != nil {
			return err
		}
	}
	if err := p.Metric.check(); err != nil {
		return err
	}
	if err := cmp.Or(s.CheckCoalition(), s.checkLimits()); err != nil {
		return err
	}
	if p.Calibrate != nil {
		return p.Calibrate.check()
	}
	return checkSigma(*p.Sigma)
}

// CheckCoalition refuses a number of nodes that the accountant does not price together, or that are not all there. Where the
// graph says how many nodes there are, it must be called again once they are counted.
func (s *Spec) CheckCoalition() error {
	k, n := s.Privacy.Coalition, s.Nodes
	switch {
	case k == 0:
		return nil
	case k < 2:
		return invalid(fmt.Sprintf("privacy.coalition: %d is not a number of nodes that pool what they see", k),
			"give 2 or more, and fewer than there are nodes; leave it out for none")
	case n > 0 && k > n-1:
		return invalid(fmt.Sprintf("privacy.coalition: %d nodes cannot pool what they see of another, because there are %d in all", k, n),
			"give 2 or more, and fewer than there are nodes; leave it out for none")
	case !slices.Contains(s.Kind().Pooled, s.Privacy.Accountant):
		hint := "the path accountant of a walk does, and the flow accountant of gossip; elsewhere the local loss holds towards any number of nodes"
		if pooled := s.Kind().Pooled; pooled != nil {
			hint = fmt.Sprintf("accountant: %s does; the local loss holds towards any number of nodes", either(pooled))
		}
		return invalid(fmt.Sprintf("privacy.coalition: accountant %q of %s does not price coalitions", s.Privacy.Accountant, s.Algorithm.Kind), hint)
	}
	return nil
}

// The least and the largest noise multiplier that accountants price. 0, no noise, is allowed besides.
const leastSigma, largestSigma = 1e-6, 1e12

func checkSigma(sigma float64) error {
	if sigma == 0 {
		return nil
	}
	if sigma > 0 && sigma < leastSigma {
		return invalid(fmt.Sprintf("privacy.sigma: %g is as good as no noise", sigma), fmt.Sprintf("give at least %g, or 0 to run without noise", leastSigma))
	}
	return CheckAll(Number{Key: "privacy.sigma", Value: sigma, Low: 0, High: largestSigma})
}

func (m Metric) check() error {
	if (m.Delta == 0) == (m.Order == 0) {
		return invalid("privacy.metric: needs one of epsilon_at_delta and renyi", "give metric: {epsilon_at_delta: 1.0e-6} or metric: {renyi: 2}")
	}
	if m.Order != 0 {
		return CheckAll(Number{Key: "privacy.metric.renyi", Value: m.Order, Low: 1, High: 1e6, Open: true})
	}
	return CheckAll(Number{Key: "privacy.metric.epsilon_at_delta", Value: m.Delta, Low: 0, High: 0.5, Open: true})
}

func (c Calibrate) check() error {
	given := 0
	for _, set := range []bool{c.Mean != 0, c.Max != 0, c.Beyond != 0, c.Pair != nil, c.Observers != nil} {
		if set {
			given++
		}
	}
	if given != 1 {
		return invalid("privacy.calibrate: needs one of mean, max, max_beyond_neighbours, pair and observers", "give calibrate: {mean: 1}")
	}
	if p := c.Pair; p != nil && (p.About == "" || p.Observer == "" || p.Eps == 0) {
		return invalid("privacy.calibrate.pair: needs about, observer and eps", "give pair: {about: A, observer: B, eps: 1}")
	}
	if c.Observers != nil && c.Target() == 0 {
		return invalid("privacy.calibrate.observers: gives no limit", "give observers: {neighbours: 8, others: 1}, or named: {B: 0.5}")
	}
	var numbers []Number
	for _, loss := range c.losses() {
		numbers = append(numbers, Number{Key: "privacy.calibrate." + loss.Key, Value: loss.Value, Low: 0, High: 1e6})
	}
	if c.Observers != nil {
		for name, loss := range c.Observers.Named {
			if loss == 0 {
				return invalid(fmt.Sprintf("privacy.calibrate.observers.named.%s: 0 is no loss that noise could meet", name), "give a number above 0, such as 0.5")
			}
		}
	}
	return CheckAll(numbers...)
}
