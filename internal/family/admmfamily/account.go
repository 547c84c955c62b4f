package admmfamily

import (
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/admmview"
)

// Accountants implements family.Algorithm. It returns the formulas of 002 Theorems 8.7 and 8.9, which are no bounds
// (docs/PAPERS.md), the local loss of all releases of a node, and the accountant of means.
func (a *Algorithm) Accountants(m privacy.Metric) []family.Accountant {
	return []family.Accountant{
		{Name: published, Check: a.checkPublished, Beside: func() bool { return a.checkPublished() == nil }, Price: a.printed(m).InRange().Price(published, &a.Spec.Privacy, privacy.LeastSigma)},
		family.Local(&a.Holdings, a.Contributions(), a.Protocol.Noise, m, nil),
		a.meansAccountant(m),
	}
}

// checkPublished refuses the unit record, which the papers' theorems do not cover.
func (a *Algorithm) checkPublished() error {
	if a.Spec.Records() {
		return fault.New("privacy.unit: record, but 002 Theorems 8.7 and 8.9 are about all that a node holds", "leave unit out, or use accountant: local")
	}
	return nil
}

// printed returns the paper's formula: Theorem 8.7 for a curator. For the federated kind it is Theorem 8.9, towards an observer
// of the last model alone, with subsampled Gaussians computed numerically.
func (a *Algorithm) printed(m privacy.Metric) family.Formula {
	s := a.schedule()
	return func(sigma float64) (float64, privacy.Claim, error) {
		c := admmview.Consensus{Lipschitz: s.Clip, Gamma: s.Gamma}.WithMultiplier(sigma)
		if s.Server >= 0 {
			return admmview.Federated{Consensus: c, Rounds: s.Rounds, Sampled: a.keys.Sampled, Users: s.Nodes}.Subsampled(m)
		}
		if m.Order != 0 {
			return c.Central(s.Rounds, s.Nodes, m.Order)
		}
		_, claim, err := c.Central(s.Rounds, s.Nodes, 2)
		if err != nil {
			return 0, claim, err
		}
		return privacy.RDP(func(order float64) float64 {
			rdp, _, err := c.Central(s.Rounds, s.Nodes, order)
			if err != nil {
				return math.Inf(1)
			}
			return rdp
		}).Minimise(m.Conversion, m.Delta), claim, nil
	}
}
