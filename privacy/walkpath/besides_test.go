package walkpath

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
)

// With what a node showed before the walk, a law of one energy loses what the Gaussian of
// both loses, whatever the metric; a law of several lies between those of their ends, and
// above what it is alone; laws of all pairs and coalitions know it too.
func TestWhatIsReleasedBesidesComposes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		besides, sigma := rapid.Float64Range(0, 4).Draw(t, "besides"), rapid.Float64Range(0.5, 5).Draw(t, "sigma")
		m := rapid.SampledFrom([]privacy.Metric{{Delta: 1e-6}, {Delta: 0.01}, {Order: 2}, {Order: 17}}).Draw(t, "metric")
		w := Walk{Walk: schedule.Walk{Nodes: 3, Start: AnyStart, Turns: 5, Cap: 3, Tokens: rapid.IntRange(1, 2).Draw(t, "tokens"), Update: amplified, Besides: besides}}
		if rapid.Bool().Draw(t, "local") {
			w.Forward = true // nothing is amplified
		}
		law, err := w.Law(0, 1)
		if err != nil {
			t.Fatal(err)
		}
		loss, err := law.Loss(sigma, m)
		if err != nil {
			t.Fatal(err)
		}
		most, least := m.GaussianView(3/(sigma*sigma)+besides), m.GaussianView(besides)
		if loss > most*(1+1e-9)+1e-12 || loss < least*(1-1e-9)-1e-9 || w.Forward && math.Abs(loss-most) > 1e-9*(1+most) {
			t.Fatalf("loss %g, between %g and %g", loss, least, most)
		}
		bare := *law
		bare.Besides = 0
		if alone, _ := bare.Loss(sigma, m); alone > loss*(1+1e-8)+1e-12 {
			t.Fatalf("%g alone, %g with more", alone, loss)
		}
		laws, err := w.Laws(CompleteClass, 1)
		if err != nil {
			t.Fatal(err)
		}
		losses, err := laws.Losses(sigma, m)
		if err != nil || math.Abs(losses.At(2, 1)-loss) > 1e-9*(1+loss) {
			t.Fatalf("%v of all pairs, %g of one: %v", losses.At(2, 1), loss, err)
		}
		coalition, err := w.CoalitionLaw(0, []int{1, 2})
		if err != nil || coalition.Besides != besides {
			t.Fatal(err, coalition.Besides)
		}
	})
}

// Moments of all pairs charge it too: no less than the laws of the pairs do.
func TestMomentsKnowWhatIsReleasedBesides(t *testing.T) {
	ring := sparse.FromDense(3, []float64{0.5, 0.25, 0.25, 0.25, 0.5, 0.25, 0.25, 0.25, 0.5})
	w := Walk{Walk: schedule.Walk{Nodes: 3, W: ring, Start: AnyStart, Turns: 30, Cap: 3, Update: amplified}}
	for _, m := range []privacy.Metric{{Delta: 1e-6}, {Order: 3}} {
		before := 0.0
		for _, besides := range []float64{0, 0.5, 2} {
			w.Besides = besides
			moments, err := w.Moments(1)
			if err != nil {
				t.Fatal(err)
			}
			law, err := w.Law(0, 2)
			if err != nil {
				t.Fatal(err)
			}
			got, err := moments.Loss(0, 2, 3, m)
			if want, _ := law.Loss(3, m); err != nil || got < want*(1-1e-9) || got < before || got > 4*want {
				t.Errorf("%v: %g by moments, %g by the law, %g with less besides: %v", m, got, want, before, err)
			}
			before = got
		}
	}
}
