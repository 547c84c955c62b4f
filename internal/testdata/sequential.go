package testdata

import "testing"

// Sequential skips a test without concurrency where only the race detector runs (go test -race -short). The detector finds
// nothing in it and makes its sums ten times slower. It runs in full without the detector.
func Sequential(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("SKIPPED: nothing in it runs side by side")
	}
}
