package admmwalk_test

import (
	"math"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/privacy/admm"
	"github.com/hearsay-dp/hearsay/report"
)

const text = `
name: admm
data: {source: two-gaussians, rows: 3, features: 3, normalise: unit}
graph: complete:6
model: {kind: logistic, l2: 0.1, regulariser: {kind: l1, weight: 0.01}}
algorithm: {kind: admm-walk, steps: 60, clip: 0.3, contributions: 12}
privacy: {sigma: 3}
`

func priced(t *testing.T, replace ...string) (*experiment.Priced, error) {
	t.Helper()
	s, err := experiment.Parse([]byte(strings.NewReplacer(replace...).Replace(text)), "admm.yaml")
	if err != nil {
		return nil, err
	}
	return experiment.Prepare(t.Context(), s, nil)
}

func open(t *testing.T, replace ...string) *experiment.Priced {
	t.Helper()
	p, err := priced(t, replace...)
	if err != nil {
		t.Fatalf("%v (%s)", err, fault.Hint(err))
	}
	return p
}

// Each of these says what is wrong, where, and what to do.
func TestRefusals(t *testing.T) {
	for change, want := range map[string]string{
		"steps: 60, step_size: 0.1":                     "algorithm.step_size",
		"clip: 0.3, radius: 1":                          "algorithm.radius",
		"clip: 0.3, tokens: 2":                          "algorithm.tokens",
		"clip: 0.3, gamma: -1":                          "algorithm.gamma",
		"clip: 0.3, lambda: 1.1":                        "algorithm.lambda",
		"clip: 0.3, skip: 1":                            "algorithm.skip",
		"clip: 0.3, combine: apart":                     "combine",
		"sigma: 3, unit: record, accountant: published": "published",
		"sigma: 3, accountant: published":               "privacy.sender",
		"kind: mlp":                                     "model.kind",
	} {
		key, _, _ := strings.Cut(change, ":")
		old := map[string]string{"steps": "steps: 60", "clip": "clip: 0.3", "sigma": "sigma: 3", "kind": "kind: logistic"}[key]
		_, err := priced(t, old, change)
		if err == nil || !strings.Contains(err.Error(), want) || fault.Hint(err) == "" {
			t.Errorf("%s: %v (%s)", change, err, fault.Hint(err))
		}
	}
	_, err := priced(t, "sigma: 3", "sigma: 3, unit: record", "clip: 0.3", "clip: 0.3, tolerance: 0.001")
	if err == nil || !strings.Contains(err.Error(), "algorithm.tolerance") {
		t.Errorf("a tolerance that a record's clip does not cover: %v", err)
	}
	if _, err := priced(t, "contributions: 12", "contributions: 0"); err == nil || !strings.Contains(err.Error(), "algorithm.contributions") {
		t.Errorf("no cap: %v", err)
	}
}

// Theorem 8.12 stands beside the local loss where its words are kept, at an order as
// printed, and is nobody's bound.
func TestTheorem812StandsBeside(t *testing.T) {
	p := open(t, "sigma: 3", "sigma: 3, sender: hidden, metric: {renyi: 2}")
	if n := len(p.Accounting.Accounts); n != 2 {
		t.Fatalf("%d accounts", n)
	}
	own := p.Algorithm.Local()
	want, _, err := admm.Consensus{Lipschitz: own.Noise.Clip, Gamma: 1}.WithMultiplier(3).Decentralised(12, 6, 2)
	for _, a := range p.Accounting.Accounts {
		if a.Accountant == "published" && (a.Status != report.Published || err != nil || math.Abs(float64(a.Mean)-want) > 1e-12) {
			t.Errorf("%+v, want %g (%v)", a.Accounted, want, err)
		}
	}
	eps := open(t, "sigma: 3", "sigma: 3, sender: hidden, accountant: published").Accounting.Accounts[0]
	if eps.Status != report.Published || !(float64(eps.Mean) > 0) {
		t.Errorf("%+v", eps.Accounted)
	}
	if open(t).Accounting.Accounts[0].Status != report.Sound {
		t.Error("the default is no bound")
	}
}

// What gamma and lambda are changes neither losses nor calibrated noise; the noise of a
// turn they scale.
func TestGammaScalesNoise(t *testing.T) {
	one, two := open(t, "clip: 0.3", "clip: 0.3, gamma: 1", "sigma: 3", "calibrate: {max: 2}"), open(t, "clip: 0.3", "clip: 0.3, gamma: 2", "sigma: 3", "calibrate: {max: 2}")
	if one.Accounting.Sigma != two.Accounting.Sigma {
		t.Errorf("noise multipliers %g and %g", one.Accounting.Sigma, two.Accounting.Sigma)
	}
	ratio := two.Algorithm.Utility().NoisePerHop / one.Algorithm.Utility().NoisePerHop // the penalty is taken out of gamma, and noise is counted in gradients
	if a, b := one.Algorithm.Local().StepSize.Base, two.Algorithm.Local().StepSize.Base; math.Abs(b/a-2.2/1.2) > 1e-12 || ratio != 1 {
		t.Errorf("steps %g and %g, noise norms %g times", a, b, ratio)
	}
}

// The resolved spec says what was filled in, and runs to the same numbers.
func TestResolvedSpec(t *testing.T) {
	p := open(t)
	again, err := experiment.Prepare(t.Context(), p.Algorithm.Of().Spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := p.Algorithm.Local().StepSize.Base, again.Algorithm.Local().StepSize.Base; a != b || a == 0 {
		t.Errorf("steps %g and %g", a, b)
	}
}

// With all rows of a node replaced nothing is explained away: an explanation of a pair is
// the local loss.
func TestExplanation(t *testing.T) {
	p := open(t)
	e, err := p.Algorithm.Explain(0, 3, p.Accounting)
	if err != nil || e.Epsilon <= 0 || math.Abs(e.Epsilon-e.Why.Local) > 1e-9 || e.Why.Charged == "" {
		t.Errorf("%+v, %v", e, err)
	}
}
