package family

import (
	"context"
	"slices"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
)

// TakenAsPublic returns the assumptions of this run's numbers about results that were computed from everybody's data before the
// first step, and about everything that is shown besides messages. No accountant charges these. A federation has none of them.
// charged says that the number covers the final model.
func TakenAsPublic(a Algorithm, charged bool) []string {
	h := a.Of()
	if h.Spec.Federated() {
		return nil
	}
	all := slices.Clone(h.Federation.Grounds)
	all = append(all, PersonGround(h.Spec)...)
	all = append(all, EarlierGround(h.Spec)...)
	if h.Spec.Records() && h.Federation.LeftOut {
		all = append(all, "rows with gaps are in no record: which rows have gaps and are left out is public")
	}
	return append(all, "nothing else that is computed from the data is shown to anybody: no score, no curve"+lastToken(charged))
}

// lastToken names the model among the things that must not be shown, unless the model is charged.
func lastToken(charged bool) string {
	if charged {
		return ""
	}
	return ", and not the model that the simulation writes down"
}

// Describe adds to every account the assumptions that all accounts share, and the largest loss towards non-neighbours.
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
			account.MaxBeyondNeighbours = nil // an account that is constant over all pairs has no pair of non-neighbours here
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

// guesses sets the probability of a right guess for a bound that has none yet. It uses the Gaussian view of the worst loss,
// else epsilon and delta.
func (a *Account) guesses(m privacy.Metric) {
	switch {
	case a.Guess > 0 || a.Status != report.Sound && a.Status != report.SoundIf:
	case a.Gaussian:
		a.Guess = m.GuessOf(float64(a.Max))
	case m.Order == 0:
		a.Guess = privacy.Guess(float64(a.Max), m.Delta)
	}
}

// beyondNeighbours sets the largest loss between non-neighbours, if there are any.
func (a *Account) beyondNeighbours(ctx context.Context, g *graph.Graph) error {
	near := make([]int, g.Len()) // u+1: a neighbour of u
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
