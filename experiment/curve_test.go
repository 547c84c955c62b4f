package experiment

import (
	"math"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/model"
)

// Every model is scored once, as it was when it was handed over, in order, and never more at a time than there is room
// for, whoever scores.
func TestCurveScoresEveryPointAsItWas(t *testing.T) {
	for _, aside := range []bool{false, true} {
		for _, params := range []int{1, mostWaiting / 2, 3 * mostWaiting} {
			var got []waypoint
			c := newCurve(params, aside, func(points []waypoint) {
				if len(points) == 0 || len(points) > max(1, min(model.Together, mostWaiting/params)) {
					t.Errorf("%d models of %d parameters at once", len(points), params)
				}
				for _, p := range points {
					p.theta = slices.Clone(p.theta)
					got = append(got, p)
				}
			})
			theta := []float64{0}
			for i := range 101 {
				theta[0] = float64(i)
				c.add(waypoint{i, theta, 0.5})
			}
			c.close()
			for i, p := range got {
				if p.step != i || p.theta[0] != float64(i) || p.apart != 0.5 {
					t.Fatalf("aside: %v: point %d is %+v", aside, i, p)
				}
			}
			if len(got) != 101 {
				t.Errorf("aside: %v: %d points of 101", aside, len(got))
			}
		}
	}
}

// The first point is scored at once, so that whoever waits sees that something goes on.
func TestCurveBeginsAtOnce(t *testing.T) {
	scored := 0
	c := newCurve(1, false, func(points []waypoint) { scored += len(points) })
	c.add(waypoint{theta: []float64{1}})
	if scored != 1 {
		t.Errorf("%d points of the first are scored", scored)
	}
	c.close()
}

// One core or several for a trial: the same scores, bit for bit, the same progress and the same complaint where a loss is
// no number.
func TestCoresOfATrialChangeNothing(t *testing.T) {
	s := prepare(t, variant(t, "every: 100", "every: 3"))
	for _, spoilt := range []bool{false, true} {
		scorer := newScorer(s.Algorithm)
		if spoilt {
			train := s.Train
			train.X = slices.Clone(train.X)
			train.X[0] = math.NaN()
			scorer.glanceTrain = model.NewGauge(s.Objective, train, nil, 1)
		}
		run := func(cores int) (o outcome, steps []int, err error) {
			o, err = trial(t.Context(), s.Algorithm, scorer, 0, cores, func(sc score) { steps = append(steps, sc.step) })
			return o, steps, err
		}
		want, steps, complaint := run(1)
		if (complaint != nil) != spoilt {
			t.Fatalf("spoilt: %v: %v", spoilt, complaint)
		}
		for _, cores := range []int{2, 5} {
			got, seen, err := run(cores)
			switch {
			case spoilt && (err == nil || err.Error() != complaint.Error()):
				t.Errorf("%d cores say %v, one %v", cores, err, complaint)
			case !spoilt && (err != nil || !slices.Equal(seen, steps) || !slices.EqualFunc(got.scores, want.scores, sameScore) || !slices.Equal(got.model, want.model)):
				t.Errorf("with %d cores %v and scores are %v, with one %v", cores, err, got.scores, want.scores)
			}
		}
	}
}

func sameScore(a, b score) bool {
	same := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }
	return a.step == b.step && same(a.trainLoss, b.trainLoss) && same(a.testLoss, b.testLoss) && same(a.accuracy, b.accuracy) &&
		same(a.objective, b.objective) && same(a.penalty, b.penalty) && same(a.apart, b.apart)
}
