package experiment

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/privacy"
	pathloss "github.com/hearsay-dp/hearsay/privacy/path"
	walkloss "github.com/hearsay-dp/hearsay/privacy/walk"
	"github.com/hearsay-dp/hearsay/report"
)

// Account is what one accountant says about every pair.
type Account struct {
	report.Accounted
	At  func(u, v int) float64       // from u towards observer v
	law func(u, v int) *pathloss.Law // behind At; nil where there is none
	low float64                      // a calibrated sigma's bracket: here the target is missed; 0 if not known
}

// Accounting is the noise of a run and what it costs: the account that sigma was
// calibrated on first, then the others.
type Accounting struct {
	Sigma     float64
	Accounts  []Account
	Coalition *report.Coalition // nil: the spec asks for none
}

// pairLimit is the most nodes for which all n^2 published losses are computed.
const pairLimit = 8192

// account sets the noise and prices it.
func (s *Setup) account(ctx context.Context) error {
	if sigma := s.Spec.Privacy.Sigma; sigma != nil && *sigma == 0 {
		s.Accounting = Accounting{Accounts: []Account{unprotected()}}
		return s.describe(ctx)
	}
	var err error
	s.Accounting, err = s.family().account(ctx)
	s.Local().Noise.Multiplier = s.Accounting.Sigma
	if err != nil {
		return err
	}
	if s.Accounting.Coalition, err = s.coalition(ctx); err != nil {
		return err
	}
	return s.describe(ctx)
}

// unprotected is the account of a run without noise.
func unprotected() Account {
	return Account{
		Accounted: report.Accounted{
			Accountant: "local", Status: report.Sound, Mean: report.Number(math.Inf(1)), MeanStatus: report.Sound, Max: report.Number(math.Inf(1)),
			Assumptions: []string{privacy.Participant.Adjacency(), "no noise is added: whoever receives the token may learn everything"},
		},
		At: func(int, int) float64 { return math.Inf(1) },
	}
}

// metric is the spec's, in the accountants' words.
func (s *Setup) metric() (privacy.Metric, error) {
	p := s.Spec.Privacy
	conversion, err := privacy.ParseConversion(p.Conversion)
	return privacy.Metric{Order: p.Metric.Order, Delta: p.Metric.Delta, Conversion: conversion}, err
}

// calibrationOrNone is calibration, with no statistic where sigma is given.
func (s *Setup) calibrationOrNone() (privacy.Statistic, float64) {
	if s.Spec.Privacy.Calibrate == nil {
		return -1, 0
	}
	return s.calibration()
}

// tightest is m with the tighter conversion: a sound number need not follow
// the papers in theirs.
func tightest(m privacy.Metric) privacy.Metric {
	m.Conversion = privacy.Tightest
	return m
}

// calibration is what the spec asks for when it gives no sigma.
func (s *Setup) calibration() (privacy.Statistic, float64) {
	c := s.Spec.Privacy.Calibrate
	if c.Max != 0 {
		return privacy.Max, c.Max
	}
	return privacy.Mean, c.Mean
}

// constant is an account that is the same for all pairs.
func constant(name string, loss float64, claim privacy.Claim) Account {
	a := Account{Accounted: accounted(name, loss, loss, claim), At: func(int, int) float64 { return loss }}
	a.MaxBeyondNeighbours = &a.Accounted.Max
	return a
}

func accounted(name string, mean, worst float64, claim privacy.Claim) report.Accounted {
	return report.Accounted{
		Accountant: name, Status: report.Status(claim.Status),
		Mean: report.Number(mean), MeanStatus: report.Status(claim.Status), Max: report.Number(worst), Assumptions: claim.Grounds(),
	}
}

// localAccount is the sound bound that holds whatever the graph is: all of a
// node's contributions public.
func (s *Setup) localAccount(sigma float64, m privacy.Metric) (Account, error) {
	loss, claim, err := privacy.LocalLoss(s.cap(), sigma, m)
	return constant(report.LocalAccountant, loss, claim), err
}

// localSigma is the least noise whose local loss is at most target.
func (s *Setup) localSigma(target float64, m privacy.Metric) (float64, error) {
	noise, err := privacy.LocalTight(s.cap(), target, m)
	return noise.Multiplier, err
}

// walkAccounting calibrates on the accountant of the spec and puts the others
// beside it: the published one where the spec asks for it, sound ones always.
func (s *Setup) walkAccounting() (Accounting, error) {
	m, err := s.metric()
	if err != nil {
		return Accounting{}, err
	}
	first, sigma, err := s.calibrated(m)
	if err != nil {
		return Accounting{}, err
	}
	all := Accounting{Sigma: sigma, Accounts: []Account{first}}
	if first.Accountant != "path" && s.hasPath() {
		path, _, err := s.pathAccount(m, &sigma)
		if err != nil {
			return Accounting{}, err
		}
		all.Accounts = append(all.Accounts, path)
	}
	if first.Accountant != report.LocalAccountant {
		local, err := s.localAccount(sigma, m)
		if err != nil {
			return Accounting{}, err
		}
		all.Accounts = append(all.Accounts, local)
	}
	return all, nil
}

// calibrated is the account of the spec's accountant and its sigma.
func (s *Setup) calibrated(m privacy.Metric) (Account, float64, error) {
	switch s.Spec.Privacy.Accountant {
	case "published":
		return s.publishedAccount(m)
	case "path":
		return s.pathAccount(m, s.Spec.Privacy.Sigma)
	}
	sigma, err := s.sigmaOr(func(target float64) (float64, error) { return s.localSigma(target, m) })
	if err != nil {
		return Account{}, 0, err
	}
	local, err := s.localAccount(sigma, m)
	return local, sigma, err
}

// hasPath reports whether the path accountant has more to say than the local
// one: its assumptions hold and the pairs can be listed.
func (s *Setup) hasPath() bool {
	return s.checkNonExpansive() == nil && s.Spec.Nodes <= pairLimit
}

// sigmaOr is the spec's sigma, or what calibrate makes of its target.
func (s *Setup) sigmaOr(calibrate func(target float64) (float64, error)) (float64, error) {
	if given := s.Spec.Privacy.Sigma; given != nil {
		return *given, nil
	}
	_, target := s.calibration()
	return calibrate(target)
}

// publishedAccount is 000 Theorem 3 on the spec's graph.
func (s *Setup) publishedAccount(m privacy.Metric) (Account, float64, error) {
	if s.Spec.Nodes > pairLimit {
		return Account{}, 0, fault.New(fmt.Sprintf("the published accountant of all pairs of %d nodes would take %d GB", s.Spec.Nodes, s.Spec.Nodes*s.Spec.Nodes*24>>30),
			"use privacy.accountant: local, which is one number for all pairs")
	}
	w, err := walkloss.New(s.Transition.Sparse(), s.Protocol.Steps, walkloss.Exact)
	if err != nil {
		return Account{}, 0, err
	}
	sums, err := w.Sums(runtime.GOMAXPROCS(0))
	if err != nil {
		return Account{}, 0, err
	}
	losses, low, err := s.publishedLosses(w.Pairs(sums, s.sender()), m)
	if err != nil {
		return Account{}, 0, err
	}
	return Account{Accounted: accounted("published", losses.Mean(), losses.Max(), losses.Claim), At: losses.At, low: low}, losses.Sigma, nil
}

func (s *Setup) sender() walkloss.Sender {
	if s.Spec.Privacy.Sender == "known" {
		return walkloss.Known
	}
	return walkloss.Hidden
}

// publishedLosses are at the spec's sigma or a calibrated one; low is the
// lower end of its bracket.
func (s *Setup) publishedLosses(pairs *walkloss.Pairs, m privacy.Metric) (losses *walkloss.Losses, low float64, err error) {
	charge := s.publishedCharge(m)
	if given := s.Spec.Privacy.Sigma; given != nil {
		losses, err = pairs.Losses(*given, charge)
		return losses, 0, err
	}
	statistic, target := s.calibration()
	losses, calibration, err := pairs.Calibrate(statistic, target, charge)
	return losses, calibration.Low, err
}

// publishedCharge is how the spec has sums of a walk made losses.
func (s *Setup) publishedCharge(m privacy.Metric) walkloss.Charge {
	charge := walkloss.Charge{Contributions: s.Protocol.Cap, Metric: m}
	if s.Spec.Privacy.Condition == "printed" {
		charge.Condition = privacy.Printed
	}
	return charge
}
