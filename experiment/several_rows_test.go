package experiment

import (
	"math"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A person with several rows loses what a Gaussian view that is moved as many times as far tells: more than as many times as
// much.
func TestSeveralRowsLoseMoreThanAsManyTimesAsMuch(t *testing.T) {
	testdata.Sequential(t)
	s := prepare(t, specOf(t, "data: {source: two-gaussians, rows: 40, features: 2, normalise: unit}\nmodel: {kind: logistic}\ngraph: ring:5\n"+
		"algorithm: {steps: 20, step_size: 0.1, clip: 0.3, contributions: 4}\nprivacy: {calibrate: {max: 1}, accountant: local, unit: record}\n"))
	one := float64(s.Accounting.Accounts[0].Max)
	for _, k := range []int{2, 10, 20} {
		found, err := s.ForRows(k)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range found.Accounts {
			if a.Accountant != s.Accounting.Accounts[i].Accountant {
				t.Fatalf("account %d is %s, in the plan %s", i, a.Accountant, s.Accounting.Accounts[i].Accountant)
			}
		}
		// Attacked: k rows that all point the other way, a Gaussian of k times the shift in each of 4 contributions.
		attained := privacy.EpsilonGaussian(float64(k)*math.Sqrt(4)/s.Accounting.Sigma, 1e-6)
		got := float64(found.Accounts[0].Max)
		if math.Abs(got-attained) > 1e-6*attained || got < float64(k)*one {
			t.Errorf("%d rows lose %v by the local accountant; an attack attains %v, and %d times one row is %v", k, got, attained, k, float64(k)*one)
		}
	}
}

// Where no bound for several rows is known the question is refused in words.
func TestSeveralRowsAreRefusedWhereNothingIsKnown(t *testing.T) {
	testdata.Sequential(t)
	const text = "data: {source: two-gaussians, rows: 40, features: 2, normalise: unit}\nmodel: {kind: logistic}\ngraph: ring:5\n" +
		"algorithm: {kind: gossip-sgd, steps: 5, step_size: 0.1, clip: 0.3, batch: 5}\nprivacy: {sigma: 2, unit: record}\n"
	for replaced, says := range map[string]string{
		", unit: record": "all data of a participant are protected",
		"batch: 5":       "rows are drawn one by one",
	} {
		with := ""
		if replaced == "batch: 5" {
			with = "batch: 5, sampling: poisson"
		}
		_, err := prepare(t, specOf(t, strings.Replace(text, replaced, with, 1))).ForRows(3)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	if _, err := prepare(t, specOf(t, text)).ForRows(1); err == nil {
		t.Error("one row is several")
	}
}
