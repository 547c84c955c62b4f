package admmwalk_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/family/admmwalk"
	"github.com/hearsay-dp/hearsay/privacy/admmview"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/step"
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
		"clip: 0.3, route: unknown":                     "algorithm.route",
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
	p := open(t, "sigma: 3", "sigma: 3, sender: hidden, metric: {renyi: 2}, accountant: local", "clip: 0.3", "clip: 0.3, route: secret")
	if n := len(p.Accounting.Accounts); n != 2 {
		t.Fatalf("%d accounts", n)
	}
	own := p.Algorithm.Local()
	want, _, err := admmview.Consensus{Lipschitz: own.Noise.Clip, Gamma: 1}.WithMultiplier(3).Decentralised(12, 6, 2)
	for _, a := range p.Accounting.Accounts {
		if a.Accountant == "published" && (a.Status != report.Published || err != nil || math.Abs(float64(a.Mean)-want) > 1e-12) {
			t.Errorf("%+v, want %g (%v)", a.Accounted, want, err)
		}
	}
	eps := open(t, "sigma: 3", "sigma: 3, sender: hidden, accountant: published", "clip: 0.3", "clip: 0.3, route: secret").Accounting.Accounts[0]
	if eps.Status != report.Published || !(float64(eps.Mean) > 0) {
		t.Errorf("%+v", eps.Accounted)
	}
	if open(t).Accounting.Accounts[0].Status != report.Sound {
		t.Error("the default is no bound")
	}
}

// What gamma and lambda are changes locally neither losses nor calibrated noise; the noise of a
// turn they scale.
func TestGammaScalesNoise(t *testing.T) {
	const local = "calibrate: {max: 2}, accountant: local"
	one, two := open(t, "clip: 0.3", "clip: 0.3, gamma: 1", "sigma: 3", local), open(t, "clip: 0.3", "clip: 0.3, gamma: 2", "sigma: 3", local)
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

// An explanation of a pair says what everybody is told of it: the plan's loss, or the local one,
// and what would lower it does.
func TestExplanation(t *testing.T) {
	for accountant, charged := range map[string]bool{"path": false, "local": true} {
		p := open(t, "sigma: 3", "sigma: 3, release: final, accountant: "+accountant)
		e, err := p.Algorithm.Explain(0, 3, p.Accounting)
		if err != nil || e.Accountant != accountant || math.Abs(e.Epsilon-p.Accounting.Accounts[0].At(0, 3)) > 1e-9 || (e.Why.Charged != "") != charged {
			t.Errorf("%s: %+v, %v", accountant, e, err)
		}
		for _, r := range e.Remedies {
			if r.Epsilon > e.Epsilon || r.Sigma > 0 && r.Epsilon >= e.Epsilon {
				t.Errorf("%s: %+v makes of %g", accountant, r, e.Epsilon)
			}
		}
	}
}

// What the plan finds is below the local loss and does not depend on the number of cores or on what
// else was asked; further from the observer in time it is less.
func TestPathIsBelowLocal(t *testing.T) {
	for _, unit := range []string{"participant", "record"} {
		p := open(t, "complete:6", "hypercube:4", "steps: 60", "steps: 96", "sigma: 3", "sigma: 3, unit: "+unit)
		var path, local family.Account
		for _, a := range p.Accounting.Accounts {
			switch a.Accountant {
			case "path":
				path = a
			case "local":
				local = a
			}
		}
		if path.Status != report.Sound || local.Status != report.Sound || !(float64(path.Mean) < 0.9*float64(local.Mean)) || path.Max > local.Max {
			t.Fatalf("%s: path %+v, local %+v", unit, path.Accounted, local.Accounted)
		}
		laws, err := p.Algorithm.Towards(t.Context(), 5)
		if err != nil || laws[5] != nil {
			t.Fatal(err)
		}
		alone := 0.0
		for _, law := range laws {
			if law != nil {
				alone = max(alone, law.Epsilon(1e-6, 3))
			}
		}
		for size, count := range map[int]int{1: 15, 2: 0, 15: 1} { // of two there are too many
			pools, err := p.Algorithm.Together(t.Context(), 5, size, laws)
			if err != nil || len(pools) != count {
				t.Fatalf("%d coalitions of %d (%v)", len(pools), size, err)
			}
			worst := 0.0
			for _, c := range pools {
				worst = max(worst, c.Epsilon(1e-6, 3))
			}
			if size == 1 && math.Abs(worst-alone) > 1e-9 || size == 15 && !(worst >= alone && worst <= float64(local.Max)*(1+1e-9)) {
				t.Errorf("%s: %d of the others learn %g, each at most %g", unit, size, worst, alone)
			}
		}
		for v, law := range laws {
			if law != nil && math.Abs(law.Epsilon(1e-6, 3)-path.At(5, v)) > 1e-6*path.At(5, v) {
				t.Errorf("%s: a participant is told %g of %d, the plan says %g", unit, law.Epsilon(1e-6, 3), v, path.At(5, v))
			}
		}
	}
}

// Whatever gamma and the smoothness are, there is a plan.
func TestExtremesArePriced(t *testing.T) {
	for _, change := range []string{"gamma: 1.0e9", "gamma: 1.0e-300", "lambda: 1.0e-9", "lambda: 1", "tolerance: 0.1", "skip: 0.999"} {
		p := open(t, "clip: 0.3", "clip: 0.3, "+change, "features: 3, normalise: unit", "features: 3, normalise: unit", "steps: 60", "steps: 12")
		if a := p.Accounting.Accounts[0]; a.Accountant != "path" || !(float64(a.Max) >= 0) || math.IsInf(float64(a.Max), 1) {
			t.Errorf("%s: %+v", change, a.Accounted)
		}
	}
	far := open(t, "clip: 0.3", "clip: 0.3, gamma: 1.0e9", "source: two-gaussians, rows: 3", "source: two-gaussians, centre: 1.0e3, rows: 3", ", normalise: unit", "")
	if a := far.Accounting.Accounts[0]; !(float64(a.Max) > 0) {
		t.Errorf("%+v", a.Accounted)
	}
}

// The route that is priced is the route that is run, in every trial.
func TestThePublicRouteIsRun(t *testing.T) {
	p := open(t, "clip: 0.3", "clip: 0.3, skip: 0.3, burn_in: 4", "contributions: 12", "contributions: 5")
	a := p.Algorithm.(admmwalk.Algorithm)
	want := a.Route()
	for seed := range uint64(3) {
		w := a.Simulation(seed)
		var got []step.Release
		if _, err := w.Bulk(t.Context(), func(r step.Release, _ []float64) { got = append(got, r) }); err != nil || !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, want %v (%v)", seed, got, want, err)
		}
	}
}
