package walkpath

import (
	"math"
	"testing"

	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
)

// Nodes with sensitivities of their own lose what nodes with the largest lose at so much
// more noise: pair by pair, whether pairs share a class or not, and the unit is a record.
func TestSensitivitiesOfNodesScaleTheirNoise(t *testing.T) {
	for _, c := range []struct {
		graph         string
		turns, start  int
		symmetric     bool
		final, passes bool
		metric        privacy.Metric
	}{
		{"ring:4", 66, AnyStart, false, false, false, privacy.Metric{Order: 3}},
		{"ring:4", 66, 2, true, false, false, privacy.Metric{Delta: 1e-5}},
		{"complete:3", 66, AnyStart, true, true, false, privacy.Metric{Delta: 1e-5}},
		{"line:4", 7, 0, false, true, false, privacy.Metric{Order: 3}},
		{"line:4", 7, AnyStart, false, false, true, privacy.Metric{Delta: 1e-5}},
	} {
		w, transition := walkOn(t, c.graph)
		m := c.metric
		w.Turns, w.Cap, w.Start, w.Final, w.Forward = c.turns, 3, c.start, c.final, c.passes
		class := EveryPair(w.Nodes)
		if symmetry, ok := transition.Graph().Symmetry(); ok && c.symmetric {
			class, _ = SymmetricClass(symmetry.Family, symmetry.Sides)
		}
		sensitivities := []float64{0.5, 2, 1, 2}[:w.Nodes]
		same, own := w, w
		own.Sensitivity, own.Sensitivities, own.Records = 2, sensitivities, true
		all, each := lossesOf(t, same, class), lossesOf(t, own, class)
		const sigma = 2.5
		got, err := each.Losses(sigma, m)
		if err != nil {
			t.Fatal(err)
		}
		sum, worst := 0.0, 0.0
		for u := range w.Nodes {
			relative := own.Relatives().At(u)
			want, err := all.Losses(sigma/relative, m)
			if err != nil {
				t.Fatal(err)
			}
			for v := range w.Nodes {
				if u == v {
					continue
				}
				sum, worst = sum+got.At(u, v), max(worst, got.At(u, v))
				law := each.Law(u, v)
				alone, err := law.Loss(sigma, m)
				if err != nil || got.At(u, v) != want.At(u, v) || alone != got.At(u, v) || law.Unit != privacy.Record {
					t.Fatalf("(%d,%d) loses %v, by its law %v (%v, %s), want %v", u, v, got.At(u, v), alone, err, law.Unit, want.At(u, v))
				}
			}
		}
		n := float64(w.Nodes)
		if math.Abs(got.Mean()-sum/n/(n-1)) > 1e-12*sum || got.Max() != worst || got.UnitOrParticipant() != privacy.Record {
			t.Fatalf("mean %v, max %v, want %v and %v (%s)", got.Mean(), got.Max(), sum/n/(n-1), worst, got.Unit)
		}
		pooled, err := own.CoalitionLaw(0, []int{1, 2})
		alone, errAlone := same.CoalitionLaw(0, []int{1, 2})
		if err != nil || errAlone != nil || pooled.Epsilon(1e-5, sigma) != alone.Epsilon(1e-5, sigma/own.Relatives().At(0)) {
			t.Fatalf("a coalition: %v, %v", err, errAlone)
		}
	}
}

func lossesOf(t *testing.T, w Walk, class PairClass) *Laws {
	laws, err := w.Laws(class, 2)
	if err != nil {
		t.Fatal(err)
	}
	return laws
}

// Sensitivities that are none are refused.
func TestSensitivitiesAreChecked(t *testing.T) {
	w, _ := walkOn(t, "ring:5")
	w.Turns, w.Sensitivity = 9, 1
	for _, bad := range []schedule.Sensitivities{{1}, {1, 1, 1, 1, 2}, {1, 1, 1, 1, 0}, {1, 1, 1, 1, math.NaN()}} {
		w.Sensitivities = bad
		if _, err := w.Law(0, 1); err == nil {
			t.Errorf("%v: a law", bad)
		}
		if _, err := w.Laws(EveryPair(5), 1); err == nil {
			t.Errorf("%v: laws", bad)
		}
	}
}
