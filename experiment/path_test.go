package experiment

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/report"
)

// On a graph without symmetries the mean of the path accountant is an
// estimate: the result says so, pairs that were drawn are bounded below the
// local loss somewhere, and the worst pair is charged the local loss.
func TestASampledMeanSaysSo(t *testing.T) {
	if testing.Short() {
		t.Skip("prices many pairs")
	}
	s, err := Parse([]byte(`
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
	if path.Accountant != "path" || !path.Estimated() || path.Status != report.Sound || local.MeanStatus != report.Sound ||
		local.Accountant != report.LocalAccountant {
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

// A spec that asks for coalitions is told what the worst of a size learn: more than
// anybody alone, less than the local loss, and the same for nodes that are alike.
func TestCoalitionsOfASpec(t *testing.T) {
	const text = "data: {source: two-gaussians, rows: 2, features: 2, normalise: unit}\ngraph: %s\n" +
		"algorithm: {steps: 100, step_size: 0.1, clip: 0.3, contributions: 3}\nprivacy: {sigma: 4, coalition: %d}\n"
	for _, graph := range []string{"ring:8", "line:5"} {
		for size := 2; size <= 3; size++ {
			s, err := Parse(fmt.Appendf(nil, text, graph, size), "spec.yaml")
			if err != nil {
				t.Fatal(err)
			}
			setup, err := Prepare(context.Background(), s, nil)
			if err != nil {
				t.Fatal(err)
			}
			c := setup.Accounting.Coalition
			single := setup.Accounting.Accounts[0].Max
			if c == nil || c.Size != size || c.Max < single || c.Mean > c.Max || len(c.Worst) != size || len(c.Assumptions) == 0 {
				t.Fatalf("%s, %d: %+v, alone %v", graph, size, c, single)
			}
		}
	}
	if _, err := Parse(fmt.Appendf(nil, text, "ring:8", 1), "spec.yaml"); err == nil {
		t.Error("a coalition of one is taken")
	}
}
