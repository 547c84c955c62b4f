package experiment

import (
	"encoding/json"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/walk"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// Nothing bounds the rows of small, so that only the local accountant, which is
// the fast one, has anything to say.
const small = `
name: small
trials: 3
data: {source: two-gaussians, rows: 5, features: 4}
graph: hypercube:4
algorithm: {steps: 250, step_size: 0.1, clip: 0.3, contributions: 20}
privacy: {calibrate: {mean: 2}, accountant: local, sender: hidden}
report: {every: 100}
`

// variant is small with some texts replaced, each of which must be there.
func variant(t testing.TB, changes ...string) *spec.Spec {
	t.Helper()
	text := small
	for i := 0; i < len(changes); i += 2 {
		if !strings.Contains(text, changes[i]) {
			t.Fatalf("the spec has no %q", changes[i])
		}
		text = strings.Replace(text, changes[i], changes[i+1], 1)
	}
	s, err := Parse([]byte(text), "small.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func prepare(t testing.TB, s *spec.Spec) *Priced {
	t.Helper()
	setup, err := Prepare(t.Context(), s, nil)
	if err != nil {
		t.Fatalf("%v (%s)", err, fault.Hint(err))
	}
	return setup
}

func runSetup(t testing.TB, setup *Priced) *report.Bundle {
	t.Helper()
	bundle, err := setup.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return bundle
}

// said is everything a bundle says but the time it took.
func said(t testing.TB, b *report.Bundle) string {
	t.Helper()
	timeless := *b.Result
	timeless.WallSeconds, timeless.StepsPerSecond = 0, 0
	text, err := json.Marshal(timeless)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range b.Losses {
		for u := range l.N {
			for v := range l.N {
				pair, _ := json.Marshal(report.Number(l.At(u, v)))
				text = append(text, pair...)
			}
		}
	}
	return string(text) + string(b.ResolvedSpec)
}

// options are specs that between them take every path through a run.
var options = map[string][]string{
	"as it is": nil,
	"half":     {"contributions: 20", "contributions: 20, average: half"},
	"weighted": {"contributions: 20", "contributions: 20, average: weighted"},
	"burn-in":  {"contributions: 20", "contributions: 20, burn_in: 30, start: 3, radius: 0.5"},
	"no noise": {"calibrate: {mean: 2}", "sigma: 0"},
	"given":    {"calibrate: {mean: 2}", "sigma: 7.25"},
	"published": {"hypercube:4", "complete:3", "steps: 250", "steps: 20", "features: 4", "features: 4, normalise: unit", "accountant: local",
		"accountant: published"},
	"path": {"hypercube:4", "complete:3", "steps: 250", "steps: 20", "features: 4", "features: 4, normalise: unit", "accountant: local", "accountant: path"},
	"renyi": {"hypercube:4", "complete:3", "steps: 250", "steps: 20", "features: 4", "features: 4, normalise: unit",
		"accountant: local, sender: hidden", "accountant: published, sender: known, metric: {renyi: 2}"},
	"directed":  {"hypercube:4", "ring:5,directed"},
	"tiny step": {"step_size: 0.1", "step_size: 1e-7"},
	"falling":   {"step_size: 0.1", "step_size: {power: 0.5, base: 0.2}"},
	"local":     {"graph: hypercube:4", "nodes: 16", "contributions: 20", "contributions: 20, kind: local"},
	"central":   {"graph: hypercube:4", "nodes: 16", "contributions: 20", "kind: central", "accountant: local", "accountant: tight", "calibrate: {mean: 2}", "sigma: 8"},
	"softmax":   {"graph:", "model: {kind: softmax, class_weights: {around -mu: 2}}\ngraph:"},
	"network":   {"graph:", "model: {kind: mlp, hidden: [3, 2]}\ngraph:"},
	"proximal": {"graph:", "model: {kind: hinge}\ngraph:", "contributions: 20", "contributions: 20, kind: proximal-walk",
		"hypercube:4", "complete:3", "steps: 250", "steps: 20"},
	"admm": {"graph:", "model: {kind: hinge, regulariser: {kind: l1, weight: 0.01}}\ngraph:", "contributions: 20", "contributions: 20, kind: admm-walk", "step_size: 0.1, ", ""},
	"mean": {"hypercube:4", "complete:3", "steps: 250", "steps: 20", "source: two-gaussians, rows: 5, features: 4", "source: mean, rows: 3", "graph:", "model: {kind: mean}\ngraph:"},
	"ridge": {"hypercube:4", "complete:3", "steps: 250", "steps: 20", "two-gaussians", "sparse-regression", "features: 4",
		"features: 4, support: 2", "graph:", "model: {kind: ridge}\ngraph:"},
}

func TestSameSpecGivesTheSameResult(t *testing.T) {
	testdata.Sequential(t)
	for name, changes := range options {
		first := said(t, runSetup(t, prepare(t, variant(t, changes...))))
		second := said(t, runSetup(t, prepare(t, variant(t, changes...))))
		if first != second {
			t.Errorf("%s: two runs differ", name)
		}
		if other := said(t, runSetup(t, prepare(t, variant(t, append(changes, "name: small", "name: small\nseed: 2")...)))); other == first {
			t.Errorf("%s: another seed gives the same run", name)
		}
	}
}

// Prepare leaves the spec alone: it can be used again.
func TestPrepareLeavesTheSpecAlone(t *testing.T) {
	s, untouched := variant(t), variant(t)
	prepare(t, s)
	if !reflect.DeepEqual(s, untouched) {
		t.Errorf("prepare turned %+v into %+v", untouched, s)
	}
}

func TestTrialsDoNotDependOnTheNumberOfCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one := said(t, runSetup(t, prepare(t, variant(t, "trials: 3", "trials: 9"))))
	runtime.GOMAXPROCS(4)
	if four := said(t, runSetup(t, prepare(t, variant(t, "trials: 3", "trials: 9")))); four != one {
		t.Error("one core and four give different results")
	}
}

// The first trials of many are the trials of few.
func TestTrialsDoNotDependOnHowManyThereAre(t *testing.T) {
	few := runSetup(t, prepare(t, variant(t))).Result.Trials
	many := runSetup(t, prepare(t, variant(t, "trials: 3", "trials: 5"))).Result.Trials
	if !reflect.DeepEqual(few, many[:3]) {
		t.Errorf("trials %+v, of five the first are %+v", few, many[:3])
	}
	if reflect.DeepEqual(few[0].Model, few[1].Model) {
		t.Error("two trials have the same model")
	}
}

func TestResolvedSpecGivesTheSameResult(t *testing.T) {
	testdata.Sequential(t)
	for name, changes := range options {
		first := runSetup(t, prepare(t, variant(t, changes...)))
		resolved, err := Parse(first.ResolvedSpec, "resolved.yaml")
		if err != nil {
			t.Errorf("%s: %v in\n%s", name, err, first.ResolvedSpec)
			continue
		}
		second := runSetup(t, prepare(t, resolved))
		if said(t, first) != said(t, second) {
			t.Errorf("%s: the resolved spec gives another result:\n%s", name, first.ResolvedSpec)
		}
	}
}

// The spec of a result has numbers where the resolved spec has.
func TestSpecInAResultHasNumbers(t *testing.T) {
	result := runSetup(t, prepare(t, variant(t, "step_size: 0.1", "step_size: 1.0e-7"))).Result
	plain := result.Spec.(map[string]any)
	delta := plain["privacy"].(map[string]any)["metric"].(map[string]any)["epsilon_at_delta"]
	gamma := plain["algorithm"].(map[string]any)["step_size"]
	if delta != 1e-6 || gamma != 1e-7 {
		t.Errorf("delta is %#v, step size %#v", delta, gamma)
	}
}

// iterates are the tokens after every update of one trial, seen by a driver of
// its own.
func iterates(t *testing.T, s *Priced, trial int) [][]float64 {
	t.Helper()
	seed := TrialSeed(s.Spec.Seed, trial)
	protocol := *walkOf(s).Protocol
	protocol.Start = walk.StartAt(s.Spec.Nodes, seed, 0)
	walk := &sim.Walk{Protocol: &protocol, Holdings: s.Examples, Choose: walkOf(s).Choose, Seed: seed}
	var all [][]float64
	if _, err := walk.Bulk(t.Context(), func(r step.Release, token []float64) {
		if int(r.Turn) >= protocol.BurnIn {
			all = append(all, append([]float64{}, token...))
		}
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// The model of a trial is the last iterate, the plain mean of the second half,
// or the mean weighted by step size: computed at the end, from all of them.
func TestModelIsTheAverageOfTheIterates(t *testing.T) {
	weights := map[string]func(t, steps int) float64{
		"none":     func(t, steps int) float64 { return indicator(t == steps-1) },
		"half":     func(t, steps int) float64 { return indicator(t >= steps/2) },
		"weighted": func(t, _ int) float64 { return 0.2 / math.Sqrt(float64(t+1)) },
	}
	for average, weight := range weights {
		for _, steps := range []string{"250", "251", "1"} {
			s := prepare(t, variant(t, "contributions: 20", "contributions: 20, burn_in: 7, average: "+average,
				"steps: 250", "steps: "+steps, "step_size: 0.1", "step_size: {power: 0.5, base: 0.2}"))
			trials := runSetup(t, s).Result.Trials
			for i, trial := range trials {
				all := iterates(t, s, i)
				want, total := make([]float64, len(trial.Model)), 0.0
				for k, x := range all {
					w := weight(k, len(all))
					total += w
					for j := range x {
						want[j] += w * x[j]
					}
				}
				for j := range want {
					if math.Abs(want[j]/total-trial.Model[j]) > 1e-12*(1+math.Abs(trial.Model[j])) {
						t.Errorf("%s of %s steps: parameter %d is %g, want %g", average, steps, j, trial.Model[j], want[j]/total)
					}
				}
			}
		}
	}
}

func indicator(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// The curve has the start, every report.every steps and the end, each scored
// on the token of that step.
func TestCurveIsScoredAtTheRightSteps(t *testing.T) {
	for _, burnIn := range []string{"0", "13"} {
		s := prepare(t, variant(t, "trials: 3", "trials: 1", "contributions: 20", "contributions: 20, burn_in: "+burnIn))
		curve := runSetup(t, s).Result.Curve
		all := iterates(t, s, 0)
		if len(all) != 250 || len(curve) != 4 {
			t.Fatalf("burn-in %s: %d updates, %d points", burnIn, len(all), len(curve))
		}
		for i, at := range []int{0, 100, 200, 250} {
			token := make([]float64, walkOf(s).Protocol.Params)
			if at > 0 {
				token = all[at-1]
			}
			want := newScorer(s.Algorithm).evaluate(token, 1)
			if p := curve[i]; p.Step != at || float64(p.TrainLoss.Mean) != want.trainLoss || float64(p.TestAccuracy.Mean) != want.accuracy {
				t.Errorf("burn-in %s, point %d: %+v, want step %d and %+v", burnIn, i, p, at, want)
			}
		}
	}
}

// Progress tells each point of a trial's curve, once and in order: the last is the result, that of models which nodes keep included.
func TestProgressIsTheCurve(t *testing.T) {
	for name, s := range map[string]*Priced{
		"a token": prepare(t, variant(t, "trials: 3", "trials: 1")),
		"kept models": prepared(t, "data: {source: two-gaussians, rows: 5, features: 4, test: 0.2}\ngraph: ring:6\n"+
			"algorithm: {kind: gossip-gd, steps: 12, step_size: 0.5, clip: 0.3, average: half}\nprivacy: {sigma: 4, accountant: local}\nreport: {every: 5}\n"),
	} {
		var told []Tick
		bundle, err := s.Run(t.Context(), func(tick Tick) { told = append(told, tick) })
		if err != nil || len(told) != len(bundle.Result.Curve) {
			t.Fatalf("%d points of %+v, %v", len(told), bundle, err)
		}
		for i, p := range bundle.Result.Curve {
			if got := told[i]; got.Step != p.Step || got.TrainLoss != float64(p.TrainLoss.Mean) || got.TestLoss != float64(p.TestLoss.Mean) || got.TestAccuracy != float64(p.TestAccuracy.Mean) {
				t.Errorf("%s: point %d is told as %+v, and is %+v", name, i, got, p)
			}
		}
	}
}

func TestProgressEndsAtTheTotal(t *testing.T) {
	var last Tick
	calls := 0
	if _, err := prepare(t, variant(t)).Run(t.Context(), func(tick Tick) {
		if tick.Done < last.Done || tick.Done > tick.Total || tick.Trials != 3 || tick.Steps != 250 {
			t.Errorf("%+v after %+v", tick, last)
		}
		last = tick
		calls++
	}); err != nil {
		t.Fatal(err)
	}
	if last.Done != 750 || last.Total != 750 || calls != 3*4 {
		t.Errorf("%d calls, the last %+v", calls, last)
	}
}

// What scoring takes is told apart from what steps take, and the two are all of it.
func TestStepsAndScoringAreTimedApart(t *testing.T) {
	r := runSetup(t, prepare(t, variant(t))).Result
	stepping := float64(r.Steps*len(r.Trials)) / r.StepsPerSecond
	if !(r.ScoringSeconds > 0) || !(stepping > 0) || math.Abs(stepping+r.ScoringSeconds-r.WallSeconds) > 1e-9*r.WallSeconds {
		t.Errorf("%g s, of which %g are scoring and %g steps", r.WallSeconds, r.ScoringSeconds, stepping)
	}
}

// What plan says before a run, the run says after it, pair by pair.
func TestPlanAgreesWithRun(t *testing.T) {
	testdata.Sequential(t)
	for name, changes := range options {
		s := prepare(t, variant(t, changes...))
		plan, err := s.Plan()
		if err != nil {
			t.Fatal(err)
		}
		bundle := runSetup(t, prepare(t, variant(t, changes...)))
		if r := bundle.Result; !reflect.DeepEqual(plan.Privacy, r.Privacy) || !reflect.DeepEqual(plan.Spec, r.Spec) ||
			!reflect.DeepEqual(plan.Graph, r.Graph) || !reflect.DeepEqual(plan.Data, r.Data) || !reflect.DeepEqual(plan.Notes, r.Notes) {
			t.Errorf("%s: the plan says %+v, the run %+v", name, plan, r)
		}
		if bundle.Picture != nil {
			checkByDistance(t, name, plan.Pairs, bundle)
		}
	}
}

// checkByDistance summarises a bundle's losses by distance, with a distance of
// its own making, and compares.
func checkByDistance(t *testing.T, name string, pairs []DistanceLoss, b *report.Bundle) {
	t.Helper()
	n := b.Losses[0].N
	distances := floydWarshall(n, b.Picture)
	for _, p := range pairs {
		var count int
		var sum, most float64
		for _, l := range b.Losses {
			for u := 0; l.Accountant == p.Accountant && u < n; u++ {
				for v := range n {
					if u != v && distances[u][v] == p.Distance {
						count, sum, most = count+1, sum+l.At(u, v), max(most, l.At(u, v))
					}
				}
			}
		}
		if mean := sum / float64(count); count != p.Pairs || most != float64(p.Max) || !(mean == float64(p.Mean) || math.Abs(mean-float64(p.Mean)) < 1e-12) {
			t.Errorf("%s: at distance %d the plan says %+v, the losses %d, %g, %g", name, p.Distance, p, count, mean, most)
		}
	}
}

// floydWarshall gives the hops from u to v along the edges of a picture.
func floydWarshall(n int, p *report.Picture) [][]int {
	d := make([][]int, n)
	for u := range d {
		d[u] = make([]int, n)
		for v := range d[u] {
			if u != v {
				d[u][v] = n
			}
		}
	}
	for _, e := range p.Edges {
		d[e[0]][e[1]] = 1
		if !p.Directed {
			d[e[1]][e[0]] = 1
		}
	}
	for k := range n {
		for u := range n {
			for v := range n {
				d[u][v] = min(d[u][v], d[u][k]+d[k][v])
			}
		}
	}
	return d
}

// The largest and the mean loss in a summary are those of the pairs.
func TestSummariesAreThoseOfThePairs(t *testing.T) {
	testdata.Sequential(t)
	for name, changes := range options {
		b := runSetup(t, prepare(t, variant(t, changes...)))
		for i, a := range b.Result.Privacy.All() {
			l := b.Losses[i]
			var sum, most float64
			for u := range l.N {
				for v := range l.N {
					sum, most = sum+l.At(u, v), max(most, l.At(u, v))
				}
			}
			mean := sum / float64(l.N*(l.N-1))
			if math.IsInf(mean, 1) && math.IsInf(float64(a.Mean), 1) && math.IsInf(float64(a.Max), 1) {
				continue
			}
			if l.Accountant != a.Accountant || l.Status != a.Status || math.Abs(mean-float64(a.Mean)) > 1e-9*mean || math.Abs(most-float64(a.Max)) > 1e-12*most {
				t.Errorf("%s: %s says mean %v and worst %v, the pairs %v and %v", name, a.Accountant, a.Mean, a.Max, mean, most)
			}
		}
	}
}

func TestWithinEndsWithItsContext(t *testing.T) {
	if err := Within(t.Context(), func() error { return fault.New("a", "b") }); err == nil || fault.Hint(err) != "b" {
		t.Errorf("error %v", err)
	}
	ctx, cancel := contextAndCancel(t)
	forever := make(chan struct{})
	defer close(forever)
	err := Within(ctx, func() error { cancel(); <-forever; return nil })
	if err != ctx.Err() || err == nil {
		t.Errorf("error %v", err)
	}
}
