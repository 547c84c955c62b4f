package experiment

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/report"
)

// Explain explains how much an observer could tell about a node, in numbers and in words.
func (s *Priced) Explain(about, observer int) (*family.Explanation, error) {
	return s.ExplainAs(about, observer, func(*family.Explanation) error { return nil })
}

// ExplainAs explains as Explain does, but mend corrects the numbers before they are put into words.
func (s *Priced) ExplainAs(about, observer int, mend func(*family.Explanation) error) (*family.Explanation, error) {
	if err := s.checkPair(about, observer); err != nil {
		return nil, err
	}
	e, err := s.Accounting.Explaining(s.Algorithm, about, observer).Explain(about, observer, s.Accounting)
	if err == nil {
		e.Doubt(s.Spec)
	}
	if err != nil {
		return nil, err
	}
	if err := s.agree(e); err != nil {
		return nil, err
	}
	for _, ground := range family.TakenAsPublic(s.Algorithm, s.charged(e.Accountant)) {
		if !slices.Contains(e.Assumptions, ground) {
			e.Assumptions = append(e.Assumptions, ground)
		}
	}
	if err := mend(e); err != nil {
		return nil, err
	}
	notes := e.Notes
	if notes == nil {
		notes = s.notes()
	}
	e.PutIntoWords(notes)
	return e, nil
}

// agree makes an explanation state the number that its accountant states of the pair wherever all pairs are shown.
func (s *Priced) agree(e *family.Explanation) error {
	m, err := family.Metric(&s.Spec.Privacy)
	if err != nil {
		return err
	}
	account := s.shown(e.Accountant)
	if account == nil {
		return nil
	}
	return e.Agree(account, s.Accounting.Sigma, m)
}

// charged reports whether the numbers of an accountant cover that everybody is shown the final model.
func (s *Priced) charged(accountant string) bool {
	account := s.Accounting.Of(accountant)
	return account != nil && account.ModelCharged
}

// shown returns the sound account of an accountant. It returns nil if the accountant has not priced all pairs.
func (s *Priced) shown(accountant string) *family.Account {
	for i := range s.Accounting.Accounts {
		if a := &s.Accounting.Accounts[i]; a.Accountant == accountant && a.At != nil && a.Status != report.Published && a.Audits == "" {
			return a
		}
	}
	return nil
}

// checkPair refuses anything but two different nodes of a noisy run on a graph.
func (s *Priced) checkPair(about, observer int) error {
	if err := s.Algorithm.Pairs(); err != nil {
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
