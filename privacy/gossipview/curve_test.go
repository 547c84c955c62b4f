package gossipview

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/privacy"
)

// The curve is never below the loss, and hardly above it where the loss is not
// about to vanish; that of a lower bound is never above.
func TestCurveBoundsTheLossTightly(t *testing.T) {
	for _, m := range []privacy.Metric{{Order: 2}, {Delta: 1e-6}, {Delta: 0.1}} {
		c, least := newCurve(m.GaussianView, privacy.Sound), newCurve(m.GaussianView, privacy.Audit)
		rapid.Check(t, func(t *rapid.T) {
			energy := math.Exp(rapid.Float64Range(-20, 8).Draw(t, "log energy"))
			exact, got := m.GaussianView(energy), c.at(energy)
			if got < exact {
				t.Fatalf("%+v: the curve says %.17g at %g, the loss is %.17g", m, got, energy, exact)
			}
			if below := least.at(energy); below > exact || below < exact*(1-3e-6) && m.GaussianView(energy*(1-2*gridWidth)) > exact/straight {
				t.Fatalf("%+v: the lower curve says %.17g at %g, the loss is %.17g", m, below, energy, exact)
			}
			if slack := 3e-6; got > exact*(1+slack) && m.GaussianView(energy*(1-2*gridWidth)) > exact/straight {
				t.Fatalf("%+v: the curve says %.17g at %g, the loss is %.17g", m, got, energy, exact)
			}
		})
	}
}
