package experiment

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
)

// Explain says what observer could tell about a node, in numbers and in words.
func (s *Priced) Explain(about, observer int) (*family.Explanation, error) {
	return s.ExplainAs(about, observer, func(*family.Explanation) error { return nil })
}

// ExplainAs is Explain with numbers that are put right before they are put into words.
func (s *Priced) ExplainAs(about, observer int, mend func(*family.Explanation) error) (*family.Explanation, error) {
	if err := s.checkPair(about, observer); err != nil {
		return nil, err
	}
	e, err := s.Algorithm.Explain(about, observer, s.Accounting)
	if err != nil {
		return nil, err
	}
	e.Assumptions = append(e.Assumptions, family.TakenAsPublic(s.Algorithm)...)
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

// checkPair refuses what is no pair of two nodes of a noisy run on a graph.
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
