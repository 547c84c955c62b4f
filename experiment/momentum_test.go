package experiment

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// carrying is a small spec with momentum 0.9.
func carrying(algorithm, privacy string) (*spec.Spec, error) {
	return carryingOn("0.9", algorithm, privacy)
}

func carryingOn(momentum, algorithm, privacy string) (*spec.Spec, error) {
	return Parse([]byte("{data: {source: two-gaussians, features: 3, rows: 9}, graph: ring:6, model: {kind: logistic, l2: 0.01}, "+
		"algorithm: {momentum: "+momentum+", "+algorithm+"}, privacy: {"+privacy+", metric: {epsilon_at_delta: 1.0e-6}}}"), "spec")
}

// Momentum is refused by name, with a way out, wherever what is carried on is not charged as public.
func TestMomentumIsRefusedWhereItIsHidden(t *testing.T) {
	testdata.Sequential(t)
	const gd, local = "kind: gossip-gd, steps: 5, step_size: 0.5, clip: 0.3", "sigma: 4, accountant: local"
	for _, c := range [][3]string{
		{gd, "sigma: 4, accountant: flow", "hidden state"},
		{gd, "sigma: 4, accountant: published", "hidden state"},
		{gd + ", radius: 2", local, "projection"},
		{gd + ", wake: edges", local, "nobody has seen"},
		{gd + ", dropout: 0.2", local, "nobody has seen"},
		{"kind: walk, steps: 5, step_size: 0.1, clip: 0.3", "sigma: 4, accountant: local", "of kind walk"},
		{"kind: local, steps: 5, step_size: 0.1, clip: 0.3, contributions: 2", local, "of kind local"},
		{"kind: fixed-point, steps: 5, step_size: 0.1, clip: 0.3", "sigma: 4", "of kind fixed-point"},
		{"kind: central, steps: 5, step_size: 0.1, clip: 0.3", "sigma: 4, accountant: published", "the papers' central baseline"},
	} {
		s, err := carrying(c[0], c[1])
		if err == nil {
			_, err = Prepare(t.Context(), s, nil)
		}
		if err == nil || !strings.Contains(err.Error(), c[2]) || fault.Hint(err) == "" {
			t.Errorf("%s with %s: %v (hint: %s)", c[0], c[1], err, fault.Hint(err))
		}
	}
	for _, wrong := range []string{"1", "-0.5", ".nan"} {
		if s, err := carryingOn(wrong, gd, local); err == nil || !strings.Contains(err.Error(), "momentum") || fault.Hint(err) == "" {
			t.Errorf("a momentum of %s: %+v, %v", wrong, s, err)
		}
	}
}

// A run loses the same with momentum as without, by every accountant that takes it, and a federation is charged as if
// every message were public.
func TestMomentumChangesNoNumber(t *testing.T) {
	testdata.Sequential(t)
	for _, c := range [][2]string{
		{"kind: gossip-gd, steps: 5, step_size: 0.5, clip: 0.3, contributions: 4", "calibrate: {max: 3}, accountant: local"},
		{"kind: gossip-gd, steps: 5, step_size: 0.5, clip: 0.3, gossip_steps: 3, pairwise: 5", "calibrate: {max: 3}, coalition: 2"},
		{"kind: gossip-sgd, steps: 5, step_size: 0.5, clip: 0.3, rate: 0.5, noise: turn", "unit: record, calibrate: {max: 3}, accountant: sound"},
		{"kind: central, steps: 5, step_size: 0.1, clip: 0.3", "calibrate: {max: 3}, accountant: tight"},
	} {
		s, err := carrying(c[0], c[1])
		if err != nil {
			t.Fatal(err)
		}
		with := prepare(t, s)
		s, err = carrying(c[0], c[1])
		if err != nil {
			t.Fatal(err)
		}
		s.Algorithm.Momentum = 0
		without := prepare(t, s)
		if a, b := with.Accounting, without.Accounting; a.Sigma != b.Sigma || a.Accounts[0].Max != b.Accounts[0].Max || a.Accounts[0].Mean != b.Accounts[0].Mean {
			t.Errorf("%s: sigma %v and loss %v, without momentum %v and %v", c[0], a.Sigma, a.Accounts[0].Max, b.Sigma, b.Accounts[0].Max)
		}
	}
	s, err := carrying("kind: gossip-gd, steps: 5, step_size: 0.5, clip: 0.3", "sigma: 4")
	if err != nil || !strings.Contains(s.OnlyLocal(), "hidden state") {
		t.Errorf("a federation with momentum: %q, %v", s.OnlyLocal(), err)
	}
}

// The baseline of a curator takes the steps of the heavy ball: each is the one without momentum from where it stands, and
// 0.9 of the one before.
func TestCentralIsTheHeavyBall(t *testing.T) {
	testdata.Sequential(t)
	s, err := carrying("kind: central, steps: 12, step_size: 0.2, clip: 0.3", "sigma: 2, accountant: tight")
	if err != nil {
		t.Fatal(err)
	}
	s.Graph, s.Nodes, s.Report.Every = "complete:1", 1, 1
	p := prepare(t, s)
	x := [][]float64{p.Algorithm.Local().Begin()}
	if _, err := p.Algorithm.Trial(t.Context(), 7, func(done int, token []float64, _ float64) {
		if done == len(x) {
			x = append(x, slices.Clone(token))
		}
	}); err != nil {
		t.Fatal(err)
	}
	ex, kernel := p.Examples.Examples(0), descent.NewKernel(p.Algorithm.Local(), noise.NewSimulated(7))
	if len(x) != 13 {
		t.Fatal("iterates that were shown:", len(x))
	}
	for k := 1; k+1 < len(x); k++ {
		want := slices.Clone(x[k])
		kernel.Contribute(want, &ex, p.Algorithm.Scales()[0], k, &step.Release{Turn: step.Turn(k)})
		for j := range want {
			if want[j] += 0.9 * (x[k][j] - x[k-1][j]); math.Abs(x[k+1][j]-want[j]) > 1e-12 {
				t.Fatalf("iterate %d is %v, and the heavy ball's %v", k+1, x[k+1], want)
			}
		}
	}
}

// So does the curator that stands beside a run with momentum, and the page says so.
func TestTheCuratorCarriesOn(t *testing.T) {
	testdata.Sequential(t)
	s, err := carrying("kind: gossip-gd, steps: 5, step_size: 0.5, clip: 0.3", "sigma: 4, accountant: local")
	if err != nil {
		t.Fatal(err)
	}
	c, _, _, why := prepare(t, s).curator()
	if why != "" || !strings.Contains(c.carrying(), "0.9") {
		t.Fatal(why, c.carrying())
	}
	c.std = 0
	after := func(steps int) []float64 {
		c.steps = steps
		return c.train(t.Context(), 0.7, 1)
	}
	begin := slices.Clone(c.local.Initial)
	one, two := after(1), after(2)
	c.local.Initial = one
	for j, x := range after(1) {
		if x += 0.9 * (one[j] - begin[j]); math.Abs(two[j]-x) > 1e-12 {
			t.Errorf("two steps lead to %v, and the heavy ball's to %g", two, x)
		}
	}
}
