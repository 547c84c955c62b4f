package path

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
)

// With what a node showed before the walk, a law of one energy loses what the Gaussian of
// both loses, whatever the metric; a law of several lies between those of their ends, and
// above what it is alone; laws of all pairs and coalitions know it too.
func TestWhatIsReleasedBesidesComposes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		besides, sigma := rapid.Float64Range(0, 4).Draw(t, "besides"), rapid.Float64Range(0.5, 5).Draw(t, "sigma")
		m := rapid.SampledFrom([]privacy.Metric{{Delta: 1e-6}, {Delta: 0.01}, {Order: 2}, {Order: 17}}).Draw(t, "metric")
		w := Walk{Walk: schedule.Walk{Nodes: 3, Start: AnyStart, Turns: 5, Cap: 3, Update: amplified, Besides: besides}}
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
