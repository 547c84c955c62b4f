package experiment

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"pgregory.net/rapid"
)

// calibrating is a spec for every accountant that calibrates.
var calibrating = map[string][]string{
	"walk local": {},
	"walk path": {"hypercube:4", "complete:4", "steps: 250", "steps: 9", "contributions: 20", "contributions: 3",
		"features: 4", "features: 4, normalise: unit", "accountant: local", "accountant: path"},
	"walk path ring": {"hypercube:4", "line:5", "steps: 250", "steps: 9", "contributions: 20", "contributions: 3",
		"features: 4", "features: 4, normalise: unit", "accountant: local", "accountant: path, release: final"},
	"proximal path": {"hypercube:4", "complete:4", "steps: 250", "steps: 9", "contributions: 20", "contributions: 3, kind: proximal-walk",
		"graph:", "model: {kind: hinge}\ngraph:", "accountant: local", "accountant: path"},
	"admm means": {"graph: hypercube:4", "nodes: 16", "step_size: 0.1, ", "", "contributions: 20", "kind: admm-federated", "steps: 250", "steps: 9",
		"accountant: local", "accountant: means"},
	"admm published in rounds": {"graph: hypercube:4", "nodes: 16", "step_size: 0.1, ", "", "contributions: 20", "kind: admm-central", "steps: 250", "steps: 9",
		"accountant: local", "accountant: published"},
	"admm local":     {"contributions: 20", "contributions: 20, kind: admm-walk", "step_size: 0.1, ", ""},
	"admm path":      {"contributions: 20", "contributions: 20, kind: admm-walk", "step_size: 0.1, ", "", "accountant: local", "accountant: path"},
	"admm published": {"contributions: 20", "contributions: 20, kind: admm-walk, route: secret", "step_size: 0.1, ", "", "hypercube:4", "complete:4", "accountant: local", "accountant: published"},
	"walk published": {"hypercube:4", "complete:4", "features: 4", "features: 4, normalise: unit", "accountant: local", "accountant: published"},
	"gossip exact": {"two-gaussians", "mean", "graph:", "model: {kind: mean}\ngraph:",
		"steps: 250, step_size: 0.1, clip: 0.3, contributions: 20", "kind: gossip, steps: 6, clip: 0.3",
		"accountant: local, sender: hidden", "accountant: exact"},
	"gossip published": {"two-gaussians", "mean", "graph:", "model: {kind: mean}\ngraph:",
		"steps: 250, step_size: 0.1, clip: 0.3, contributions: 20", "kind: gossip, steps: 6, clip: 0.3",
		"accountant: local, sender: hidden", "accountant: published"},
	"gossip pairwise": {"contributions: 20", "kind: gossip-gd, contributions: 20, pairwise: 3", "accountant: local", "accountant: pairwise"},
	"gossip local":    {"contributions: 20", "kind: gossip-gd, contributions: 20"},
	"local":           {"graph: hypercube:4", "nodes: 16", "contributions: 20", "contributions: 20, kind: local"},
	"fixed-point":     {"graph: hypercube:4", "nodes: 16", "contributions: 20", "kind: fixed-point, draw: 16", "accountant: local", "accountant: tight"},
	"central tight": {"graph: hypercube:4", "nodes: 16", "contributions: 20", "kind: central", "steps: 250", "steps: 9", "accountant: local",
		"accountant: tight"},
}

// Whatever an accountant calibrates, the loss that it then states of that sigma is
// at most the target: not one ulp above.
func TestCalibratedLossesNeverExceedTheirTarget(t *testing.T) {
	testdata.Sequential(t)
	names := slices.Sorted(maps.Keys(calibrating))
	cheap := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return strings.Contains(name, "path") || name == "central tight" })
	names = append(names, slices.Repeat(cheap, 2)...)
	rapid.Check(t, func(r *rapid.T) {
		name := rapid.SampledFrom(names).Draw(r, "accountant")
		target := math.Exp(rapid.Float64Range(-3, 3).Draw(r, "ln target"))
		statistic := rapid.SampledFrom([]string{"mean", "max"}).Draw(r, "statistic")
		metric := rapid.SampledFrom([]string{"renyi: 2", "epsilon_at_delta: 1.0e-6", "epsilon_at_delta: 0.01", "epsilon_at_delta: 1.0e-12"}).Draw(r, "metric")
		calibrated := fmt.Sprintf("calibrate: {%s: %v}, metric: {%s}", statistic, target, metric)
		s := prepare(t, variant(t, append([]string{"trials: 3", "trials: 1", "calibrate: {mean: 2}", calibrated}, calibrating[name]...)...))
		given := fmt.Sprintf("sigma: %v, metric: {%s}", s.Accounting.Sigma, metric)
		again := prepare(t, variant(t, append([]string{"trials: 3", "trials: 1", "calibrate: {mean: 2}", given}, calibrating[name]...)...))
		for _, a := range []family.Account{s.Accounting.Accounts[0], again.Accounting.Accounts[0]} {
			loss := float64(a.Mean)
			if statistic == "max" {
				loss = float64(a.Max)
			}
			if loss > target {
				r.Fatalf("%s: sigma %v loses %v, above the target by %g", name, s.Accounting.Sigma, loss, loss-target)
			}
		}
	})
}
