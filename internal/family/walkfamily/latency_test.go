package walkfamily_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/hearsay-dp/hearsay/step"
)

const timedSpec = `
name: timed
data: {source: two-gaussians, rows: 3, features: 2, normalise: unit}
graph: ring:8
algorithm: {steps: 200, step_size: 0.1, clip: 0.3, contributions: 60, burn_in: 7, skip: 0.2, tokens: %d, latency: {%s}}
privacy: {sigma: 4, accountant: local}
`

// Simulated time is that of the hops that are made and of the data that are used: what a
// run releases says both.
func TestSimulatedTimeIsThatOfTheRun(t *testing.T) {
	a := opened(t, fmt.Sprintf(timedSpec, 3, "hop: 1, step: 1000"))
	if a.Time(5) == nil || opened(t, fmt.Sprintf(timedSpec, 3, "hop: 1, step: 1000")).Cost().Time == nil {
		t.Fatal("no time")
	}
	seconds := make([]float64, 3)
	if _, err := a.Run(5).Bulk(t.Context(), func(r step.Release, _ []float64) {
		if r.To != r.From {
			seconds[r.Lane]++
		}
		if r.Contributed {
			seconds[r.Lane] += 1000
		}
	}); err != nil {
		t.Fatal(err)
	}
	longest, total := 0.0, 0.0
	for _, s := range seconds {
		longest, total = max(longest, s), total+s
	}
	if got := a.Time(5); got.Seconds != longest || got.Serial != total {
		t.Errorf("%+v, the run took %v", got, seconds)
	}
}

// Tokens that walk at once save time, and drawn hops take as long as constant ones on
// average: of some 1100 exponential ones the mean is within 6 standard errors of 1, but for
// one run in 10^8.
func TestTokensSaveTime(t *testing.T) {
	constant, drawn := opened(t, fmt.Sprintf(timedSpec, 8, "hop: 1")).Time(2), opened(t, fmt.Sprintf(timedSpec, 8, "hop: 1, law: exponential")).Time(2)
	if constant.Seconds > constant.Serial/7 {
		t.Errorf("8 tokens take %g s, one after the other %g s", constant.Seconds, constant.Serial)
	}
	if drawn.Seconds == constant.Seconds || math.Abs(drawn.Serial-constant.Serial) > 6*math.Sqrt(constant.Serial) {
		t.Errorf("drawn hops take %g s, constant ones %g s", drawn.Serial, constant.Serial)
	}
}
