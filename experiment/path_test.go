package experiment

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// On a graph without symmetries the mean of the path accountant is an
// estimate: the result says so, pairs that were drawn are bounded below the
// local loss somewhere, and the worst pair is charged the local loss.
func TestASampledMeanSaysSo(t *testing.T) {
	s, err := spec.Parse([]byte(`
data: {source: two-gaussians, rows: 2, features: 2, normalise: unit}
graph: er:n=24,p=0.25,seed=3,connected
algorithm: {steps: 300, step_size: 0.1, clip: 0.3, contributions: 8}
privacy: {sigma: 4}
`), "sampled")
	if err != nil {
		t.Fatal(err)
	}
	setup, err := Prepare(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	path, local := setup.Accounting.Accounts[0], setup.Accounting.Accounts[1]
	if path.Accountant != "path" || !path.Estimated() || path.Status != report.Sound || local.MeanStatus != report.Sound || local.Accountant != report.LocalAccountant {
		t.Fatalf("accounts %s and %s", path.Accountant, local.Accountant)
	}
	if !strings.Contains(strings.Join(setup.notes(), " "), "is an estimate from a sample of pairs") {
		t.Errorf("no note says that the mean is an estimate: %q", setup.notes())
	}
	if path.Max != local.Max || !(path.Mean < local.Mean) {
		t.Errorf("path mean %g, worst %g; local %g", path.Mean, path.Max, local.Max)
	}
	least := math.Inf(1)
	for v := 1; v < 24; v++ {
		for u := range v {
			least = min(least, path.At(u, v))
		}
	}
	if least >= float64(local.Max) {
		t.Error("no pair was looked at")
	}
}
