package weighted_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/family/weighted"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/gamma"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
)

const text = `
name: weighted
data: {source: two-gaussians, rows: 5, features: 3, variance: 2}
graph: ring:4
model: {kind: logistic, l2: 0.1}
algorithm: {kind: weighted-walk, steps: 8, step_size: 0.1, clip: 0.3, contributions: 6, constants: {mechanism: laplace, least: 1, most: 6, epsilon: 1}}
privacy: {sigma: 3, accountant: path}
`

func priced(t *testing.T, replace ...string) (*experiment.Priced, error) {
	t.Helper()
	s, err := experiment.Parse([]byte(strings.NewReplacer(replace...).Replace(text)), "weighted.yaml")
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

// Visits in proportion to what was shown, times what a node then counts, are the same for
// all nodes: what is minimised is the mean of all losses (004, appendix C, given what was
// shown).
func TestAppendixCGradientsAreUnbiasedGivenWhatWasShown(t *testing.T) {
	for _, mechanism := range []string{"laplace", "gamma"} {
		p := open(t, "laplace", mechanism, "epsilon: 1", "scale: 0.7", "step_size: 0.1", "step_size: 0.01", "accountant: path", "accountant: local")
		shares := p.Algorithm.Scoring().Shares
		for v, scale := range p.Algorithm.Scales() {
			if got := shares[v] * scale * float64(len(shares)); math.Abs(got-1) > 1e-9 {
				t.Errorf("%s: node %d is visited %g of the time and counts %g", mechanism, v, shares[v], scale)
			}
		}
	}
}

// One claim is for both releases: with hardly any noise to the walk's credit a pair loses
// what constants cost, and with little of it, no less than what each costs alone.
func TestBothReleasesAreOneClaim(t *testing.T) {
	if testing.Short() {
		t.Skip("pricing takes long under the race detector")
	}
	m := privacy.Metric{Delta: 1e-6}
	quiet := open(t, "sigma: 3", "sigma: 1.0e6")
	constants := m.GaussianView(quiet.Algorithm.(weighted.Algorithm).Besides)
	if constants > 1 || constants < 0.97 {
		t.Errorf("constants cost %g, allowed 1", constants)
	}
	noisy := open(t)
	for _, a := range quiet.Accounting.Accounts {
		if want := map[string]report.Status{"path": report.SoundIf, "local": report.Sound}[a.Accountant]; a.Status != want || math.Abs(float64(a.Max)-constants) > 1e-3*constants {
			t.Errorf("%s: %v, constants alone cost %g", a.Accountant, a.Max, constants)
		}
		if !strings.Contains(fmt.Sprint(a.Assumptions), "before the walk every node showed a value") {
			t.Errorf("%s does not say what it charges: %v", a.Accountant, a.Assumptions)
		}
	}
	local := noisy.Accounting.Accounts[1]
	want := m.GaussianView(6.0/9 + noisy.Algorithm.(weighted.Algorithm).Besides)
	if local.Accountant != "local" || math.Abs(float64(local.Max)-want) > 1e-9 || float64(noisy.Accounting.Accounts[0].Max) > want || float64(noisy.Accounting.Accounts[0].Mean) < constants {
		t.Errorf("%v, local want %g", noisy.Accounting.Accounts, want)
	}
	e, err := noisy.Explain(0, 3)
	if err != nil || math.Abs(e.Epsilon-noisy.Accounting.Accounts[0].At(0, 3)) > 1e-6 || math.Abs(e.Why.Local-want) > 1e-9 {
		t.Errorf("%+v, %v", e, err)
	}
}

// What a node shows and the walk whose law follows from it tell more together than the numbers of the law that was drawn: so
// these rest on what was shown being no secret, and are not sound. Two nodes; u shows one of 64 constants by the Laplace
// channel, and the noise is calibrated for each to the same epsilon, which is all that u is told.
func TestConstantAndPathTellMoreTogether(t *testing.T) {
	const least, most, scale, other, turns, delta, eps = 1.0, 64.0, 3296.48, 33.0, 4, 0.00406548, 0.0543274
	channel, err := gamma.Laplace{Least: least, Most: most, Scale: scale}.Channel()
	if err != nil {
		t.Fatal(err)
	}
	shown := func(constant float64) (weights []float64) { // of the 64 values, by the law of the noise between their midpoints
		below := 0.0
		for k := range 64 {
			next, at := 1.0, least+(most-least)*(float64(k)+0.5)/63
			if tail := math.Exp(-math.Abs(at-constant)/scale) / 2; k < 63 && at < constant {
				next = tail
			} else if k < 63 {
				next = 1 - tail
			}
			weights, below = append(weights, next-below), next
		}
		return weights
	}
	highest, lowest, joint := shown(most), shown(least), 0.0
	for k := range 64 {
		r := least + (most-least)*float64(k)/63
		towards, back := min(1, r/other), min(1, other/r)
		w := walkpath.Walk{Walk: schedule.Walk{
			Nodes: 2, W: sparse.FromDense(2, []float64{1 - back, back, towards, 1 - towards}), Start: 1, Turns: turns, Cap: 1,
			Update: model.Adding(1), Sensitivity: 1, Besides: channel.Mu() * channel.Mu(),
		}}
		law, err := w.Law(0, 1)
		if err != nil {
			t.Fatal(err)
		}
		if law.Status != privacy.SoundIf {
			t.Fatalf("the law is %s", law.Status)
		}
		found, err := law.Sigma(eps, privacy.Metric{Delta: delta})
		if err != nil {
			t.Fatal(err)
		}
		loss, rest := eps-math.Log(highest[k]/lowest[k]), 1.0
		for i, p := range law.Weights {
			joint, rest = joint+highest[k]*p*hockeyStick(math.Sqrt(law.Energies[i])/found.Sigma, loss), rest-p
		}
		joint += highest[k] * rest * hockeyStick(0, loss)
	}
	if joint < 1.1*delta {
		t.Errorf("together they tell epsilon %v at delta %v, and %v is stated: the status may be sound then", eps, joint, delta)
	}
}

// hockeyStick is the delta at any eps of N(0,1) and N(mu,1).
func hockeyStick(mu, eps float64) float64 {
	if mu == 0 {
		return max(0, -math.Expm1(eps))
	}
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	return max(0, phi(mu/2-eps/mu)-math.Exp(eps)*phi(-mu/2-eps/mu))
}

// A calibrated loss holds both; a target that constants alone exceed is refused.
func TestCalibratedWithConstants(t *testing.T) {
	if testing.Short() {
		t.Skip("pricing takes long under the race detector")
	}
	p := open(t, "sigma: 3", "calibrate: {max: 4}")
	if most := float64(p.Accounting.Accounts[0].Max); most > 4 || most < 3.99 {
		t.Errorf("%g", most)
	}
	_, err := priced(t, "sigma: 3", "calibrate: {max: 0.9}")
	if err == nil || !strings.Contains(err.Error(), "constants") || fault.Hint(err) == "" {
		t.Error(err)
	}
}

// On a ring whose nodes are all alike, walks that are weighted by noise are not: every
// pair has a law of its own.
func TestWeightedWalksHaveNoSymmetry(t *testing.T) {
	if testing.Short() {
		t.Skip("pricing takes long under the race detector")
	}
	p := open(t)
	path := p.Accounting.Accounts[0]
	if path.Accountant != "path" || path.At(0, 1) == path.At(1, 2) && path.At(1, 2) == path.At(2, 3) {
		t.Errorf("pairs of neighbours lose %v, %v, %v", path.At(0, 1), path.At(1, 2), path.At(2, 3))
	}
	laws, err := p.Algorithm.Towards(t.Context(), 0)
	if err != nil || laws[1] == laws[3] {
		t.Error("two neighbours share a law", err)
	}
}

// What no loss bounds, and what makes no sense, is refused with a hint.
func TestConstantsAreRefused(t *testing.T) {
	for _, c := range [][2]string{
		{"mechanism: laplace, least: 1, most: 6, epsilon: 1", "mechanism: none"},
		{"epsilon: 1", "epsilon: 1, scale: 2"}, {", epsilon: 1", ""}, {"least: 1", "least: 7"}, {"laplace", "cauchy"},
		{", most: 6", ""}, {"step_size: 0.1", "step_size: theory"}, {"contributions: 6", "contributions: 6, weigh_rows: 9"},
		{"mechanism: laplace, least: 1, most: 6, epsilon: 1", "mechanism: gamma, least: 1, most: 6, epsilon: 0.2"},
		{"step_size: 0.1", "step_size: 30"}, {"least: 1", "least: -1"},
	} {
		if _, err := priced(t, c[0], c[1]); err == nil || fault.Hint(err) == "" {
			t.Errorf("%s: %v", c[1], err)
		}
	}
	open(t, "mechanism: laplace, least: 1, most: 6, epsilon: 1", "mechanism: none", "sigma: 3", "sigma: 0")
}

// A plan compares the two designs of the walk.
func TestDesignComparesWalks(t *testing.T) {
	d := family.NewDesign([]float64{1, 2, 3}, 0.5, 0.25)
	if d.Residual != 2 || d.Curvature != 4 || d.CurvatureUniform != 9 || math.Abs(d.Mixing+1/math.Log(0.75)) > 1e-12 || d.MixingUniform < d.Mixing {
		t.Errorf("%+v", d)
	}
	plan, err := open(t, "accountant: path", "accountant: local").Plan()
	if err != nil || plan.Utility.Design == nil || !strings.Contains(fmt.Sprint(plan.Notes), "004") {
		t.Errorf("%+v, %v", plan.Utility, err)
	}
}

// Whoever keeps the token for more than 5 turns at a stretch is named, and nobody else: the chance to go on is the sum of what
// Metropolis and Hastings take.
func TestEntrapmentIsSaid(t *testing.T) {
	said := 0
	for seed := range 8 {
		p := open(t, "name: weighted", fmt.Sprintf("name: weighted\nseed: %d", seed+1), "most: 6", "most: 600", "epsilon: 1", "scale: 100", "step_size: 0.1", "step_size: 0.001", "accountant: path", "accountant: local")
		shares, longest := p.Algorithm.Scoring().Shares, 0.0
		for v := range 4 {
			leaves := 0.0
			for _, w := range []int{(v + 1) % 4, (v + 3) % 4} {
				leaves += 0.5 * math.Min(1, shares[w]/shares[v])
			}
			longest = math.Max(longest, 1/leaves)
		}
		notes := strings.Join(p.Algorithm.Notes(), " ")
		if strings.Contains(notes, "entrapment") != (longest > 5) || longest > 5 && !strings.Contains(notes, fmt.Sprintf("for %.3g turns", longest)) {
			t.Errorf("seed %d: the longest stay is %g: %s", seed+1, longest, notes)
		}
		if longest > 5 {
			said++
		}
	}
	if said == 0 || said == 8 {
		t.Errorf("%d of 8 are entrapped", said)
	}
}

// One row that bends its node's losses far lowers what all rows of the node count for, which no share of a record covers: records are
// protected only where step sizes fall, and scales follow from what was shown alone.
func TestRecordsNeedScalesWithoutRows(t *testing.T) {
	if _, err := priced(t, "privacy: {", "privacy: {unit: record, ", "accountant: path", "accountant: local"); err == nil || !strings.Contains(err.Error(), "one record moves") {
		t.Errorf("with constant steps: %v", err)
	}
	open(t, "privacy: {", "privacy: {unit: record, ", "accountant: path", "accountant: local", "step_size: 0.1", "step_size: {power: 0.5, base: 0.1}")
}
