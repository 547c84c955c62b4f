package walkpath

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/graphtest"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
)

// Moments that are followed together, of several pairs and rates, are what each is
// alone, bit for bit: with and without a count of contributions, on any graph, at
// any rate.
func TestMomentsTogetherAreWhatEachIsAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.Draw(t, true)
		if g.Len() < 3 {
			return
		}
		w, err := graph.NewTransition(g, "hamilton")
		if err != nil {
			t.Fatal(err)
		}
		walk := Walk{Walk: schedule.Walk{Nodes: g.Len(), W: w.Sparse(), Start: AnyStart, Turns: rapid.IntRange(2, 120).Draw(t, "turns"),
			Cap: rapid.SampledFrom([]int{0, 1, 2, 5, 9, 100}).Draw(t, "cap")}}
		rate := rapid.SampledFrom([]float64{1e-9, 1e-3, 0.1, 1, 30, 1e3}).Draw(t, "rate")
		all := []*renewal{walk.renewalOf(0, 1), walk.renewalOf(1, 2), walk.renewalOf(2, 0)}
		for i, together := range logMoments(rate, all) {
			if alone := all[i].logMomentAlone(rate); math.Float64bits(together) != math.Float64bits(alone) {
				t.Fatalf("pair %d: %v together, %v alone", i, together, alone)
			}
		}
	})
}

// logMomentAlone is one of logMoments, by the model that every law of energies has.
func (r *renewal) logMomentAlone(rate float64) float64 {
	least := math.Inf(1)
	for k, horizon := range r.rates() {
		if excess := r.changes(k, moment(rate))[1]; !math.IsNaN(excess) {
			least = min(least, math.Log1p(max(0, excess)*math.Exp(horizon)))
		}
	}
	return least
}

// lossyLaws are laws of 20 pairs, some by renewal and some not.
func lossyLaws(t *testing.T) *Laws {
	t.Helper()
	w, _ := walkOn(t, "er:n=5,p=0.6,seed=3,connected=true")
	w.Turns, w.Cap = 40, 3
	laws, err := w.Laws(EveryPair(w.Nodes), 2)
	if err != nil {
		t.Fatal(err)
	}
	laws.laws[5] = localLaw(3, "the test says so")
	return laws
}

// followed is a copy that is priced by so many goroutines.
func (p *Laws) followed(workers int, watch *Watch) *Laws {
	own := *p
	own.workers, own.watch = workers, watch
	return &own
}

var lossyMetrics = []privacy.Metric{{Order: 3}, {Delta: 1e-5}}

// Losses and calibrated noise have the same bits for any number of workers, and
// are those of each law alone.
func TestLossesDoNotDependOnWorkers(t *testing.T) {
	all := lossyLaws(t)
	for _, m := range lossyMetrics {
		for _, workers := range []int{1, 2, 7} {
			got, err := all.followed(workers, nil).Losses(2.5, m)
			if err != nil {
				t.Fatal(err)
			}
			for k, law := range all.laws {
				if alone, err := law.Loss(2.5, m); err != nil || alone != got.ranks[0].losses[k] {
					t.Errorf("%v, %d workers: class %d loses %v, its law %v (%v)", m, workers, k, got.ranks[0].losses[k], alone, err)
				}
			}
		}
	}
	one, a, errOne := all.followed(1, nil).Calibrate(privacy.Max, 0.7, lossyMetrics[0])
	many, b, errMany := all.followed(5, nil).Calibrate(privacy.Max, 0.7, lossyMetrics[0])
	if errOne != nil || errMany != nil || a != b || !slices.Equal(one.ranks[0].losses, many.ranks[0].losses) || one.Max() != a.Loss {
		t.Errorf("one worker calibrates to %+v (%v), five to %+v (%v)", a, errOne, b, errMany)
	}
}

// No noise multiplier is priced twice, and whoever follows is told what is
// being priced and how far it is.
func TestCalibrationSaysWhatItDoes(t *testing.T) {
	all := lossyLaws(t)
	for _, m := range lossyMetrics {
		var stages []string
		last := 0
		laws := all.followed(2, &Watch{
			Stage: func(what string) {
				if len(stages) > 0 && last != 20 {
					t.Errorf("%d of 20 pairs were priced when the next step began", last)
				}
				stages, last = append(stages, what), 0
			},
			Progress: func(done, total int) {
				if done < last || total != 20 {
					t.Errorf("%d of %d after %d", done, total, last)
				}
				last = done
			},
		})
		_, c, err := laws.Calibrate(privacy.Mean, 0.7, m)
		if err != nil {
			t.Fatal(err)
		}
		for i, stage := range stages {
			if !strings.HasPrefix(stage, fmt.Sprintf("calibrating, step %d: losses of all pairs at noise multiplier ", i+1)) {
				t.Errorf("stage %q", stage)
			}
		}
		if len(stages) < 4 || len(stages) >= c.Steps || last != 20 {
			t.Errorf("%d stages of %d evaluations, the last with %d pairs", len(stages), c.Steps, last)
		}
	}
}

// Calibration ends where its watcher does.
func TestCalibrationCanBeInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	steps := 0
	laws := lossyLaws(t).followed(2, &Watch{Context: ctx, Stage: func(string) {
		if steps++; steps == 3 {
			stop()
		}
	}})
	if _, _, err := laws.Calibrate(privacy.Mean, 0.7, lossyMetrics[0]); !errors.Is(err, context.Canceled) || steps != 3 {
		t.Errorf("after %d steps: %v", steps, err)
	}
}
