package experiment

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/step"
)

// The last point of every curve is the result.
func TestCurveEndsAtTheResult(t *testing.T) {
	for name, changes := range options {
		if name == "path" || name == "published" || name == "renyi" {
			continue // only accountants differ
		}
		s := prepare(t, variant(t, changes...))
		r := runSetup(t, s).Result
		last := r.Curve[len(r.Curve)-1]
		same := func(a, b report.Number) bool {
			return math.Float64bits(float64(a)) == math.Float64bits(float64(b)) || a != a && b != b
		}
		if !same(last.TrainLoss.Mean, r.Final.TrainLoss) || !same(last.TestLoss.Mean, r.Final.TestLoss) {
			t.Errorf("%s: the curve ends at %g, %g; the result is %g, %g", name, last.TrainLoss.Mean, last.TestLoss.Mean, r.Final.TrainLoss, r.Final.TestLoss)
		}
		for i, trial := range r.Trials {
			if want := newScorer(s.Algorithm).evaluate(trial.Model, 1).trainLoss; !same(trial.Final.TrainLoss, report.Number(want)) {
				t.Errorf("%s: trial %d has %g, its model %g", name, i, trial.Final.TrainLoss, want)
			}
		}
	}
	// Here curves are scored on a part of the rows, and the iterates are averaged.
	s := prepare(t, variant(t, "rows: 5", "rows: 600", "contributions: 20", "contributions: 20, fill: false, average: half", "every: 100", "every: 1"))
	r := runSetup(t, s).Result
	scorer := newScorer(s.Algorithm)
	train, test := scorer.glanceTrain.Len(), scorer.glanceTest.Len()
	if train == s.Train.Len() {
		t.Fatal("the rows are too few for this test")
	}
	if said := fmt.Sprintf("scored on %d of %d training and %d of %d test rows", train, s.Train.Len(), test, s.Test.Len()); !strings.Contains(strings.Join(r.Notes, "\n"), said) {
		t.Errorf("no note says that curves are %s:\n%q", said, r.Notes)
	}
	if a, b := r.Curve[len(r.Curve)-1].TestLoss.Mean, r.Final.TestLoss; a != b {
		t.Errorf("the curve ends at a test loss of %g, the result has %g", a, b)
	}
}

// A point on the way is scored on as many rows as the steps before it look at, within
// bounds, and says what plain loops over these rows say; what is left out is stood for.
func TestPointsOnTheWayAreScoredOnWhatTheStepsLookAt(t *testing.T) {
	of := func(every string) *scorer {
		return newScorer(prepare(t, variant(t, "rows: 5", "rows: 1000", "every: 100", "every: "+every, "contributions: 20", "contributions: 20, fill: false")).Algorithm)
	}
	for every, want := range map[string]int{"1": 1001, "2": 2002, "50": 2048} { // a node has 1000 rows
		if s := of(every); s.glanceTrain.Len() > want || s.glanceTrain.Len() < want/2 || s.glanceTest.Len() > want {
			t.Errorf("every %s: %d training and %d test rows, of at most %d", every, s.glanceTrain.Len(), s.glanceTest.Len(), want)
		}
	}
	s, theta := of("1"), []float64{1, -1, 0.5, 2, 0.25}
	few, kept, all := thin(s.Train, 1001), 0.0, 0.0
	for _, w := range s.thinWeights(1001) {
		kept += w
	}
	for _, w := range s.weights {
		all += w
	}
	if math.Abs(kept-all) > 1e-12*all || len(s.thinWeights(1001)) != few.Len() {
		t.Errorf("%d rows weigh %g, all %g", few.Len(), kept, all)
	}
	want, got := s.evaluateOn(theta, few, thin(s.Test, 1001), s.thinWeights(1001), 1), new(glances).of(s, []waypoint{{theta: theta}})[0]
	for _, pair := range [][2]float64{
		{got.trainLoss, want.trainLoss}, {got.testLoss, want.testLoss}, {got.accuracy, want.accuracy}, {got.objective, want.objective}, {got.penalty, want.penalty},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-13 {
			t.Errorf("a glance gives %g, the loops %g", pair[0], pair[1])
		}
	}
}

// The objective is the function whose gradient the steps follow on average: with
// uneven nodes, clipping, fill and a penalty.
func TestObjectiveIsWhatStepsFollow(t *testing.T) {
	testdata.Sequential(t)
	rows := strings.Builder{}
	rows.WriteString("a,b,town,y\n")
	for i := range 40 { // towns hold 20, 13 and 7 rows
		fmt.Fprintf(&rows, "%g,%g,%s,%d\n", math.Sin(float64(3*i)), math.Cos(float64(7*i)), []string{"A", "B", "C"}[min(2, i/20+i/33)], i%2)
	}
	uneven := load(t, map[string]string{"rows.csv": rows.String(),
		"spec.yaml": "data: {source: csv, path: rows.csv, target: y, test: 0.1, partition: column:town}\ngraph: complete:3\n" +
			"algorithm: {steps: 20, step_size: 0.1, clip: 0.3, contributions: 20}\nprivacy: {sigma: 8, accountant: local}\n"})
	stepsFollow(t, "uneven", prepare(t, uneven))
	weighed := *uneven
	weighed.Algorithm.WeighRows, weighed.Algorithm.Fill = 20, false
	s := prepare(t, &weighed)
	stepsFollow(t, "rows", s)
	for i, w := range newScorer(s.Algorithm).weights { // 3 nodes of at most 20 rows
		if math.Abs(w-1.0/60) > 1e-15 {
			t.Errorf("row %d weighs %g, want 1/60 as all do", i, w)
		}
	}
	for name, changes := range map[string][]string{
		"fill":    nil,
		"no fill": {"contributions: 20", "contributions: 20, fill: false"},
		"clipped": {"clip: 0.3", "clip: 0.05", "contributions: 20", "contributions: 20, fill: false"},
		"penalty": {"graph: hyp", "model: {kind: logistic, l2: 0.5}\ngraph: hyp"},
		"degrees": {"graph: hypercube:4", "graph: er:n=12,p=0.5,seed=2,connected\nweights: uniform"},
		"ridge": {"two-gaussians, rows: 5, features: 4", "sparse-regression, rows: 5, support: 2, features: 3", "graph: hyp",
			"model: {kind: ridge}\ngraph: hyp", "step_size: 0.1", "step_size: 0.01", "steps: 250", "steps: 20"},
		"mean": {"two-gaussians, rows: 5, features: 4", "mean, rows: 5, features: 3", "graph: hyp", "model: {kind: mean}\ngraph: hyp", "steps: 250", "steps: 20"},
	} {
		stepsFollow(t, name, prepare(t, variant(t, changes...)))
	}
}

func stepsFollow(t *testing.T, name string, s *Priced) {
	shares, err := s.Transition.Stationary()
	if err != nil {
		t.Fatal(err)
	}
	local := *s.Algorithm.Local()
	local.Noise.Multiplier = 0
	kernel := descent.NewKernel(&local, noise.NewSimulated(1))
	rng := rand.New(rand.NewPCG(1, 2))
	theta, direction := make([]float64, local.Params), make([]float64, local.Params)
	for i := range theta {
		theta[i] = rng.NormFloat64()
	}
	for v, share := range shares {
		moved := append([]float64(nil), theta...)
		ex := s.Examples.Examples(step.NodeID(v))
		kernel.Contribute(moved, &ex, s.Algorithm.Scales()[v], 0, &step.Release{From: step.NodeID(v)})
		for i := range moved {
			direction[i] += share * (theta[i] - moved[i]) / local.StepSize.At(0)
		}
	}
	const h = 1e-6
	scorer := newScorer(s.Algorithm)
	for i := range theta {
		at := theta[i]
		theta[i] = at + h
		up := scorer.evaluate(theta, 1).objective
		theta[i] = at - h
		down := scorer.evaluate(theta, 1).objective
		theta[i] = at
		if slope := (up - down) / (2 * h); math.Abs(slope-direction[i]) > 1e-5*(1+math.Abs(slope)) {
			t.Errorf("%s: the objective has slope %g along parameter %d, steps follow %g", name, slope, i, direction[i])
		}
	}
}

// The penalty is in the objective and not in the losses.
func TestLossesArePlain(t *testing.T) {
	s := prepare(t, variant(t, "graph: hyp", "model: {kind: logistic, l2: 1}\ngraph: hyp"))
	theta := []float64{1, -1, 0.5, 2, 0.25}
	want := 0.0
	for i := range s.Test.Len() {
		x, y := s.Test.Row(i)
		want += s.Objective.Loss(theta, x, y) / float64(s.Test.Len())
	}
	if got := newScorer(s.Algorithm).evaluate(theta, 1); math.Abs(got.testLoss-want) > 1e-12 || math.Abs(got.penalty-(1+1+0.25+4+0.0625)/2) > 1e-12 {
		t.Errorf("test loss %g, want %g; penalty %g", got.testLoss, want, got.penalty)
	}
}

// Where all but a few rows are of one class, a model that answers that class is
// not praised, whatever its accuracy.
func TestMajorityIsNotPraised(t *testing.T) {
	testdata.Sequential(t)
	rows := strings.Builder{}
	rows.WriteString("a,b,y\n")
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 1000 {
		label := "well"
		if i%24 == 0 {
			label = "ill"
		}
		fmt.Fprintf(&rows, "%g,%g,%s\n", rng.Float64(), rng.Float64(), label)
	}
	s := prepare(t, load(t, map[string]string{"rows.csv": rows.String(),
		"spec.yaml": "data: {source: csv, path: rows.csv, target: y, test: 0.5, normalise: unit}\ngraph: ring:8\n" +
			"algorithm: {steps: 800, step_size: 0.5, clip: 1, contributions: 200}\nprivacy: {sigma: 0.01, accountant: local}\n"}))
	r := runSetup(t, s).Result
	var err error
	if r.Baselines, err = s.Compare(t.Context(), r, func(string) {}, nil); err != nil {
		t.Fatal(err)
	}
	c := r.Final.Classification
	if c == nil || *r.Final.TestAccuracy < 0.9 || math.Abs(float64(c.Majority)-0.958) > 0.005 || math.Abs(float64(c.Balanced)-0.5) > 0.1 {
		t.Fatalf("accuracy %g, %+v", *r.Final.TestAccuracy, c)
	}
	var page, table strings.Builder
	if err := report.Page(t.Context(), &page, &report.Bundle{Result: r}); err != nil {
		t.Fatal(err)
	}
	if err := report.Table(&table, r, false); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), "has not learnt to tell the classes apart") || !strings.Contains(table.String(), "joining gives nothing") {
		t.Errorf("a majority classifier is praised:\n%s", table.String())
	}
	if b := r.Baselines; b.Measure != report.BalancedAccuracy || b.WithoutNoise == nil || b.Alone == nil || b.Alone.Participants != 8 || b.Alone.Of != 8 {
		t.Errorf("baselines %+v", b)
	}
}

// Comparing changes nothing about the setup, and says the same again.
func TestCompareIsRepeatable(t *testing.T) {
	for _, name := range []string{"as it is", "ridge", "mean", "local", "no noise"} {
		s := prepare(t, variant(t, options[name]...))
		r := runSetup(t, s).Result
		var texts [2]string
		for i := range texts {
			b, err := s.Compare(t.Context(), r, func(string) {}, nil)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(b)
			if err != nil {
				t.Fatal(err)
			}
			texts[i] = string(text)
			if (b.WithoutNoise == nil) != (name == "no noise") || b.Alone == nil {
				t.Errorf("%s: %s", name, text)
			}
		}
		if texts[0] != texts[1] || said(t, runSetup(t, s)) != said(t, &report.Bundle{Result: r, Losses: s.losses(), ResolvedSpec: runSetup(t, s).ResolvedSpec}) {
			t.Errorf("%s: comparing twice gives\n%s\n%s", name, texts[0], texts[1])
		}
	}
}

// Where every trial keeps other rows for testing, the run without noise is that of as many.
func TestWithoutNoiseIsOfTheSameSplits(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: participants tune their penalties, which takes long under the race detector")
	}
	const heart = "graph: complete:4\ntrials: 3\ndata: {source: heart, split: index, test: 0.2, normalise: unit}\n" +
		"model: {kind: logistic}\nalgorithm: {kind: gossip-gd, steps: 5, step_size: 0.5, clip: 1}\nprivacy: {accountant: local, sigma: %d}\n"
	noisy, bare := prepared(t, fmt.Sprintf(heart, 3)), prepared(t, fmt.Sprintf(heart, 0))
	b, err := noisy.Compare(t.Context(), runSetup(t, noisy).Result, func(string) {}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := runSetup(t, bare).Result.Final; b.WithoutNoise.TestLoss != want.TestLoss || *b.WithoutNoise.TestAccuracy != *want.TestAccuracy {
		t.Errorf("without noise %g, a run with sigma 0 has %g", b.WithoutNoise.TestLoss, want.TestLoss)
	}
}

// model.json is all it takes to predict the label in its own unit from a row of
// the file.
func TestModelFilePredictsInTheLabelsUnit(t *testing.T) {
	testdata.Sequential(t)
	for _, scale := range []string{"scale: standardise", "scale: ranges, ranges: {a: [0, 10], b: [-1, 1], price: [0, 500000]}, normalise: unit", "scale: none"} {
		rows := strings.Builder{}
		rows.WriteString("a,b,price\n")
		rng := rand.New(rand.NewPCG(5, 6))
		type row struct{ a, b, price float64 }
		var all []row
		for range 200 {
			r := row{10 * rng.Float64(), 2*rng.Float64() - 1, 0}
			r.price = 100_000 + 20_000*r.a + 5_000*r.b + 1000*rng.NormFloat64()
			all = append(all, r)
			fmt.Fprintf(&rows, "%v,%v,%v\n", r.a, r.b, r.price)
		}
		size := "0.1"
		if scale == "scale: none" {
			size = "0.001"
		}
		s := prepare(t, load(t, map[string]string{"rows.csv": rows.String(),
			"spec.yaml": "data: {source: csv, path: rows.csv, target: price, task: regression, test: 0.5, " + scale + "}\ngraph: ring:4\n" +
				"model: {kind: ridge}\nalgorithm: {steps: 2000, step_size: " + size + ", clip: 1}\nprivacy: {sigma: 0, accountant: local}\n"}))
		bundle := runSetup(t, s)
		dir := filepath.Join(t.TempDir(), "out")
		if err := report.WriteDir(t.Context(), dir, bundle); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "model.json"))
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			report.Recipe
			Trials []struct {
				Coefficients map[string]float64
				Intercept    float64
			}
		}
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		square, rest := 0.0, 0.0
		for _, r := range all { // all rows: the test rows and the training rows are half each
			x := map[string]float64{"a": r.a, "b": r.b}
			norm := 0.0
			for i, name := range m.Features {
				if len(m.Columns) > 0 {
					c := m.Columns[i]
					x[name] = max(-float64(c.Limit), min(float64(c.Limit), (x[name]-c.Shift)*c.Factor))
				}
				norm += x[name] * x[name]
			}
			z := m.Trials[0].Intercept
			for _, name := range m.Features {
				if m.RowNorm != nil {
					x[name] *= *m.RowNorm / math.Sqrt(norm)
				}
				z += m.Trials[0].Coefficients[name] * x[name]
			}
			if m.Label != nil {
				z = z/m.Label.Factor + m.Label.Shift
			}
			square += (z - r.price) * (z - r.price)
		}
		e := bundle.Result.Final.Regression
		train, test := float64(e.TrainRMSE), float64(e.TestRMSE)
		rest = train*train*float64(s.Train.Len()) + test*test*float64(s.Test.Len())
		if math.Abs(square-rest) > 1e-6*rest || e.Label != "price" {
			t.Errorf("%s: the file's predictions are off by %g, the result says %g (%+v)", scale, math.Sqrt(square/200), math.Sqrt(rest/200), e)
		}
		if scale == "scale: standardise" && (test > 30_000 || float64(e.MeanRMSE) < 50_000 || e.R2 < 0.7) {
			t.Errorf("%+v", e)
		}
	}
}

// Lists are never null in JSON, and no number there is beyond the whole numbers
// that every reader keeps.
func TestJSONHasNoNullListsAndNoLargeNumbers(t *testing.T) {
	spec := variant(t, "trials: 3", "trials: 2\nseed: 18446744073709551615")
	bundle := runSetup(t, prepare(t, spec))
	text, err := json.Marshal(bundle.Result)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"notes", "trials", "curve", "others", "assumptions", "features", "preprocessing", "classes", "columns"} {
		if strings.Contains(string(text), `"`+key+`":null`) {
			t.Errorf("%s is null", key)
		}
	}
	var checkNumbers func(path string, value any)
	checkNumbers = func(path string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for key, below := range v {
				checkNumbers(path+"."+key, below)
			}
		case []any:
			for _, below := range v {
				checkNumbers(path, below)
			}
		case float64:
			if math.Abs(v) > 1<<53 && v == math.Trunc(v) {
				t.Errorf("%s is %v", path, v)
			}
		}
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	checkNumbers("", value)
	if !strings.Contains(string(text), `"seed":"18446744073709551615"`) {
		t.Error("the spec's seed is not there in full")
	}
}
