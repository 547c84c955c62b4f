package experiment

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// What an observer works out of the messages of averaging is below the exact loss,
// which is below the local one; towards a neighbour, and where it reconstructs, it
// comes near. Bounds are at confidence 0.999 with fixed seeds; another seed would
// break one of these in about 250.
func TestAuditOfAveragingIsBelowExact(t *testing.T) {
	testdata.Sequential(t)
	for _, c := range []struct {
		graph, keys            string
		steps, about, observer int
		share                  float64 // of the exact loss that is seen at least
	}{
		{"ring:6", "", 5, 0, 1, 0.3}, {"hypercube:3", ", acceleration: none", 2, 0, 7, 0}, {"hypercube:3", "", 2, 0, 3, 0.3},
		{"ring:6", ", dropout: 0.3", 5, 0, 2, 0.1},
	} {
		s := auditSetup(t, fmt.Sprintf("data: {source: mean, features: 3, rows: 2}\nmodel: {kind: mean}\ngraph: %s\n"+
			"algorithm: {kind: gossip, steps: %d, clip: 1%s}\nprivacy: {sigma: 0.5, metric: {epsilon_at_delta: 0.1}}\n", c.graph, c.steps, c.keys))
		a := runAudit(t, s, c.about, c.observer, 600)
		exact, local := a.Bounds[0].Loss, a.Bounds[1].Loss
		if a.Refuted || a.Audit.Loss > exact || exact > local || float64(a.Audit.Loss) < c.share*float64(exact) || a.Bounds[0].Accountant != "exact" {
			t.Errorf("%s%s from %d to %d: seen %g, exact %g, local %g", c.graph, c.keys, c.about, c.observer, a.Audit.Loss, exact, local)
		}
	}
}

// Learning is not attacked, and says so.
func TestAuditOfLearningByGossipIsRefused(t *testing.T) {
	s := auditSetup(t, "data: {source: two-gaussians, rows: 3}\ngraph: ring:4\nalgorithm: {kind: gossip-gd, steps: 4, step_size: 0.1, clip: 0.3}\nprivacy: {sigma: 1}\n")
	if _, err := s.Audit(t.Context(), 0, 1, 10, 0.9, nil); err == nil || !strings.Contains(err.Error(), "gossip-gd") || fault.Hint(err) == "" {
		t.Errorf("%v", err)
	}
}
