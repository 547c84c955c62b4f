package gradientinversion

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/internal/drawntest"
	"github.com/hearsay-dp/hearsay/model"
)

// A step that is undone is the one that was taken, and it is undone wherever no other margin, of many that are tried one by one, leads to
// the same or nearly so.
func TestLargeStepsAreUndoneWhereOneModelLedThere(t *testing.T) {
	undone, open := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
		m := model.Logistic{Intercept: true}
		if r.IntN(3) == 0 {
			m.Negative, m.Positive = 0.5+r.Float64(), 0.5+r.Float64()
		}
		s := &stepped{loss: m, label: float64(2*r.IntN(2) - 1), keep: 1 - 0.2*r.Float64(), far: math.Exp(3*r.Float64()) + 1, most: math.Exp(-3 * r.Float64())}
		truth := 4 * r.NormFloat64()
		slope, _ := s.slope(truth)
		s.after = s.keep*truth - s.far*slope
		got, ok := s.margin(1e-9)
		const fine = 1e-3
		changes, near := 0, math.Inf(1)
		for x := -60.; x < 60; x += fine {
			a, b := s.ahead(x), s.ahead(x+fine)
			if a < 0 != (b < 0) {
				changes++
			}
			if math.Abs(x-truth) > 0.1 {
				near = min(near, math.Abs(a))
			}
		}
		switch {
		case ok && math.Abs(got-truth) > 1e-9*(1+math.Abs(truth)):
			t.Fatalf("margin %g is taken for %g", truth, got)
		case ok && changes > 1:
			t.Fatalf("margin %g is undone though %d lead there", truth, changes)
		case !ok && changes == 1 && near > 0.1:
			t.Fatalf("margin %g is not undone though no other leads there: the next misses it by %g", truth, near)
		}
		if ok {
			undone++
		} else {
			open++
		}
	})
	drawntest.Often(t, "steps are undone", undone, undone+open, 0.3)
	drawntest.Often(t, "steps are left open", open, undone+open, 0.3)
}

// Steps beyond all measure, of rows whose squares are 1e30 and more, are left alone, whether they are cut or not.
func TestStepsBeyondMeasureAreLeftAlone(t *testing.T) {
	for _, far := range []float64{1e30, 1e300, math.Inf(1)} {
		for _, after := range []float64{-far, -1, 1, far} {
			s := &stepped{loss: model.Logistic{Intercept: true}, label: 1, keep: 1, far: far, most: 1, after: after}
			if m, ok := s.margin(1e-9); ok {
				t.Errorf("far %g, after %g: margin %g", far, after, m)
			}
		}
	}
}
