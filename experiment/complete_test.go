package experiment

import (
	"math"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpublished"
	"github.com/hearsay-dp/hearsay/report"
)

const completeSGD = `name: c
data: {source: two-gaussians, rows: 4, features: 3, normalise: unit}
nodes: 12
model: {kind: logistic}
algorithm: {kind: complete-sgd, steps: 120, step_size: 0.3, clip: 0.4, radius: 2, contributions: 14}
privacy: {sigma: 6, sender: hidden}
`

// The walk over all nodes alike is the walk on the complete graph: the path accountant
// says the same of both, and the formula in print is that of Proposition D.11.
func TestCompleteSGDIsTheWalkOnTheCompleteGraph(t *testing.T) {
	testdata.Sequential(t)
	s := prepared(t, completeSGD)
	w := prepared(t, strings.NewReplacer("complete-sgd", "walk", "nodes: 12", "graph: complete:12").Replace(completeSGD))
	own, same := s.Accounting.Accounts[0], w.Accounting.Accounts[0]
	if own.Accountant != "path" || own.Status != report.Sound || math.Abs(float64(own.Max-same.Max)) > 1e-6*float64(own.Max) {
		t.Errorf("%s %g, on the complete graph %s %g", own.Accountant, float64(own.Max), same.Accountant, float64(same.Max))
	}
	want, _, err := walkpublished.CompleteSGD{Nodes: 12, Turns: 120}.PublishedLoss(14, 6, privacy.Metric{Delta: 1e-6})
	if printed := s.Accounting.Accounts[1]; err != nil || printed.Status != report.Published || float64(printed.Max) != want {
		t.Errorf("printed %+v, want %g, %v", printed.Accounted, want, err)
	}
	if e, err := s.Explain(2, 7); err != nil || math.Abs(e.Epsilon-float64(own.Max)) > 1e-9 {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := s.Run(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

// A cap per edge is priced as if there were none, and with the sender known spotted
// contributions cost besides, of which it leaves fewer.
func TestCompleteSGDCapsEdges(t *testing.T) {
	testdata.Sequential(t)
	capped := strings.NewReplacer("contributions: 14", "contributions: 14, edge_cap: 1").Replace(completeSGD)
	s, free := prepared(t, capped), prepared(t, completeSGD)
	if a, b := s.Accounting.Accounts[0].Max, free.Accounting.Accounts[0].Max; a < b || a > 2*b {
		t.Errorf("path: %g with a cap per edge, %g without", float64(a), float64(b))
	}
	spotted := func(text string) float64 {
		s := prepared(t, strings.NewReplacer("sigma: 6, sender: hidden", "sigma: 60, sender: known, metric: {epsilon_at_delta: 0.05}", "contributions: 14", "contributions: 200").Replace(text))
		for _, account := range s.Accounting.Accounts {
			if account.Status == report.Published {
				return float64(account.Max)
			}
		}
		return math.NaN()
	}
	if with, without := spotted(capped), spotted(completeSGD); !(with < without) {
		t.Errorf("spotted: %g with a cap per edge, %g without", with, without)
	}
	if loss := prepared(t, strings.Replace(completeSGD, "sigma: 6", "calibrate: {max: 3}", 1)).Accounting.Accounts[0].Max; loss > 3 || loss < 2.99 {
		t.Errorf("calibrated to %g", float64(loss))
	}
	records := prepared(t, strings.Replace(completeSGD, "sigma: 6", "sigma: 6, unit: record", 1))
	a, b := records.Accounting.Accounts[0], free.Accounting.Accounts[0]
	noise, whole := records.Algorithm.Local().Noise, free.Algorithm.Local().Noise
	if math.Abs(float64(a.Max/b.Max)-1) > 1e-9 || a.Status != report.Sound || !(noise.Std() < 0.6*whole.Std()) {
		t.Errorf("a record loses %g under %g, a participant %g under %g", float64(a.Max), noise.Std(), float64(b.Max), whole.Std())
	}
	isRefused(t, strings.Replace(completeSGD, "sigma: 6", "sigma: 6, unit: record, accountant: published", 1), "about participants")
	isRefused(t, strings.Replace(completeSGD, "radius: 2", "edge_cap: -1", 1), "algorithm.edge_cap")
}
