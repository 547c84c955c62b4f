// Package drawntest checks that random draws of a test reach the tested case.
package drawntest

import (
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// falseAlarm is the probability that Often fails a test whose draws hit at the stated rate.
const falseAlarm = 1e-6

// Often fails t if hits out of draws are too few for independent draws that hit at the given rate, in (0, 1). The probability
// of a false alarm is one in a million. The limit follows from the number of draws, because -short draws a fifth as often and
// -rapid.checks sets any number.
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
