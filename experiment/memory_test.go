package experiment

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/spec"
)

// inTime is a small spec.
func inTime(algorithm, privacy string) (*spec.Spec, error) {
	return Parse([]byte("{data: {source: two-gaussians, features: 3, rows: 90}, graph: ring:6, model: {kind: logistic, l2: 0.01}, "+
		"algorithm: {steps: 10, step_size: 0.5, clip: 0.3, "+algorithm+"}, privacy: {"+privacy+", metric: {epsilon_at_delta: 1.0e-6}}}"), "spec")
}

// Noise in time and batches that take turns are refused by name, with a way out, where no proof covers them.
func TestNoiseInTimeIsRefusedWhereNothingIsProved(t *testing.T) {
	testdata.Sequential(t)
	const sgd, gd, memory = "kind: gossip-sgd, epoch: 3", "kind: gossip-gd", ", memory: banded:3"
	for _, c := range [][3]string{
		{sgd + memory, "unit: record, sigma: 4, accountant: flow", "remembers earlier rounds"},
		{sgd + memory, "unit: record, sigma: 4, accountant: published", "published"},
		{sgd, "unit: record, sigma: 4, accountant: flow", "batches that take turns"},
		{sgd, "sigma: 4, accountant: published", "batches that take turns"},
		{gd + memory + ", noise: turn", "sigma: 4", "noise: turn"},
		{gd + memory + ", dropout: 0.2", "sigma: 4", "away"},
		{gd + memory + ", wake: matchings", "sigma: 4", "one graph"}, {gd + memory + ", wake: edges", "sigma: 4", "away"},
		{"kind: gossip-sgd, rate: 0.1" + memory, "unit: record, sigma: 4", "Poisson"},
		{"kind: gossip-sgd, epoch: 3, rate: 0.1, sampling: cyclic", "unit: record, sigma: 4", "cyclic"},
		{"kind: gossip-sgd, epoch: 3, sampling: fixed", "sigma: 4", "do not take turns"},
		{"kind: gossip-sgd, sampling: cyclic", "sigma: 4", "algorithm.epoch"},
		{gd + ", epoch: 3", "sigma: 4", "gossip-gd uses all"},
		{gd + ", memory: root", "sigma: 4", "not known"}, {gd + ", memory: banded:1", "sigma: 4", "whole number"},
		{gd + ", memory: 'toeplitz:2,1'", "sigma: 4", "first coefficient"}, {gd + ", memory: 'toeplitz:1,x'", "sigma: 4", "no number"},
		{gd + ", memory: 'toeplitz:1,9'", "sigma: 4", "afresh"},
	} {
		s, err := inTime(c[0], c[1])
		if err == nil {
			_, err = Prepare(t.Context(), s, nil)
		}
		if err == nil || !strings.Contains(err.Error(), c[2]) || fault.Hint(err) == "" {
			t.Errorf("%s with %s: %v (hint: %s)", c[0], c[1], err, fault.Hint(err))
		}
	}
	if s, err := inTime(gd+", step_size: {base: 0.5, power: 0.5}"+memory, "sigma: 4"); err == nil || !strings.Contains(err.Error(), "step_size") {
		t.Errorf("falling steps: %+v, %v", s, err)
	}
}

// A row is charged for the batches that it is in, by every accountant that knows of it; a memory of the noise changes no number, and
// a participant's data are in all batches.
func TestNoiseInTimeCostsWhatIndependentNoiseDoes(t *testing.T) {
	testdata.Sequential(t)
	worst := func(algorithm, keys string) (losses map[string]float64) {
		s, err := inTime(algorithm, keys)
		if err != nil {
			t.Fatal(err)
		}
		losses = map[string]float64{}
		for _, a := range prepare(t, s).Accounting.Accounts {
			losses[a.Accountant] = float64(a.Max)
			if slices.ContainsFunc(a.Assumptions, func(one string) bool { return strings.HasPrefix(one, privacy.MemoryAssumption) }) != strings.Contains(algorithm, "memory") {
				t.Errorf("%s, accountant %s: %q", algorithm, a.Accountant, a.Assumptions)
			}
		}
		return losses
	}
	for _, cancels := range []string{"", ", pairwise: 5"} {
		plain := worst("kind: gossip-sgd, epoch: 3"+cancels, "unit: record, sigma: 4")
		for name, loss := range worst("kind: gossip-sgd, epoch: 3, memory: banded:3"+cancels, "unit: record, sigma: 4") {
			if math.Abs(loss/plain[name]-1) > 1e-9 {
				t.Errorf("%s: %g with a memory, %g without", name, loss, plain[name])
			}
		}
		local, _, err := privacy.LocalLoss(4, 4, privacy.Metric{Delta: 1e-6})
		if err != nil || math.Abs(plain["local"]/local-1) > 1e-9 {
			t.Errorf("a row in 4 of 10 batches: %g, want %g, %v", plain["local"], local, err)
		}
		if len(cancels) > 0 && !(plain["pairwise"] < plain["local"]) {
			t.Errorf("noise that cancels: %v", plain)
		}
		all, _, err := privacy.LocalLoss(10, 4, privacy.Metric{Delta: 1e-6})
		if got := worst("kind: gossip-sgd, epoch: 3, memory: sqrt"+cancels, "sigma: 4")["local"]; err != nil || math.Abs(got/all-1) > 1e-9 {
			t.Errorf("all rows in 10 steps: %g, want %g, %v", got, all, err)
		}
	}
}
