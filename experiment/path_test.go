package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// On a graph without symmetries every pair has a bound of its own, which depends on no seed,
// and the mean is one of them too.
func TestEveryPairIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("prices many pairs")
	}
	var means []float64
	for seed := 1; seed <= 2; seed++ {
		s, err := Parse(fmt.Appendf(nil, `
seed: %d
data: {source: two-gaussians, rows: 2, features: 2, normalise: unit}
graph: er:n=24,p=0.25,seed=3,connected
algorithm: {steps: 300, step_size: 0.1, clip: 0.3, contributions: 8}
privacy: {sigma: 4}
`, seed), "every")
		if err != nil {
			t.Fatal(err)
		}
		setup, err := Prepare(t.Context(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		path, local := setup.Accounting.Accounts[0], setup.Accounting.Accounts[1]
		if path.Accountant != "path" || path.MeanStatus != report.Sound || path.Status != report.Sound || path.Partial() || path.Unpriced != 0 {
			t.Fatalf("%s: %s, mean %s, %d pairs not priced", path.Accountant, path.Status, path.MeanStatus, path.Unpriced)
		}
		amplified := 0
		for v := range 24 {
			for u := range 24 {
				if loss := path.At(u, v); u != v && !(loss > 0 && loss <= float64(local.Max)) {
					t.Fatalf("%d to %d: %v, locally %v", u, v, loss, local.Max)
				} else if u != v && loss < 0.9*float64(local.Max) {
					amplified++
				}
			}
		}
		if amplified < 24*23/2 {
			t.Errorf("%d of %d pairs lose less than locally", amplified, 24*23)
		}
		means = append(means, float64(path.Mean))
	}
	if means[0] != means[1] {
		t.Errorf("means %v", means)
	}
}

// Where moments do not cover a walk, as when its last token is released, the mean of the path
// accountant on a graph without symmetries is an estimate: the result says so and gives its interval, pairs that were drawn are bounded
// below the local loss somewhere, of others nothing is said, and the worst loss is the
// local one, which holds of them.
func TestASampledMeanSaysSo(t *testing.T) {
	if testing.Short() {
		t.Skip("prices many pairs")
	}
	s, err := Parse([]byte(`
data: {source: two-gaussians, rows: 2, features: 2, normalise: unit}
graph: er:n=24,p=0.25,seed=3,connected
algorithm: {steps: 300, step_size: 0.1, clip: 0.3, contributions: 8}
privacy: {sigma: 4, release: final}
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
	least, unpriced := math.Inf(1), 0
	for v := range 24 {
		for u := range 24 {
			switch loss := path.At(u, v); {
			case u == v:
			case math.IsNaN(loss):
				unpriced++
			default:
				least = min(least, loss)
			}
		}
	}
	if least >= float64(local.Max) {
		t.Error("no pair was looked at")
	}
	if unpriced == 0 || unpriced != path.Unpriced || !path.Partial() || local.Partial() {
		t.Errorf("%d pairs were not priced, said to be %d", unpriced, path.Unpriced)
	}
	if i := path.MeanInterval; i == nil || i.Low > path.Mean || i.High < path.Mean || !strings.Contains(path.MeanNote(), "(estimate, ") {
		t.Errorf("the mean %g is within %+v, %q", path.Mean, i, path.MeanNote())
	}
	// What rests on all pairs counts those at the local loss.
	aimed, err := setup.Calibrate(t.Context(), []string{"path"}, spec.Calibrate{Mean: 1})
	if err != nil {
		t.Fatal(err)
	}
	if at, err := priceAt(t, s, aimed[0].Sigma); err != nil || at > 1 {
		t.Errorf("calibrated to a mean of 1, and pairs that were not priced make it up to %g (%v)", at, err)
	}
}

// priceAt is the mean over all pairs at a noise multiplier, with those that were not
// priced at what holds of them.
func priceAt(t *testing.T, s *spec.Spec, sigma float64) (float64, error) {
	own := *s
	own.Privacy.Sigma, own.Privacy.Calibrate = &sigma, nil
	setup, err := Prepare(t.Context(), &own, nil)
	if err != nil {
		return 0, err
	}
	path, n, total := setup.Accounting.Accounts[0], setup.Spec.Nodes, 0.0
	for v := range n {
		for u := range n {
			if u != v {
				total += path.Bound(u, v)
			}
		}
	}
	return total / float64(n*(n-1)), nil
}

// A spec that asks for coalitions is told what the worst of a size learn: more than
// anybody alone, less than the local loss, and the same for nodes that are alike.
func TestCoalitionsOfASpec(t *testing.T) {
	testdata.Sequential(t)
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

// A clip of one node's own makes it unlike the others of a symmetric graph, whichever node it is: the others lose to coalitions
// as much as without it.
func TestCoalitionsWithALimit(t *testing.T) {
	testdata.Sequential(t)
	const text = "data: {source: two-gaussians, rows: 2, features: 2, normalise: unit}\ngraph: ring:6\n" +
		"algorithm: {steps: 100, step_size: 0.1, clip: 0.3, contributions: 3}\nprivacy: {sigma: 4, coalition: 2%s}\n"
	price := func(limits string) *report.Coalition {
		return prepared(t, fmt.Sprintf(text, limits)).Accounting.Coalition
	}
	s, err := Parse(fmt.Appendf(nil, strings.Replace(text, "sigma: 4", "calibrate: {max: 2}", 1), ""), "spec.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if p := prepare(t, s); !slices.ContainsFunc(p.notes(), func(note string) bool {
		return strings.Contains(note, "towards any single node at 2 or less. Any 2 nodes together may learn more")
	}) {
		t.Errorf("%+v, %q", p.Accounting.Coalition, p.notes())
	}
	open, first, last := price(""), price(", limits: {0: {clip: 0.1}}"), price(", limits: {5: {clip: 0.1}}")
	if first.Max != open.Max || last.Max != open.Max || first.Mean != last.Mean || !(first.Mean < open.Mean) || !(first.Mean > open.Mean*5/6) {
		t.Errorf("%v and %v at most, %v and %v on average, without a limit %v and %v", first.Max, last.Max, first.Mean, last.Mean, open.Max, open.Mean)
	}
}
