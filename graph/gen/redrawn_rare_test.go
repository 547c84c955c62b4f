package gen

import (
	"testing"

	"github.com/hearsay-dp/hearsay/step"
)

// A random graph that is seldom connected may fail at every attempt of a draw;
// that is no reason to stop in the middle of a run.
func TestRedrawnGraphThatIsSeldomConnected(t *testing.T) {
	runs := 0
	for seed := range uint64(2) {
		sequence, err := Redrawn("er:n=7,p=0.03,connected", "hamilton", 1, seed)
		if err != nil {
			continue // refused before it began
		}
		runs++
		for turn := range step.Turn(4) {
			if w := sequence.Matrix(turn); w.N != 7 {
				t.Fatalf("%d nodes", w.N)
			}
		}
	}
	if runs == 0 {
		t.Fatal("no seed was drawn even once")
	}
}
