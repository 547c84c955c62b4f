package experiment

import (
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/privacy"
	walkloss "github.com/hearsay-dp/hearsay/privacy/walk"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// A PairLoss is what one accountant says about one ordered pair of nodes, in
// the spec's metric.
type PairLoss struct {
	Accountant  string        `json:"-"`
	Status      report.Status `json:"status"`
	Loss        report.Number `json:"eps"`
	Assumptions []string      `json:"assumptions"`
}

// checkPair refuses what is no pair of two nodes of a noisy run on a graph.
func (s *Setup) checkPair(about, observer int) error {
	if err := s.checkPairs(); err != nil {
		return err
	}
	n := s.Spec.Nodes
	if about < 0 || observer < 0 || about >= n || observer >= n {
		return fault.New(fmt.Sprintf("there is no pair of node %d and node %d among %d", about, observer, n), "number nodes from 0")
	}
	if about == observer {
		return fault.New(fmt.Sprintf("node %d observes itself", about), "name two different nodes")
	}
	if s.Accounting.Sigma == 0 {
		return fault.New(fmt.Sprintf("no noise is added, so nothing bounds what node %d learns about node %d", observer, about),
			"set privacy.sigma above 0, or privacy.calibrate")
	}
	return nil
}

// checkPairs refuses the baselines, which tell all nodes the same.
func (s *Setup) checkPairs() error {
	if kind := s.Spec.Algorithm.Kind; kind == "local" || kind == "central" {
		return fault.New(fmt.Sprintf("algorithm.kind: under the %s baseline all pairs lose the same", kind),
			"use kind: walk; for the baseline see hearsay plan")
	}
	return nil
}

// checkWalk refuses what is no walk.
func (s *Setup) checkWalk() error {
	if s.Spec.Algorithm.IsGossip() {
		return fault.New(fmt.Sprintf("algorithm.kind: this is for walks, and the spec's is %s", s.Spec.Algorithm.Kind),
			"hearsay plan and explain price gossip, hearsay attack gossip attacks it")
	}
	return s.checkPairs()
}

// OpenForPairs is Open with the noise set, for questions about single pairs:
// no pair is priced, unless the noise is to be calibrated, and then by the
// spec's own accountant only.
func OpenForPairs(ctx context.Context, given *spec.Spec, say func(string)) (*Setup, error) {
	s, err := Open(ctx, given, say)
	if err != nil {
		return nil, err
	}
	if err := inStages(ctx, say, stage{"setting the noise", s.setNoise}); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Setup) setNoise(ctx context.Context) error {
	if err := s.checkPairs(); err != nil {
		return err
	}
	given := s.Spec.Privacy.Sigma
	switch {
	case given != nil && *given == 0:
		return nil // checkPair refuses it
	case s.Gossip != nil && given != nil:
		return gossipFamily{s}.setGivenNoise(*given)
	case s.Gossip != nil:
		return s.account(ctx)
	}
	if err := s.checkAssumptions(); err != nil {
		return err
	}
	if given != nil {
		s.Accounting = Accounting{Sigma: *given, Accounts: []Account{s.unpriced()}}
	} else {
		m, err := s.metric()
		if err != nil {
			return err
		}
		first, sigma, err := s.calibrated(m)
		if err != nil {
			return err
		}
		s.Accounting = Accounting{Sigma: sigma, Accounts: []Account{first}}
	}
	s.Local().Noise.Multiplier = s.Accounting.Sigma
	return nil
}

// unpriced names the spec's accountant, which was not asked yet: it has no At.
func (s *Setup) unpriced() Account {
	name, status := s.Spec.Privacy.Accountant, report.Sound
	if name == string(report.Published) {
		status = report.Published
	}
	return Account{Accounted: report.Accounted{Accountant: name, Status: status}}
}

// publishedLoss is what the formula in print says of a pair, nil where the
// spec does not ask for it. A pair takes one row of its sums.
func (s *Setup) publishedLoss(about, observer int, m privacy.Metric) (*PairLoss, error) {
	for _, a := range s.Accounting.Accounts {
		if a.Status == report.Published && a.At != nil {
			return &PairLoss{a.Accountant, a.Status, report.Number(a.At(about, observer)), a.Assumptions}, nil
		}
	}
	if s.Spec.Privacy.Accountant != "published" {
		return nil, nil
	}
	w, err := walkloss.New(s.Transition.Sparse(), s.Protocol.Steps, walkloss.Exact)
	if err != nil {
		return nil, err
	}
	reach := make([]float64, w.Len())
	if err := w.Towards(reach, about, s.sender()); err != nil {
		return nil, err
	}
	loss, claim, err := s.publishedCharge(m).Loss(reach[observer], s.Accounting.Sigma, s.sender())
	if err != nil {
		return nil, err
	}
	published := pairLoss("published", loss, claim)
	return &published, nil
}

// pairLosses are the sound accountants of a pair, the better one first, and the
// published one where the spec asks for it.
func (s *Setup) pairLosses(about, observer int) ([]PairLoss, error) {
	m, err := s.metric()
	if err != nil {
		return nil, err
	}
	law, err := s.pathWalk().Law(about, observer)
	if err != nil {
		return nil, err
	}
	sigma := s.Accounting.Sigma
	loss, err := law.Loss(sigma, m)
	if err != nil {
		return nil, err
	}
	local, claim, err := privacy.LocalLoss(s.Protocol.Cap, sigma, m)
	if err != nil {
		return nil, err
	}
	all := []PairLoss{pairLoss("path", loss, law.Claim), pairLoss(report.LocalAccountant, local, claim)}
	published, err := s.publishedLoss(about, observer, m)
	if published != nil {
		all = append(all, *published)
	}
	grounds := s.takenAsPublic()
	for i := range all {
		a := &all[i]
		for _, ground := range grounds {
			if !slices.Contains(a.Assumptions, ground) {
				a.Assumptions = append(a.Assumptions[:len(a.Assumptions):len(a.Assumptions)], ground)
			}
		}
	}
	return all, err
}

func pairLoss(name string, loss float64, c privacy.Claim) PairLoss {
	return PairLoss{name, report.Status(c.Status), report.Number(loss), c.Grounds()}
}
