package experiment

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
)

// What a curator releases moves by at most two clips over the number of units where one unit is replaced by any other, its noise is that of its
// multiplier, and so many steps lose no more than the run's worst pair: the Gaussian law, worked out here.
func TestTheCuratorIsPaidTheSameLoss(t *testing.T) {
	testdata.Sequential(t)
	for _, unit := range []string{"participant", "record", "participant, clipped as a mean"} {
		unit, each, mean := unit, "row", false
		if unit, _, mean = strings.Cut(unit, ","); mean {
			each = "mean"
		}
		s, err := Parse([]byte("{data: {source: two-gaussians, features: 3, rows: 9}, graph: ring:6, model: {kind: logistic}, "+
			"algorithm: {kind: gossip-gd, steps: 5, step_size: 0.5, clip: 0.3, clip_each: "+each+"}, privacy: {unit: "+unit+", sigma: 4, accountant: local, metric: {epsilon_at_delta: 1.0e-6}}}"), "spec")
		if err != nil {
			t.Fatal(err)
		}
		p, err := Prepare(t.Context(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, target, sigma, why := p.curator()
		if why != "" || target != float64(p.Accounting.Accounts[0].Max) {
			t.Fatal(why, target)
		}
		if c.local.Noise.Together != mean || (c.clipping() != "") != mean {
			t.Errorf("the curator clips means: %v (%q), and the run %v", c.local.Noise.Together, c.clipping(), mean)
		}
		if loss := privacy.EpsilonGaussian(math.Sqrt(float64(c.steps))/sigma, 1e-6); !(loss <= target) || loss < 0.99*target {
			t.Errorf("%s: %d steps lose %g, the run %g", unit, c.steps, loss, target)
		}
		const clip, rate = 0.3, 0.7
		if want := sigma * 2 * clip / c.shown; math.Abs(c.std-want) > 1e-12 {
			t.Errorf("%s: noise of %g instead of %g", unit, c.std, want)
		}
		c.std, c.steps = 0, 1
		before := c.train(context.Background(), rate, 1)
		if unit == "participant" {
			c.units[2] = opposed(c.units[2], 0, c.units[2].Len())
		} else {
			c.units[0] = opposed(c.units[0], 5, 6)
		}
		moved := 0.0
		for j, x := range c.train(context.Background(), rate, 1) {
			moved += (x - before[j]) * (x - before[j])
		}
		if most := rate * 2 * clip / c.shown; !(math.Sqrt(moved) <= most*(1+1e-9)) || math.Sqrt(moved) < 0.5*most {
			t.Errorf("%s: moved by %g, by %g at most", unit, math.Sqrt(moved), most)
		}
	}
}

// opposed are rows of which some are replaced by far ones of the other label.
func opposed(ex model.Examples, from, to int) model.Examples {
	other := model.Examples{Features: ex.Features, X: append([]float64{}, ex.X...), Y: append([]float64{}, ex.Y...)}
	for i := from; i < to; i++ {
		for j := range ex.Features {
			other.X[i*ex.Features+j] *= -50
		}
	}
	return other
}

// A curator with the run's own loss ends below a run that has more noise, and stands in its result with the reason where there is none.
func TestTheCuratorStandsBesideTheRun(t *testing.T) {
	testdata.Sequential(t)
	for kind, want := range map[string]bool{"gossip-gd, steps: 5": true, "central, steps: 20": true, "gossip, steps: 2": false} {
		m := map[bool]string{true: "logistic", false: "mean"}[want]
		s, err := Parse([]byte("{data: {source: two-gaussians, features: 3, rows: 9}, graph: ring:6, model: {kind: "+m+"}, "+
			"algorithm: {kind: "+kind+map[bool]string{true: ", step_size: 0.5, clip: 0.3", false: ", clip: 1"}[want]+"}, privacy: {sigma: 9, accountant: sound, metric: {epsilon_at_delta: 1.0e-6}}}"), "spec")
		if err != nil {
			t.Fatal(kind, err)
		}
		p, err := Prepare(t.Context(), s, nil)
		if err != nil {
			t.Fatal(kind, err)
		}
		bundle, err := p.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(kind, err)
		}
		b, err := p.Compare(t.Context(), bundle.Result, func(string) {}, nil)
		if err != nil || (b.Curator != nil) != want || len(b.Notes) == 0 {
			t.Errorf("%s: %+v, %v", kind, b, err)
		}
	}
}
