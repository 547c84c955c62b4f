package spec

import "fmt"

// checkPrivacy holds what the noise is set by, and how it is accounted for.
func (s *Spec) checkPrivacy() error {
	p := &s.Privacy
	if p.Accountant == "" {
		all := s.accountants()
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
		{"privacy.accountant", p.Accountant, s.accountants()},
		{"privacy.release", p.Release, []string{"final", "none"}},
		{"privacy.sender", p.Sender, []string{"hidden", "known"}},
		{"privacy.condition", p.Condition, []string{"weakest", "printed"}},
		{"privacy.conversion", p.Conversion, []string{"mironov", "cks"}},
	} {
		if err := oneOf(choice.key, choice.value, choice.allowed...); err != nil {
			return err
		}
	}
	if err := p.Metric.check(); err != nil {
		return err
	}
	if err := s.checkCoalition(); err != nil {
		return err
	}
	if p.Calibrate != nil {
		return p.Calibrate.check()
	}
	return checkSigma(*p.Sigma)
}

// checkCoalition takes a number of nodes that only the path accountant prices.
func (s *Spec) checkCoalition() error {
	k, n := s.Privacy.Coalition, s.Nodes
	switch {
	case k == 0:
		return nil
	case k < 2 || n > 0 && k > n-1:
		return invalid(fmt.Sprintf("privacy.coalition: %d is not a number of nodes that pool what they see", k), "give 2 or more, and fewer than there are nodes; leave it out for none")
	case s.Algorithm.Kind != "walk" || s.Privacy.Accountant != "path":
		return invalid(fmt.Sprintf("privacy.coalition: accountant %q of %s does not price coalitions", s.Privacy.Accountant, s.Algorithm.Kind),
			"only the path accountant of a walk does: accountant: path; elsewhere the local loss holds towards any number of nodes")
	}
	return nil
}

// The noise multipliers that accountants price, besides 0: no noise.
const leastSigma, largestSigma = 1e-6, 1e12

func checkSigma(sigma float64) error {
	if sigma == 0 {
		return nil
	}
	if sigma > 0 && sigma < leastSigma {
		return invalid(fmt.Sprintf("privacy.sigma: %g is as good as no noise", sigma), fmt.Sprintf("give at least %g, or 0 to run without noise", leastSigma))
	}
	return checkAll(number{key: "privacy.sigma", value: sigma, low: 0, high: largestSigma})
}

// accountants are those that price the algorithm, the one to rely on last.
func (s *Spec) accountants() []string {
	switch s.Algorithm.Kind {
	case "central":
		return []string{"published", "tight"}
	case "gossip":
		return []string{"published", "local", "exact"}
	case "local", "gossip-gd", "gossip-sgd":
		return []string{"published", "local"}
	}
	return []string{"published", "local", "path"}
}

func (m Metric) check() error {
	if (m.Delta == 0) == (m.Order == 0) {
		return invalid("privacy.metric: needs one of epsilon_at_delta and renyi", "give metric: {epsilon_at_delta: 1.0e-6} or metric: {renyi: 2}")
	}
	if m.Order != 0 {
		return checkAll(number{key: "privacy.metric.renyi", value: m.Order, low: 1, high: 1e6, open: true})
	}
	return checkAll(number{key: "privacy.metric.epsilon_at_delta", value: m.Delta, low: 0, high: 0.5, open: true})
}

func (c Calibrate) check() error {
	if (c.Mean == 0) == (c.Max == 0) {
		return invalid("privacy.calibrate: needs one of mean and max", "give calibrate: {mean: 1}")
	}
	return checkAll(
		number{key: "privacy.calibrate.mean", value: c.Mean, low: 0, high: 1e6},
		number{key: "privacy.calibrate.max", value: c.Max, low: 0, high: 1e6},
	)
}
