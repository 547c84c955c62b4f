package runs

import (
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/experiment"
)

func TestPaceIsStepsASecondAndTheTimeLeft(t *testing.T) {
	rate, left := pace(experiment.Tick{Done: 40, Total: 100}, 2*time.Second)
	if rate != 20 || left != 3*time.Second {
		t.Errorf("40 of 100 steps in 2 s: %g a second, %s left", rate, left)
	}
}
