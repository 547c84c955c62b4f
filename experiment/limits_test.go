package experiment

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/step"
)

// limitedSpec is a run of eight nodes by one accountant.
func limitedSpec(algorithm, privacy string) string {
	return `nodes: 8
graph: hypercube:3
data: {source: two-gaussians, features: 3, rows: 20, normalise: unit}
model: {kind: logistic}
algorithm: {step_size: 1, clip: 0.5, ` + algorithm + `}
privacy: {metric: {epsilon_at_delta: 1.0e-6}, ` + privacy + `}
`
}

// A limit on a loss is kept with the largest clip that keeps it, by every accountant and for every unit. Noise and everybody
// else's losses stay as they are, and the resolved spec is the same run again.
func TestLimitsBecomeClips(t *testing.T) {
	testdata.Sequential(t)
	walk, gossip := "kind: walk, steps: 12, contributions: 2", "kind: gossip-gd, steps: 10"
	for _, c := range []struct{ algorithm, privacy string }{
		{walk, "accountant: path, calibrate: {max: 1}"}, {walk, "accountant: path, unit: record, sigma: 6"},
		{walk, "accountant: local, sigma: 6"}, {gossip, "accountant: flow, calibrate: {max: 1}"},
		{gossip + ", pairwise: 10, secrets: complete", "accountant: pairwise, calibrate: {max: 1}"},
		{gossip + ", pairwise: 10", "calibrate: {max: 1}, accountant: sound"},
		{"kind: gossip-sgd, steps: 10, batch: 5, sampling: poisson", "accountant: local, unit: record, sigma: 1"},
	} {
		limited := prepared(t, limitedSpec(c.algorithm, c.privacy+", limits: {3: {eps: 0.4}, 5: {clip: 0.05}, 6: {eps: 50}}"))
		free := prepared(t, limitedSpec(c.algorithm, c.privacy))
		again := prepared(t, string(text(t, limited)))
		own, before := limited.Accounting.Own(), free.Accounting.Own()
		noise := limited.Algorithm.Local().Noise
		if limited.Accounting.Sigma != free.Accounting.Sigma || noise.Std() != free.Algorithm.Local().Noise.Std() {
			t.Errorf("%s: noise is %g, without limits %g", c, noise.Std(), free.Algorithm.Local().Noise.Std())
		}
		worst := make([]float64, 8)
		for u := range worst {
			for v := range worst {
				if u == v {
					continue
				}
				loss := own.At(u, v)
				worst[u] = max(worst[u], loss)
				if u != 3 && u != 5 && math.Abs(loss/before.At(u, v)-1) > 1e-9 {
					t.Errorf("%s: %d towards %d loses %g, without limits of others %g", c, u, v, loss, before.At(u, v))
				}
				if now := again.Accounting.Own().At(u, v); math.Abs(now/loss-1) > 1e-9 {
					t.Errorf("%s: the resolved spec has %d towards %d lose %g, the run %g", c, u, v, now, loss)
				}
			}
		}
		if worst[3] > 0.4 || worst[3] < 0.4*(1-1e-4) || noise.ClipOf(3) >= noise.Clip || noise.ClipOf(5) != 0.05 || noise.ClipOf(6) != noise.Clip {
			t.Errorf("%s: %d loses %g of 0.4, clips %v", c, 3, worst[3], noise.Clips)
		}
		plan, err := limited.Plan()
		if err != nil {
			t.Fatal(err)
		}
		e, err := limited.Explain(3, 0)
		if err != nil {
			t.Fatal(err)
		}
		if own := limited.Accounting.Sigma * noise.Clip / noise.ClipOf(3); math.Abs(e.Why.Sigma/own-1) > 1e-9 || !strings.Contains(fmt.Sprint(e.Text), "taken as given") {
			t.Errorf("%s: explained with a multiplier of %g, its own is %g: %v", c, e.Why.Sigma, own, e.Text)
		}
		for _, l := range plan.Privacy.Limits {
			losses := plan.Privacy.Nodes.Each[l.Node]
			if l.Clip != noise.ClipOf(step.NodeID(l.Node)) || l.Share != l.Clip/0.5 || l.Loses != losses.Loses {
				t.Errorf("%s: stated %+v, node %+v", c, l, losses)
			}
		}
		if notes := strings.Join(plan.Notes, "\n"); !strings.Contains(notes, "node 3 clips at ") || !strings.Contains(notes, "node 6 clips as others do") || float64(plan.Privacy.Max) < 0.4 {
			t.Errorf("%s: worst %v, %s", c, plan.Privacy.Max, notes)
		}
	}
}

// text returns the resolved spec of a run.
func text(t *testing.T, s *Priced) []byte {
	t.Helper()
	text, err := RelativeTo(s.Spec, "").YAML()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Limits that nothing can keep, or that no price knows, are refused with a hint.
func TestLimitsThatAreRefused(t *testing.T) {
	gossip := "kind: gossip-gd, steps: 10"
	for _, c := range []struct{ algorithm, privacy, says string }{
		{gossip, "sigma: 5, limits: {3: {}}", "limits nothing"},
		{gossip, "sigma: 5, limits: {3: {clip: 0.6}}", "above algorithm.clip"},
		{gossip, "sigma: 5, limits: {3: {clip: -1}}", "out of range"},
		{gossip, "sigma: 5, limits: {3: {eps: .nan}}", "out of range"},
		{gossip, "sigma: 5, limits: {8: {eps: 1}}", "no node"},
		{gossip, "sigma: 5, limits: {3: {eps: 1}, node 3: {eps: 2}}", "one node"},
		{gossip, "sigma: 0, limits: {3: {eps: 1}}", "without noise"},
		{gossip, "sigma: 5, accountant: published, limits: {3: {eps: 1}}", "all clip alike"},
		{"kind: proximal-walk, steps: 40, contributions: 6", "sigma: 5, limits: {3: {eps: 1}}", "no clips of their own"},
		{gossip, "sigma: 1.0e-3, accountant: local, limits: {3: {eps: 1.0e-6}}", "a millionth"},
	} {
		s, err := Parse([]byte(limitedSpec(c.algorithm, c.privacy)), "test.yaml")
		if err == nil {
			_, err = Prepare(context.Background(), s, nil)
		}
		if err == nil || !strings.Contains(err.Error(), c.says) || fault.Hint(err) == "" {
			t.Errorf("%s: %v", c.privacy, err)
		}
	}
	// A clip that bends gradients of other models would change the losses of others.
	bent := strings.NewReplacer("kind: logistic", "kind: multinomial", "clip: 0.5", "clip: 2").Replace(limitedSpec(gossip, "accountant: flow, calibrate: {max: 1}, limits: {3: {eps: 0.4}}"))
	s, err := Parse([]byte(bent), "test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = Prepare(context.Background(), s, nil); err == nil || !strings.Contains(err.Error(), "others would lose more") {
		t.Errorf("a clip that binds on a multinomial model: %v", err)
	}
}
