package experiment

import (
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/privacy"
)

// The baselines cost every pair the same. Each has the calibration of the
// papers and a tight, sound one; the sound loss is always reported.

// localAccounting prices local DP-SGD: every release is public.
func (s *Setup) localAccounting() (Accounting, error) {
	m, err := s.metric()
	if err != nil {
		return Accounting{}, err
	}
	if s.Spec.Privacy.Accountant == "published" {
		return s.asPublished(m, func(eps float64) (privacy.Noise, error) {
			return privacy.LocalPublished(s.Protocol.Cap, eps, m.Delta)
		}, s.localAccount)
	}
	sigma, err := s.sigmaOr(func(target float64) (float64, error) { return s.localSigma(target, m) })
	if err != nil {
		return Accounting{}, err
	}
	sound, err := s.localAccount(sigma, m)
	return Accounting{Sigma: sigma, Accounts: []Account{sound}}, err
}

// centralAccounting prices DP-SGD by a trusted curator: what anybody outside sees.
func (s *Setup) centralAccounting() (Accounting, error) {
	m, err := s.metric()
	if err != nil {
		return Accounting{}, err
	}
	curator := privacy.Central{Nodes: s.Protocol.Nodes, Steps: s.Protocol.Steps}
	sound := func(sigma float64, m privacy.Metric) (Account, error) {
		loss, claim, err := curator.Loss(sigma, tightest(m))
		return constant("central", loss, claim), err
	}
	if s.Spec.Privacy.Accountant == "published" {
		return s.asPublished(m, func(eps float64) (privacy.Noise, error) { return curator.Published(eps, m.Delta) }, sound)
	}
	sigma, err := s.sigmaOr(func(target float64) (float64, error) {
		noise, _, err := curator.Tight(target, tightest(m))
		return noise.Multiplier, err
	})
	if err != nil {
		return Accounting{}, err
	}
	tight, err := sound(sigma, m)
	return Accounting{Sigma: sigma, Accounts: []Account{tight}}, err
}

// asPublished calibrates as the papers do and puts the sound loss beside it.
func (s *Setup) asPublished(m privacy.Metric, calibrate func(eps float64) (privacy.Noise, error), sound func(float64, privacy.Metric) (Account, error)) (Accounting, error) {
	if m.Order != 0 || s.Spec.Privacy.Calibrate == nil {
		return Accounting{}, fault.New("privacy.accountant: the papers' baselines only calibrate an epsilon at a delta",
			"give calibrate: {mean: 1} with metric: {epsilon_at_delta: 1.0e-6}, or accountant: local")
	}
	_, target := s.calibration()
	noise, err := calibrate(target)
	if err != nil {
		return Accounting{}, err
	}
	beside, err := sound(noise.Multiplier, m)
	return Accounting{Sigma: noise.Multiplier, Accounts: []Account{constant("published", target, noise.Claim), beside}}, err
}
