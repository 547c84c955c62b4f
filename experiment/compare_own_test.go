package experiment

import (
	"math/rand/v2"
	"testing"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
)

// A participant alone is scored on everybody's rows and on its own, tuned; where it has one class nearly only, its share of
// right answers is high and its balanced accuracy that of a constant answer.
func TestAloneIsComparedOnOwnRowsToo(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: participants tune their penalties, which takes long under the race detector")
	}
	s := specOf(t, "trials: 4\ngraph: complete:4\ndata: {source: heart, test: 0.2, scale: ranges, normalise: none, ranges: {age: [35, 75], sex: [0, 1], cp: [2, 4], trestbps: [90, 170], "+
		"chol: [0, 400], fbs: [-1, 1], restecg: [-2, 2], thalach: [100, 180], exang: [0, 1], oldpeak: [-2, 2]}}\n"+
		"algorithm: {kind: gossip-gd, steps: 20, step_size: 0.7, clip: 1}\nprivacy: {unit: record, sigma: 1, accountant: local}\n")
	p := prepare(t, s)
	r := runSetup(t, p).Result
	b, err := p.Compare(t.Context(), r, func(string) {}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if b.Alone == nil || b.Home == nil || b.Own == nil || !b.Own.AtHome || b.Own.Trials != 4 || !(b.Own.HomeReach > 0) || !b.Alone.Tuned || b.Measure != report.BalancedAccuracy || len(b.Own.Each) == 0 {
		t.Fatalf("%+v", b)
	}
	rows := 0
	for _, one := range b.Own.Each {
		rows += one.Rows
		if !(one.Joined >= 0 && one.Joined <= 1 && one.AloneRight >= 0 && one.AloneRight <= 1 && one.HomeRight > 0.4) || one.Name == "" {
			t.Errorf("%+v", one)
		}
	}
	if want := len(r.Trials) * r.Data.Test; rows > want || rows < want*3/4 {
		t.Errorf("%d rows of %d are somebody's own", rows, want)
	}
}

// Tuning takes the penalty that does best on rows that were not learnt from: labels that follow nothing ask for much.
func TestAloneIsTuned(t *testing.T) {
	s := prepare(t, specOf(t, "data: {source: two-gaussians, rows: 40, features: 2, normalise: unit}\ngraph: ring:4\nmodel: {kind: logistic, l2: 0}\n"+
		"algorithm: {kind: gossip-gd, steps: 2, step_size: 0.1, clip: 0.3}\nprivacy: {sigma: 2}\n"))
	rng, ex := rand.New(rand.NewPCG(2, 2)), model.Examples{Features: 2}
	for range 30 {
		ex.X, ex.Y = append(ex.X, rng.NormFloat64(), rng.NormFloat64()), append(ex.Y, float64(2*rng.IntN(2)-1))
	}
	plain, tuned := s.trainAlone(ex, false), s.trainAlone(ex, true)
	if size := func(v []float64) float64 { return v[0]*v[0] + v[1]*v[1] }; !(size(tuned) < size(plain)) {
		t.Errorf("without a penalty %v, tuned %v", plain, tuned)
	}
}
