package experiment

import (
	"fmt"
	"testing"

	"hearsay/spec"
)

// audited is a small run whose pairs are audited.
const audited = `
name: audited
data: {source: two-gaussians, rows: 3, features: 4, normalise: unit}
graph: %s
algorithm: {steps: %d, step_size: 0.1, clip: 0.3, contributions: %d, start: %s}
privacy: {sigma: %g, metric: {epsilon_at_delta: %g}, release: %s}
`

func auditSetup(t testing.TB, text string) *Setup {
	t.Helper()
	s, err := spec.Parse([]byte(text), "audited.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return prepare(t, s)
}

func audit(t testing.TB, s *Setup, about, observer, runs int) *Audit {
	t.Helper()
	a, err := s.Audit(t.Context(), about, observer, runs, 0.999, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// What runs of the real algorithm prove is below the path accountant, and that
// below the local one. The bounds are at confidence 0.999 each: with other seeds
// one audit in a thousand would be false, and still be below, as they are not
// that tight.
func TestAuditIsBelowPathIsBelowLocal(t *testing.T) {
	for _, c := range []struct {
		graph           string
		about, observer int
	}{{"hypercube:3", 0, 7}, {"hypercube:3", 0, 1}, {"ring:6", 1, 3}, {"complete:5", 2, 4}} {
		for _, sigma := range []float64{0.3, 1, 4} {
			for _, release := range []string{"none", "final"} {
				s := auditSetup(t, fmt.Sprintf(audited, c.graph, 60, 8, "uniform", sigma, 1e-3, release))
				a := audit(t, s, c.about, c.observer, 300)
				path, local := a.Bounds[0], a.Bounds[1]
				if path.Accountant != "path" || local.Accountant != "local" || a.Audit.Status != "audit" {
					t.Fatalf("accountants are %v", a)
				}
				if !(a.Audit.Loss <= path.Loss && path.Loss <= local.Loss*(1+1e-9)) || a.Refuted {
					t.Errorf("%s, sigma %g, %s: audit %g, path %g, local %g", c.graph, sigma, release, a.Audit.Loss, path.Loss, local.Loss)
				}
				t.Logf("%s (%d,%d) sigma %g %s: audit %.3f mu %.3f, path %.3f, local %.3f", c.graph, c.about, c.observer, sigma, release, a.Audit.Loss, a.Audit.Mu, path.Loss, local.Loss)
			}
		}
	}
}
