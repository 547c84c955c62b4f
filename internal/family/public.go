package family

import (
	"context"
	"fmt"
	"math"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
)

// TakenAsPublic returns the assumptions that a number of this run makes about what was computed from everybody's data
// before the first step, and about what is shown besides messages. No accountant charges it. A federation has none of
// it. charged says that the number covers the final model.
func TakenAsPublic(a Algorithm, charged bool) []string {
	h := a.Of()
	if h.Spec.Federated() {
		return nil
	}
	var all []string
	for _, ground := range []struct {
		holds bool
		says  string
	}{
		{h.Federation.Standardised(), "preprocessing is public: " + h.standardised() +
			" were fitted on all participants' rows (scale: standardise), a release that is not charged"},
		{h.readsClasses() && h.Spec.Data.Classes == nil, "which columns, classes and rows there are is public: they are read from the data"},
		{h.readsClasses() && h.Spec.Data.Classes != nil, "which columns and rows there are is public: they are read from the data"},
		{h.leavesOut(), "a record is a row without gaps: which rows have gaps and are left out is public"},
		{h.stratified(), "the split is public: rows are kept for testing by class, so that one label moves others between the parts"},
		{h.Federation.PartitionedByData(), fmt.Sprintf("who holds which rows is public: partition %s looks at them", h.Federation.Partition)},
		{true, "nothing else that is computed from the data is shown to anybody: no score, no curve" + lastToken(charged)},
	} {
		if ground.holds {
			all = append(all, ground.says)
		}
	}
	return all
}

// standardised names what was fitted.
func (h *Holdings) standardised() string {
	if h.Federation.Label != nil {
		return "means and deviations of the features and of the label"
	}
	return "means and deviations of the features"
}

// readsClasses reports whether a file of the user's own says what there is.
func (h *Holdings) readsClasses() bool {
	return h.Spec.Data.Source == "csv" || h.Spec.Data.Source == "libsvm"
}

// stratified reports whether rows were kept for testing by class.
func (h *Holdings) stratified() bool {
	test := h.Spec.Data.Test
	return h.Federation.Task == dataset.Classification && !dataset.Synthetic(h.Spec.Data.Source) && test != nil && !test.Own && test.Share > 0 &&
		h.Spec.Data.Split != "index"
}

// leavesOut reports whether rows with gaps are no records.
func (h *Holdings) leavesOut() bool {
	return h.Spec.Records() && (h.Spec.Data.Source == "heart" || h.Spec.Data.Missing == "drop")
}

// lastToken names the model among what must not be shown, where that is not charged.
func lastToken(charged bool) string {
	if charged {
		return ""
	}
	return ", and not the model that the simulation writes down"
}

// Describe adds to every account what all of them take as public, and the largest
// loss towards somebody who is no neighbour.
func Describe(ctx context.Context, a Algorithm, all *Accounting) error {
	g := a.Of().Graph
	m, err := Metric(&a.Of().Spec.Privacy)
	if err != nil {
		return err
	}
	for i := range all.Accounts {
		account := &all.Accounts[i]
		account.guesses(m)
		account.Assumptions = append(account.Assumptions[:len(account.Assumptions):len(account.Assumptions)], TakenAsPublic(a, account.ModelCharged)...)
		if account.MaxBeyondNeighbours != nil && a.Of().allNeighbours() {
			account.MaxBeyondNeighbours = nil // what is the same of all pairs is of none of these
			continue
		}
		if account.MaxBeyondNeighbours != nil || g == nil {
			continue
		}
		if err := account.beyondNeighbours(ctx, g); err != nil {
			return err
		}
	}
	return nil
}

// guesses sets the probability of a right guess of a bound that has none yet: by the Gaussian view of the worst loss, else
// by epsilon and delta.
func (a *Account) guesses(m privacy.Metric) {
	switch {
	case a.Guess > 0 || a.Status != report.Sound && a.Status != report.SoundIf:
	case a.Gaussian:
		a.Guess = m.GuessOf(float64(a.Max))
	case m.Order == 0:
		a.Guess = privacy.Guess(float64(a.Max), m.Delta)
	}
}

// beyondNeighbours sets the largest loss of pairs that no edge joins, if any.
func (a *Account) beyondNeighbours(ctx context.Context, g *graph.Graph) error {
	near := make([]int, g.Len()) // u+1: an edge joins it with u
	worst, found := 0.0, false
	for u := range near {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, v := range g.Neighbours(u) {
			near[v] = u + 1
		}
		for v := range near {
			if v == u || near[v] == u+1 || g.HasEdge(v, u) {
				continue
			}
			if loss := a.Bound(u, v); !math.IsNaN(loss) {
				found, worst = true, max(worst, loss)
			}
		}
	}
	if found {
		number := report.Number(worst)
		a.MaxBeyondNeighbours = &number
	}
	return nil
}
