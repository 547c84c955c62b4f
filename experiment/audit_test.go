package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family/walkfamily"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

func specOf(t testing.TB, text string) *spec.Spec {
	t.Helper()
	s, err := Parse([]byte(text), "audited.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// walkOf is the walk of a spec.
func walkOf(s *Priced) *walkfamily.Algorithm { return s.Algorithm.(*walkfamily.Algorithm) }

// emptyAt0 are holdings of which node 0 has none.
type emptyAt0 struct{ sim.Holdings }

// Examples implements sim.Holdings.
func (h emptyAt0) Examples(v step.NodeID) model.Examples {
	if v == 0 {
		return model.Examples{Features: 4}
	}
	return h.Holdings.Examples(v)
}

func auditSetup(t testing.TB, text string) *Priced {
	t.Helper()
	return prepare(t, specOf(t, text))
}

func runAudit(t testing.TB, s *Priced, about, observer, runs int) *Audit {
	t.Helper()
	a, err := s.Audit(t.Context(), about, observer, runs, 0.999, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A proximal walk, whose steps need no smooth loss, gives away no more than the path
// accountant says, and its attacker finds a part of it: hinge losses are linear where
// tokens are near 0, and so are their proximal steps. False alarms as above.
func TestAuditOfAProximalWalkIsBelowItsPath(t *testing.T) {
	testdata.Sequential(t)
	text := strings.NewReplacer("algorithm: {", "model: {kind: hinge}\nalgorithm: {kind: proximal-walk, ").Replace(testdata.Audited)
	a := runAudit(t, auditSetup(t, fmt.Sprintf(text, "complete:4", 30, 8, "uniform", 1.0, 1e-3, "final")), 0, 2, 400)
	path := a.Bounds[0]
	if path.Accountant != "path" || path.Status != "sound" || a.Audit.Loss > path.Loss || a.Audit.Loss < path.Loss/20 {
		t.Errorf("audit %v, path %+v", a.Audit.Loss, path)
	}
}

// What runs of the real algorithm prove is below the path accountant, and that
// below the local one. The bounds are at confidence 0.999 each: with other seeds
// one audit in a thousand would be false, and still be below, as they are not
// that tight.
func TestAuditIsBelowPathIsBelowLocal(t *testing.T) {
	for k, c := range []struct {
		graph           string
		about, observer int
	}{{"hypercube:3", 0, 7}, {"hypercube:3", 0, 1}, {"ring:6", 1, 3}, {"complete:5", 2, 4}} {
		if testing.Short() && k > 0 {
			break
		}
		for i, sigma := range []float64{0.3, 1, 4} {
			if testing.Short() && i > 0 {
				break
			}
			release := []string{"none", "final"}[(k+i)%2]
			a := runAudit(t, auditSetup(t, fmt.Sprintf(testdata.Audited, c.graph, 70, 8, "uniform", sigma, 1e-3, release)), c.about, c.observer, 200)
			path, local := a.Bounds[0], a.Bounds[1]
			if path.Accountant != "path" || local.Accountant != "local" || a.Audit.Status != "audit" {
				t.Fatalf("accountants are %+v", a)
			}
			if !(a.Audit.Loss <= path.Loss && path.Loss <= local.Loss*(1+1e-9)) || a.Refuted {
				t.Errorf("%s, sigma %g, %s: audit %g, path %g, local %g", c.graph, sigma, release, a.Audit.Loss, path.Loss, local.Loss)
			}
		}
	}
}

// In an easy case a thousand runs find more than a third of the shift that the
// sound epsilon stands for: the audit is no formality.
func TestAuditFindsMostOfAnEasyLoss(t *testing.T) {
	testdata.Sequential(t)
	for name, text := range map[string]string{
		"logistic": fmt.Sprintf(testdata.Audited, "complete:2", 40, 10, "uniform", 2.0, 1e-6, "none"),
		"final":    fmt.Sprintf(testdata.Audited, "ring:3", 40, 10, "2", 2.0, 1e-6, "final"),
		"ridge": strings.Replace(fmt.Sprintf(testdata.Audited, "complete:2", 40, 10, "uniform", 2.0, 1e-6, "none"),
			"two-gaussians, rows: 3, features: 4", "sparse-regression, rows: 3, features: 4, support: 2", 1) + "model: {kind: ridge}\n",
		"mean": strings.Replace(fmt.Sprintf(testdata.Audited, "complete:2", 40, 10, "uniform", 2.0, 1e-6, "none"),
			"two-gaussians, rows: 3, features: 4, normalise: unit", "mean, rows: 3", 1) + "model: {kind: mean}\n",
	} {
		a := runAudit(t, auditSetup(t, text), 0, 1, 1000)
		sound := privacy.MuGaussian(float64(a.Bounds[0].Loss), 1e-6)
		if !(a.Audit.Mu >= sound/3 && a.Audit.Mu <= sound && a.Audit.Loss > 0 && a.Audit.Loss <= a.Bounds[0].Loss) {
			t.Errorf("%s: audit mu %g and loss %g; path mu %g and loss %g", name, a.Audit.Mu, a.Audit.Loss, sound, a.Bounds[0].Loss)
		}
	}
}

// Where every gradient is clipped, whatever the token, runs are linear and the
// score is exact: its mean differs between the worlds by the sensitivity times
// the mean energy m^2/l of the revealed path, which is counted path by path. The
// test fails for one seed in ten million.
func TestScoreOfALinearRunHasTheEnergyOfItsPath(t *testing.T) {
	testdata.Sequential(t)
	const runs = 4000
	for _, graph := range []string{"complete:2", "complete:3", "line:4"} {
		for _, release := range []string{"none", "final"} {
			text := strings.Replace(fmt.Sprintf(testdata.Audited, graph, 9, 3, "uniform", 1.0, 1e-6, release), "clip: 0.3", "clip: 0.03, burn_in: 2", 1)
			s := auditSetup(t, text)
			law, err := walkOf(s).PathWalk().AuditLaw(0, 1)
			if err != nil {
				t.Fatal(err)
			}
			scores, err := auditRuns(t.Context(), walkOf(s), 0, 1, runs, nil)
			if err != nil {
				t.Fatal(err)
			}
			first, spread := stat.MeanStdDev(scores[0], nil)
			second, _ := stat.MeanStdDev(scores[1], nil)
			want := walkOf(s).Protocol.Noise.Sensitivity() * law.Mean()
			if off := math.Abs(first - second - want); off > 5.3*spread*math.Sqrt(2.0/float64(runs)) {
				t.Errorf("%s, %s: scores differ by %g, the energy of the path gives %g", graph, release, first-second, want)
			}
		}
	}
}

// A run that adds less noise than was accounted for is found out.
func TestAuditRefutesAFalseAccount(t *testing.T) {
	testdata.Sequential(t)
	s := auditSetup(t, fmt.Sprintf(testdata.Audited, "complete:2", 40, 10, "uniform", 20.0, 1e-6, "none"))
	if a := runAudit(t, s, 0, 1, 300); a.Refuted {
		t.Errorf("an honest run is refuted: %+v", a)
	}
	walkOf(s).Protocol.Noise.Multiplier = 0.5
	if a := runAudit(t, s, 0, 1, 300); !a.Refuted {
		t.Errorf("noise of 0.5 passes for 20: %+v", a)
	}
}

// Nothing is proved about a node whose contributions never arrive: the token
// starts at the observer's only turn.
func TestAuditOfNothingFindsNothing(t *testing.T) {
	s := auditSetup(t, fmt.Sprintf(testdata.Audited, "ring:6", 1, 8, "3", 1.0, 1e-3, "none"))
	if a := runAudit(t, s, 1, 3, 100); a.Audit.Loss != 0 || a.Audit.Mu != 0 || a.Bounds[0].Loss != 0 {
		t.Errorf("%+v", a)
	}
}

// The result depends on the seed, not on the cores; every run has its own.
func TestAuditDoesNotDependOnTheNumberOfCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	s := auditSetup(t, fmt.Sprintf(testdata.Audited, "complete:3", 30, 8, "uniform", 1.0, 1e-3, "final"))
	run := func() [2][]float64 {
		done := 0
		scores, err := auditRuns(t.Context(), walkOf(s), 0, 1, 50, func(at, total int) {
			if done++; at != done || total != 100 {
				t.Errorf("%d of %d runs after %d", at, total, done)
			}
		})
		if err != nil || done != 100 {
			t.Fatalf("%d runs done: %v", done, err)
		}
		return scores
	}
	one := run()
	runtime.GOMAXPROCS(4)
	if four := run(); !reflect.DeepEqual(one, four) {
		t.Error("one core and four give different scores")
	}
	all := slices.Concat(one[0], one[1])
	slices.Sort(all)
	if distinct := len(slices.Compact(all)); distinct < 95 { // a walk without u and v in turn scores 0
		t.Errorf("100 runs have %d scores", distinct)
	}
}

func TestAuditRefusesWhatItCannotAudit(t *testing.T) {
	text := fmt.Sprintf(testdata.Audited, "complete:3", 30, 8, "uniform", 1.0, 1e-3, "none")
	s := auditSetup(t, text)
	empty, bare := *walkOf(s), *s
	empty.Examples = emptyAt0{s.Examples}
	bare.Prepared = newPrepared(&empty)
	silent := auditSetup(t, strings.Replace(text, "sigma: 1", "sigma: 0", 1))
	local := auditSetup(t, strings.Replace(strings.Replace(text, "start:", "kind: local, start:", 1), "graph: complete:3", "nodes: 3", 1))
	for _, c := range []struct {
		setup           *Priced
		about, observer int
		runs            int
		want            string
	}{
		{s, 0, 0, 10, "node 0 observes itself"}, {s, 0, 3, 10, "no pair of node 0 and node 3 among 3"}, {s, -1, 1, 10, "no pair"},
		{s, 0, 1, 0, "0 runs"}, {s, 0, 1, 2, "2 runs"}, {&bare, 0, 1, 10, "node 0 holds no rows"},
		{silent, 0, 1, 10, "no noise is added"}, {local, 0, 1, 10, "local baseline"},
	} {
		if a, err := c.setup.Audit(t.Context(), c.about, c.observer, c.runs, 0.99, nil); err == nil || !strings.Contains(err.Error(), c.want) ||
			fault.Hint(err) == "" {
			t.Errorf("%q was wanted: %v, %v", c.want, a, err)
		}
	}
	if _, err := s.Audit(t.Context(), 0, 1, 10, 1, nil); err == nil {
		t.Error("certainty was given")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Audit(ctx, 0, 1, 10, 0.99, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled audit ends with %v", err)
	}
}
