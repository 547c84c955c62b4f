package fixedpointfamily_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family/fixedpointfamily"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// prepared is a spec of twelve nodes, with changes.
func prepared(t *testing.T, data, m, algorithm, p string) *experiment.Priced {
	t.Helper()
	text := fmt.Sprintf("seed: 3\ndata: {%s}\nnodes: 12\nmodel: {%s}\nalgorithm: {%s}\nprivacy: {%s}\n", data, m, algorithm, p)
	s, err := experiment.Parse([]byte(text), "t.yaml")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	priced, err := experiment.Prepare(t.Context(), s, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return priced
}

const (
	gaussians  = "source: two-gaussians, features: 3, rows: 4, normalise: unit"
	regression = "source: sparse-regression, features: 5, support: 2, rows: 4, normalise: unit"
)

func trial(t *testing.T, p *experiment.Priced, seed uint64) []float64 {
	t.Helper()
	x, err := p.Algorithm.Trial(t.Context(), seed, func(int, []float64, float64) {})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// DP-SGD is the central baseline: the same model to the bit, at the same price.
func TestSGDIsTheCentralBaseline(t *testing.T) {
	for _, common := range []string{
		"steps: 40, step_size: 0.3, clip: 0.3", "steps: 40, step_size: {power: 0.75, base: 0.5}, clip: 0.2, fill: false",
		"steps: 40, step_size: 0.3, clip: 0.3, weigh_rows: 5",
	} {
		m := "kind: logistic, l2: 0.1"
		a := prepared(t, gaussians, m, "kind: fixed-point, "+common, "sigma: 2")
		b := prepared(t, gaussians, m, "kind: central, "+common, "sigma: 2, accountant: tight")
		for seed := range uint64(3) {
			if x, y := trial(t, a, seed), trial(t, b, seed); !slices.Equal(x, y) {
				t.Errorf("%s: %v, by the baseline %v", common, x, y)
			}
		}
		if x, y := a.Accounting.Accounts[0].Mean, b.Accounting.Accounts[0].Mean; x != y {
			t.Errorf("%s: costs %v, by the baseline %v", common, x, y)
		}
	}
}

// What a run releases is what its schedule says, and what is priced.
func TestReleasesEqualTheSchedule(t *testing.T) {
	for _, algorithm := range []string{
		"instance: sgd, draw: 3", "instance: coordinate-descent", "instance: coordinate-descent, blocks: 2, activation: cyclic, draw: 4, lambda: 0.5",
		"instance: coordinate-descent, activation: random, probability: 0.1", "instance: coordinate-descent, activation: all",
	} {
		for _, unit := range []string{"participant", "record"} {
			p := prepared(t, gaussians, "kind: logistic", "kind: fixed-point, steps: 30, step_size: 0.3, clip: 0.3, "+algorithm, "sigma: 2, unit: "+unit)
			a, s := p.Algorithm.(*fixedpointfamily.Algorithm), p.Algorithm.Schedule().(schedule.Curator)
			count := 0
			err := a.Iterate(t.Context(), 1, func(_ int, r step.Release, released bool, _, _ []float64) {
				if !released {
					return
				}
				count++
				most := s.Sensitivity
				if s.Sensitivities != nil {
					most = s.Sensitivities[r.From]
				}
				if want := s.Noise / most; math.Abs(r.Multiplier()-want) > 1e-9*want {
					t.Errorf("%s, %s: released with multiplier %g, scheduled %g", algorithm, unit, r.Multiplier(), want)
				}
			})
			if err != nil || count != s.Steps || count == 0 {
				t.Errorf("%s: %d releases, scheduled %d, %v", algorithm, count, s.Steps, err)
			}
		}
	}
}

// All drawn: Gaussians compose. One record of a mean over four rows: a quarter of it.
func TestPricesOfWholeSums(t *testing.T) {
	algorithm := "kind: fixed-point, instance: coordinate-descent, steps: 30, step_size: 0.3, clip: 0.3"
	for unit, sigma := range map[string]float64{"participant": 2, "record": 2} {
		p := prepared(t, gaussians, "kind: logistic", algorithm, "sigma: 2, unit: "+unit)
		want := privacy.EpsilonGaussian(math.Sqrt(30)/sigma, 1e-6)
		if got := float64(p.Accounting.Accounts[0].Max); math.Abs(got-want) > 1e-6*want {
			t.Errorf("%s: %v, want %v", unit, got, want)
		}
		if unit == "record" && math.Abs(p.Algorithm.Local().Noise.Std()-2*2*0.3/4) > 1e-9 {
			t.Errorf("noise of %v", p.Algorithm.Local().Noise.Std())
		}
	}
}

// Without noise every instance ends at the solution that coordinate descent, which knows
// none of this, finds for LASSO.
func TestEveryInstanceSolvesTheLasso(t *testing.T) {
	testdata.Sequential(t)
	m := "kind: ridge, intercept: false, l2: 0.05, regulariser: {kind: l1, weight: 0.02}"
	for _, algorithm := range []string{
		"instance: proximal-sgd, draw: 12, steps: 2000", "instance: coordinate-descent, steps: 12000",
		"instance: coordinate-descent, activation: cyclic, blocks: 3, steps: 6000", "instance: coordinate-descent, activation: random, probability: 0.4, steps: 6000",
		"instance: proximal-sgd, draw: 12, steps: 4000, lambda: 0.5",
	} {
		p := prepared(t, regression, m, "kind: fixed-point, step_size: 1, clip: 100, fill: false, "+algorithm, "sigma: 0")
		want, off := model.Lasso(p.Train, false, 0.02, 0.05, 1e-12, 100000)
		got := trial(t, p, 1)
		sparse.Axpy(got, -1, want)
		if off > 1e-12 || sparse.Norm(got) > 1e-9 {
			t.Errorf("%s: ends %g from %v", algorithm, sparse.Norm(got), want)
		}
	}
}

// The utility that plan states bounds what runs attain: the mean over 40 of them, at five
// standard errors of what varies (false alarm below 1e-6, and the bound is loose besides).
// The distance from the fixed point falls by the contraction that it states, too.
func TestUtilityBoundsWhatRunsAttain(t *testing.T) {
	testdata.Sequential(t)
	for _, algorithm := range []string{
		"instance: sgd, draw: 12", "instance: sgd, draw: 3", "instance: sgd, draw: 12, lambda: 0.4", "instance: coordinate-descent, activation: random, probability: 0.5",
		"instance: coordinate-descent",
	} {
		common := "kind: fixed-point, step_size: 0.9, clip: 1.5, fill: false, "
		p := prepared(t, gaussians, "kind: logistic, l2: 0.3", common+"steps: 60, "+algorithm, "sigma: 1")
		bare := prepared(t, gaussians, "kind: logistic, l2: 0.3", common+"instance: sgd, draw: 12, steps: 4000", "sigma: 0")
		best := trial(t, bare, 1)
		mean, squares := 0.0, 0.0
		for seed := range uint64(40) {
			x := trial(t, p, seed)
			sparse.Axpy(x, -1, best)
			d := sparse.Dot(x, x)
			mean, squares = mean+d/40, squares+d*d/40
		}
		u := p.Algorithm.Utility()
		if u.Distance2 == nil {
			t.Fatalf("%s: %s", algorithm, u.Why)
		}
		if slack := 5 * math.Sqrt(max(0, squares-mean*mean)/40); mean-slack > *u.Distance2 {
			t.Errorf("%s: E|x-x*|^2 is %g, promised %g", algorithm, mean, *u.Distance2)
		}
		if !strings.Contains(u.Why, "as printed") {
			t.Errorf("%s", u.Why)
		}
	}
}

// The same of ADMM in rounds.
func TestUtilityBoundsWhatADMMAttains(t *testing.T) {
	testdata.Sequential(t)
	for _, algorithm := range []string{"kind: admm-central, steps: 30", "kind: admm-federated, sampled: 4, steps: 60, contributions: 60"} {
		common := ", gamma: 1.5, clip: 1.5, fill: false, "
		p := prepared(t, gaussians, "kind: logistic, l2: 0.3", algorithm+common, "sigma: 1, accountant: local")
		best := trial(t, prepared(t, gaussians, "kind: logistic, l2: 0.3", "kind: admm-central, steps: 2000"+common, "sigma: 0"), 1)
		mean, squares := 0.0, 0.0
		for seed := range uint64(40) {
			x := trial(t, p, seed)
			sparse.Axpy(x, -1, best)
			d := sparse.Dot(x, x)
			mean, squares = mean+d/40, squares+d*d/40
		}
		u := p.Algorithm.Utility()
		if u.Distance2 == nil {
			t.Fatalf("%s: %s", algorithm, u.Why)
		}
		if slack := 5 * math.Sqrt(max(0, squares-mean*mean)/40); mean-slack > *u.Distance2 || *u.Distance2 > 1e3*mean {
			t.Errorf("%s: E|x-x*|^2 is %g, promised %g", algorithm, mean, *u.Distance2)
		}
	}
}

// The contraction that is measured on the way to the fixed point is at most tau, as stated.
func TestMeasuredContraction(t *testing.T) {
	const size, l2, beta = 0.9, 0.3, 0.25*2 + 0.3 // rows of norm 1 with an intercept
	common := "kind: fixed-point, step_size: 0.9, clip: 1.5, fill: false, draw: 12, "
	far := prepared(t, gaussians, "kind: logistic, l2: 0.3", common+"steps: 3000", "sigma: 0")
	best, tau := trial(t, far, 1), max(1-size*l2, math.Abs(1-size*beta))
	near := prepared(t, gaussians, "kind: logistic, l2: 0.3", common+"steps: 40", "sigma: 0")
	before := sparse.Norm(best)
	slowest := 0.0
	_, err := near.Algorithm.Trial(t.Context(), 1, func(_ int, x []float64, _ float64) {
		d := slices.Clone(x)
		sparse.Axpy(d, -1, best)
		now := sparse.Norm(d)
		slowest, before = max(slowest, now/before), now
	})
	if err != nil || slowest > tau+1e-6 || slowest < tau/2 {
		t.Errorf("contracts by %g, stated %g, %v", slowest, tau, err)
	}
}

// What the kind cannot have is refused with a hint.
func TestRefusals(t *testing.T) {
	for change, want := range map[string]string{
		"kind: fixed-point, instance: sgdd":                              "algorithm.instance",
		"kind: fixed-point, instance: proximal-sgd":                      "no regulariser",
		"kind: fixed-point, draw: 13":                                    "13 of 12",
		"kind: fixed-point, instance: coordinate-descent, blocks: 99":    "99, but the model has 4 parameters",
		"kind: fixed-point, lambda: 1.5":                                 "algorithm.lambda",
		"kind: fixed-point, lambda: 0":                                   "algorithm.lambda",
		"kind: fixed-point, probability: 0.5":                            "has none",
		"kind: fixed-point, activation: random":                          "algorithm.probability",
		"kind: fixed-point, activation: random, probability: 1.0e-9":     "activates no block",
		"kind: fixed-point, contributions: 4":                            "algorithm.contributions",
		"kind: fixed-point, burn_in: 4":                                  "algorithm.burn_in",
		"kind: fixed-point, radius: 4":                                   "algorithm.radius",
		"kind: fixed-point, start: 4":                                    "algorithm.start",
		"kind: fixed-point, tokens: 2":                                   "algorithm.tokens",
		"kind: walk, lambda: 0.5, contributions: 9":                      "walk takes no",
		"kind: fixed-point, step_size: theory":                           "algorithm.step_size",
		"kind: fixed-point, instance: coordinate-descent, draw: 1.5":     "whole number",
		"kind: fixed-point, instance: coordinate-descent, accountant: 3": "accountant",
	} {
		text := fmt.Sprintf("data: {%s}\nnodes: 12\nalgorithm: {step_size: 0.1, steps: 30, clip: 1, %s}\nprivacy: {sigma: 1}\n", gaussians, change)
		if strings.Contains(change, "step_size") {
			text = strings.Replace(text, "step_size: 0.1, ", "", 1)
		}
		s, err := experiment.Parse([]byte(text), "t.yaml")
		if err == nil {
			_, err = experiment.Prepare(context.Background(), s, nil)
		}
		if err == nil || !strings.Contains(err.Error(), want) || fault.Hint(err) == "" {
			t.Errorf("%s: %v (%s)", change, err, fault.Hint(err))
		}
	}
}
