package experiment

import (
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/report"
)

// takenAsPublic are the assumptions that every number of this run makes about what
// was computed from everybody's data before the first step, or is shown besides what
// the algorithm sends. No accountant charges it. A federation has none of it.
func (s *Setup) takenAsPublic() []string {
	if s.Spec.Federated() {
		return nil
	}
	var all []string
	for _, ground := range []struct {
		holds bool
		says  string
	}{
		{s.Federation.Standardised(), "preprocessing is public: " + s.standardised() + " were fitted on all participants' rows (scale: standardise), a release that is not charged"},
		{s.readsClasses(), "which columns, classes and rows there are is public: they are read from the data"},
		{s.stratified(), "the split is public: rows are kept for testing by class, so that one label moves others between the parts"},
		{s.Federation.PartitionedByData(), fmt.Sprintf("who holds which rows is public: partition %s looks at them", s.Federation.Partition)},
		{true, "nothing else that is computed from the data is shown to anybody: no score, no curve" + s.lastToken()},
	} {
		if ground.holds {
			all = append(all, ground.says)
		}
	}
	return all
}

// standardised names what was fitted.
func (s *Setup) standardised() string {
	if s.Federation.Label != nil {
		return "means and deviations of the features and of the label"
	}
	return "means and deviations of the features"
}

// readsClasses reports whether a file of the user's own says what there is.
func (s *Setup) readsClasses() bool {
	return s.Spec.Data.Source == "csv" || s.Spec.Data.Source == "libsvm"
}

// stratified reports whether rows were kept for testing by class.
func (s *Setup) stratified() bool {
	test := s.Spec.Data.Test
	return s.Federation.Task == dataset.Classification && !dataset.Synthetic(s.Spec.Data.Source) && test != nil && !test.Own && test.Share > 0
}

// lastToken names the model among what must not be shown, where nobody is charged
// for seeing it.
func (s *Setup) lastToken() string {
	if s.modelCharged() {
		return ""
	}
	return ", and not the model that the simulation writes down"
}

// modelCharged reports whether the numbers cover that everybody sees the final
// model: where it is a value that is released, and priced as one.
func (s *Setup) modelCharged() bool {
	a, p := s.Spec.Algorithm, s.Spec.Privacy
	switch {
	case s.Accounting.Sigma == 0 && len(s.Accounting.Accounts) > 0:
		return false
	case a.Kind == "central" || a.Kind == "local":
		return true // all iterates are public, and their means with them
	case a.IsGossip():
		return s.allPublic()
	}
	return s.allPublic() || p.Release == "final" && a.Average == "none"
}

// allPublic reports whether the run's own number is for everybody seeing all that
// is sent.
func (s *Setup) allPublic() bool { return s.Spec.Privacy.Accountant == report.LocalAccountant }

// describe adds to every account what all of them take as public, and the largest
// loss towards somebody who is no neighbour.
func (s *Setup) describe(ctx context.Context) error {
	grounds := s.takenAsPublic()
	for i := range s.Accounting.Accounts {
		a := &s.Accounting.Accounts[i]
		a.Assumptions = append(a.Assumptions[:len(a.Assumptions):len(a.Assumptions)], grounds...)
		if a.MaxBeyondNeighbours != nil || s.Graph == nil {
			continue
		}
		if err := s.beyondNeighbours(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

// beyondNeighbours sets the largest loss of pairs that no edge joins, if any.
func (s *Setup) beyondNeighbours(ctx context.Context, a *Account) error {
	near := make([]int, s.Graph.Len()) // u+1: an edge joins it with u
	worst, found := 0.0, false
	for u := range near {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, v := range s.Graph.Neighbours(u) {
			near[v] = u + 1
		}
		for v := range near {
			if v == u || near[v] == u+1 || s.Graph.HasEdge(v, u) {
				continue
			}
			found, worst = true, max(worst, a.At(u, v))
		}
	}
	if found {
		number := report.Number(worst)
		a.MaxBeyondNeighbours = &number
	}
	return nil
}
