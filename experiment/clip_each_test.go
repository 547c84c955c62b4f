package experiment

import (
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/spec"
)

func clippingMeans(algorithm, privacy string) (*spec.Spec, error) {
	return Parse([]byte("{data: {source: two-gaussians, features: 3, rows: 9}, graph: ring:6, model: {kind: logistic, l2: 0.01}, "+
		"algorithm: {"+algorithm+"}, privacy: {"+privacy+", metric: {epsilon_at_delta: 1.0e-6}}}"), "spec")
}

// Clipped means are refused by name, with a way out, wherever more is asked of a step than its sensitivity to all of a
// participant's data.
func TestClippedMeansAreRefusedWhereRowsCount(t *testing.T) {
	testdata.Sequential(t)
	const gd, local = "kind: gossip-gd, steps: 5, step_size: 0.5, clip: 0.3, clip_each: mean", "sigma: 4, accountant: local"
	for _, c := range [][3]string{
		{gd, "unit: record, " + local, "one record can turn"},
		{gd, "sigma: 4, accountant: flow", "along clipped means"},
		{gd, "sigma: 4, accountant: published", "one by one"},
		{strings.Replace(gd, "0.5", "theory", 1), local, "theory"},
		{strings.Replace(gd, "mean", "node", 1), local, "\"node\" is not known"},
		{strings.Replace(gd, "gossip-gd", "walk", 1), "sigma: 4, accountant: path", "of kind walk"},
		{strings.Replace(gd, "gossip-gd", "local", 1) + ", contributions: 2", local, "of kind local"},
		{strings.Replace(gd, "gossip-gd", "fixed-point", 1), "sigma: 4", "of kind fixed-point"},
		{"kind: admm-walk, steps: 9, gamma: 1, clip: 0.3, clip_each: mean, contributions: 3", local, "of kind admm-walk"},
		{strings.Replace(gd, "gossip-gd", "central", 1), "sigma: 4, accountant: published", "central baseline clips rows"},
	} {
		s, err := clippingMeans(c[0], c[1])
		if err == nil {
			_, err = Prepare(t.Context(), s, nil)
		}
		if err == nil || !strings.Contains(err.Error(), c[2]) || fault.Hint(err) == "" {
			t.Errorf("%s with %s: %v (hint: %s)", c[0], c[1], err, fault.Hint(err))
		}
	}
	s, err := clippingMeans(gd, "sigma: 4")
	if err != nil || !strings.Contains(s.OnlyLocal(), "clipped means") {
		t.Errorf("a federation of clipped means: %q, %v", s.OnlyLocal(), err)
	}
}

// A run of clipped means loses what one of clipped rows does, by every accountant that takes it, and says nothing of an
// objective: no function's gradients are descended.
func TestClippedMeansChangeNoNumber(t *testing.T) {
	testdata.Sequential(t)
	for _, c := range [][2]string{
		{"kind: gossip-gd, steps: 5, step_size: 0.5, clip: 0.3, fill: false", "calibrate: {max: 3}, accountant: local"},
		{"kind: gossip-gd, steps: 5, step_size: 0.5, clip: 0.3, gossip_steps: 3, pairwise: 5, fill: false", "calibrate: {max: 3}, coalition: 2, accountant: pairwise"},
		{"kind: gossip-sgd, batch: 4, steps: 5, step_size: 0.5, clip: 0.3, noise: turn, fill: false", "calibrate: {max: 3}, accountant: sound"},
		{"kind: central, steps: 5, step_size: 0.1, clip: 0.3, fill: false", "calibrate: {max: 3}, accountant: tight"},
	} {
		var sigma, loss []float64
		for _, each := range []string{"mean", "row"} {
			s, err := clippingMeans(c[0]+", clip_each: "+each, c[1])
			if err != nil {
				t.Fatal(err)
			}
			p := prepare(t, s)
			if local := p.Algorithm.Local(); local.Noise.Together != (each == "mean") || local.Noise.Sensitivity() != 0.6 {
				t.Errorf("%s: clips means: %v, sensitivity %g", c[0], local.Noise.Together, local.Noise.Sensitivity())
			}
			if hasNone := newScorer(p.Algorithm).weights == nil; each == "mean" && !hasNone {
				t.Errorf("%s: an objective of clipped means", c[0])
			}
			sigma, loss = append(sigma, p.Accounting.Sigma), append(loss, float64(p.Accounting.Accounts[0].Max))
		}
		if strings.Contains(c[1], "sound") { // rows have the flow accountant besides
			continue
		}
		if sigma[0] != sigma[1] || loss[0] != loss[1] {
			t.Errorf("%s: sigma %v, losses %v", c[0], sigma, loss)
		}
	}
}

// The example of users names data that tests do not have: all of it but that is read, and says what it claims to.
func TestTheExampleOfUsersProtectsUsers(t *testing.T) {
	s, err := Load("../examples/images/users.yaml", "data.path=.")
	if err != nil {
		t.Fatal(err)
	}
	if s.Records() || !s.Algorithm.ClipsMeans() || s.Privacy.Accountant != "pairwise" || s.Privacy.Calibrate.Max != 5 || s.Privacy.Metric.Delta != 1e-5 || len(s.Data.Features.Steps) != 2 {
		t.Errorf("%+v", s)
	}
}
