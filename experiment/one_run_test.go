package experiment

import (
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
)

const oneRunSpec = `
data: {source: two-gaussians, rows: 2, features: 48, normalise: unit}
nodes: 32
graph: complete:32
model: {kind: logistic}
algorithm: {kind: gossip-gd, steps: 2, step_size: 0.5, clip: 0.3}
privacy: {sigma: 2, accountant: flow}
`

// One run whose noise is an eighth of the claimed noise is found out by everybody together; one whose noise is right raises an alarm
// as rarely as is stated. Averaging and walks are audited alike.
func TestOneRunFindsNoiseThatIsTooSmall(t *testing.T) {
	testdata.Sequential(t)
	const confidence = 0.9
	alarms, audits := 0, 0
	for name, changes := range map[string][]string{
		"gradients": nil,
		"values":    {"kind: gossip-gd, steps: 2, step_size: 0.5, clip: 0.3", "kind: gossip, steps: 3, clip: 1", "logistic", "mean", "flow", "exact", "two-gaussians", "mean", ", normalise: unit", ""},
		"tokens":    {"kind: gossip-gd, steps: 2, step_size: 0.5", "kind: walk, steps: 128, contributions: 4, step_size: 0.5", "flow", "path", "complete:32", "hypercube:5"},
	} {
		s := prepared(t, strings.NewReplacer(changes...).Replace(oneRunSpec))
		for seed := range uint64(3) {
			a, all, err := s.canaries(t.Context(), seed)
			if err != nil {
				t.Fatal(name, err)
			}
			found, err := s.oneRunOf(t.Context(), a, all, confidence)
			if err != nil || found.Status != report.Audit || len(found.Observers) != 33 || found.Canaries != 32 {
				t.Fatalf("%s: %+v, %v", name, found, err)
			}
			if audits++; found.Refuted {
				alarms++
			}
			if seed > 0 {
				continue
			}
			small, err := a.WithNoise(0.125 * s.Accounting.Sigma)
			if err != nil {
				t.Fatal(err)
			}
			if found, err = s.oneRunOf(t.Context(), small, all, confidence); err != nil || !found.Refuted || !found.Observers[32].Refuted {
				t.Errorf("%s: an eighth of the noise passes: %+v, %v", name, found.Observers[32], err)
			}
		}
	}
	if allowed := privacy.BinomialUpper(audits, 1-confidence, 1e-6); alarms > allowed {
		t.Errorf("%d of %d sound runs are refuted, at most %d should be", alarms, audits, allowed)
	}
}

// Runs that do not meet the conditions of the audit are refused with the reason.
func TestOneRunIsRefusedWhereItProvesNothing(t *testing.T) {
	for _, c := range [][]string{
		{"fewer than|prove nothing", "nodes: 32", "nodes: 8", "complete:32", "complete:8"},
		{"no noise", "sigma: 2, accountant: flow", "sigma: 0"},
		{"epsilon at a delta", "sigma: 2", "sigma: 2, metric: {renyi: 2}"},
		{"noise of one message", "clip: 0.3", "clip: 0.3, pairwise: 5", "flow", "pairwise"},
		{"not in a batch", "gossip-gd", "gossip-sgd", "clip: 0.3", "clip: 0.3, rate: 0.5", "sigma: 2, accountant: flow", "sigma: 2, unit: record, accountant: local"},
		{"send each other nothing", "gossip-gd", "central", "flow", "tight", "graph: complete:32\n", ""},
	} {
		s := prepared(t, strings.NewReplacer(c[1:]...).Replace(oneRunSpec))
		_, err := s.OneRun(t.Context(), 0.99)
		ok := false
		for _, words := range strings.Split(c[0], "|") {
			ok = ok || err != nil && strings.Contains(err.Error(), words)
		}
		if !ok {
			t.Errorf("%v: %v", c, err)
		}
	}
	if _, err := prepared(t, oneRunSpec).OneRun(t.Context(), 1); err == nil {
		t.Error("a confidence of 1 is taken")
	}
}
