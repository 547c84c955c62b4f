package walkpath

import (
	"math"
	"testing"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
)

// The few coalitions of a walk to all nodes alike have the largest loss of all coalitions of
// their size, wherever the token starts.
func TestCompleteCoalitionsAreTheWorst(t *testing.T) {
	const n, sigma = 4, 2
	m := privacy.Metric{Delta: 1e-3}
	for _, start := range []int{schedule.AnyStart, 3} {
		w := Walk{Walk: schedule.Walk{Nodes: n, Start: start, Turns: 7, Cap: 3, Sensitivity: 1, Noise: 1, Update: model.Adding(1), Final: start == 3}}
		for u := range n {
			for size := 1; size < n; size++ {
				var others []int
				for v := range n {
					if v != u {
						others = append(others, v)
					}
				}
				want := 0.0
				for _, set := range subsets(others, size, 100) {
					law, err := w.CoalitionLaw(u, set)
					if err != nil {
						t.Fatal(err)
					}
					loss, err := law.Loss(sigma, m)
					if err != nil {
						t.Fatal(err)
					}
					want = max(want, loss)
				}
				few, err := w.Coalitions(u, size, nil, 1)
				if err != nil || len(few) > 2 {
					t.Fatal(len(few), err)
				}
				got := 0.0
				for _, one := range few {
					loss, err := one.Loss(sigma, m)
					if err != nil {
						t.Fatal(err)
					}
					got = max(got, loss)
				}
				if math.Abs(got-want) > 1e-9*want {
					t.Errorf("start %d, about %d, any %d: %g, of all coalitions %g", start, u, size, got, want)
				}
			}
		}
	}
}
