package experiment

import (
	"fmt"

	"hearsay/internal/fault"
	"hearsay/privacy"
	"hearsay/report"
)

// A PairLoss is what one accountant says about one ordered pair of nodes, in
// the spec's metric.
type PairLoss struct {
	Accountant  string        `json:"-"`
	Status      report.Status `json:"status"`
	Loss        report.Number `json:"eps"`
	Assumptions []string      `json:"assumptions"`
}

// checkPair refuses what is no pair of two nodes of a noisy walk.
func (s *Setup) checkPair(about, observer int) error {
	if err := s.checkWalk(); err != nil {
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

// checkWalk refuses the baselines, which tell all nodes the same.
func (s *Setup) checkWalk() error {
	if kind := s.Spec.Algorithm.Kind; kind != "walk" {
		return fault.New(fmt.Sprintf("algorithm.kind: under the %s baseline all pairs lose the same", kind),
			"use kind: walk; for the baseline see hearsay plan")
	}
	return nil
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
	for _, a := range s.Accounting.Accounts {
		if a.Status == report.Published {
			all = append(all, PairLoss{a.Accountant, a.Status, report.Number(a.At(about, observer)), a.Assumptions})
		}
	}
	return all, nil
}

func pairLoss(name string, loss float64, c privacy.Claim) PairLoss {
	return PairLoss{name, report.Status(c.Status), report.Number(loss), c.Assumptions}
}
