// Package drawntest asks of tests on random draws that the draws reach what is tested.
package drawntest

import (
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// falseAlarm is how often Often fails a test whose draws hit at the rate it states.
const falseAlarm = 1e-6

// Often fails t if hits of so many draws are fewer than independent draws leave that hit at the rate, in (0, 1), but
// for one test in a million. -short draws a fifth as often, and -rapid.checks as often as one likes: what is too few is
// told from how many were drawn.
func Often(t testing.TB, what string, hits, draws int, rate float64) {
	t.Helper()
	t.Logf("%s: %d of %d draws", what, hits, draws)
	if tooFew(hits, draws, rate) {
		t.Errorf("%s: only %d of %d draws where %g of all are expected", what, hits, draws, rate)
	}
}

func tooFew(hits, draws int, rate float64) bool {
	return distuv.Binomial{N: float64(draws), P: rate}.CDF(float64(hits)) < falseAlarm
}
