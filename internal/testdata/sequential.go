package testdata

import "testing"

// Sequential skips a test in which nothing runs side by side where only the race detector
// looks (go test -race -short): the detector finds nothing in it and takes ten times as long
// over its sums. It runs in full without the detector.
func Sequential(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("SKIPPED: nothing in it runs side by side")
	}
}
