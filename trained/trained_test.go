package trained_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/trained"
)

// rows is a table with a text column, gaps, an odd name and three labels: one of
// three classes, one of two, one a number.
func rows() string {
	var b strings.Builder
	rng := rand.New(rand.NewPCG(1, 2))
	b.WriteString("age,colour,\"weight, kg\",size,old,price\n")
	for i := range 160 {
		age, weight, colour := 10*rng.Float64(), 50+10*rng.NormFloat64(), []string{"red", "green", ""}[rng.IntN(3)]
		size, gap := []string{"small", "medium", "big"}[min(2, int(age/3.5))], fmt.Sprint(weight)
		if i%20 == 7 {
			gap = "NA"
		}
		fmt.Fprintf(&b, "%v,%s,%s,%s,%v,%v\n", age, colour, gap, size, age > 5, 1000+100*age+weight)
	}
	return b.String()
}

// specs are runs whose models are used, by name. Every row is on a node: 152 are
// complete.
func specs() map[string]string {
	spec := func(target, drop, data, model string) string {
		return fmt.Sprintf(`data: {source: csv, path: rows.csv, target: %s, drop: [%s], categories: {colour: [red, green, blue]}, fill: {colour: red}, missing: drop, test: 0, %s}
graph: complete:4
model: {%s}
algorithm: {kind: gossip-gd, steps: 40, step_size: 0.1, clip: 2, fill: false}
privacy: {sigma: 0.001, accountant: local, metric: {epsilon_at_delta: 1.0e-6}}
`, target, drop, data, model)
	}
	ranges := `scale: ranges, ranges: {age: [1, 9], "weight, kg": [30, 70], price: [900, 2500]}`
	return map[string]string{
		"logistic":        spec("old", "size, price", "scale: standardise, normalise: unit", "kind: logistic, class_weights: {true: 2}"),
		"no intercept":    spec("old", "size, price", ranges, "kind: logistic, intercept: false"),
		"multinomial":     spec("size", "old, price", ranges+", normalise: none", "kind: softmax, class_weights: {big: 3}"),
		"network":         spec("size", "old, price", "scale: standardise, normalise: none", "kind: mlp, hidden: [5, 3]"),
		"two classes":     spec("old", "size, price", "scale: none, normalise: unit", "kind: mlp, hidden: 4, intercept: false"),
		"ridge":           spec("price", "size, old", "task: regression, "+ranges+", normalise: unit", "kind: ridge"),
		"hinge":           spec("old", "size, price", ranges+", normalise: unit", "kind: hinge"),
		"hinge, as is":    spec("old", "size, price", "scale: none, normalise: none", "kind: hinge, intercept: false"),
		"absolute":        spec("price", "size, old", "task: regression, "+ranges+", normalise: none", "kind: absolute"),
		"network, prices": spec("price", "size, old", "task: regression, scale: standardise, normalise: unit", "kind: mlp, hidden: 4"),
	}
}

// trainedOnce are the models of specs, and what their runs said.
var trainedOnce struct {
	sync.Once
	models map[string]*trained.Model
	finals map[string]report.Final
	text   map[string][]byte // of their files
	dir    string
	err    error
}

func models(t *testing.T) map[string]*trained.Model {
	t.Helper()
	once := &trainedOnce
	once.Do(func() {
		once.models, once.finals, once.text = map[string]*trained.Model{}, map[string]report.Final{}, map[string][]byte{}
		for name, text := range specs() {
			if once.err = train(t, name, text); once.err != nil {
				once.err = fmt.Errorf("%s: %w (%s)", name, once.err, fault.Hint(once.err))
				return
			}
		}
	})
	if once.err != nil {
		t.Fatal(once.err)
	}
	return once.models
}

func train(t *testing.T, name, text string) error {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "rows.csv"), []byte(rows()))
	path := filepath.Join(dir, "spec.yaml")
	s, err := experiment.Parse([]byte(strings.Replace(text, "rows.csv", filepath.Join(dir, "rows.csv"), 1)), path)
	if err != nil {
		return err
	}
	p, err := experiment.Prepare(t.Context(), s, nil)
	if err != nil {
		return err
	}
	b, err := p.Run(t.Context(), nil)
	if err != nil {
		return err
	}
	out := filepath.Join(dir, "out")
	if err := report.WriteDir(t.Context(), out, b); err != nil {
		return err
	}
	m, err := trained.Open(out, 0)
	if err != nil {
		return err
	}
	file, err := json.Marshal(m.File)
	if err != nil {
		return err
	}
	trainedOnce.models[name], trainedOnce.finals[name], trainedOnce.text[name] = m, b.Result.Final, file
	return nil
}

// sheetOf is the table, as a model reads it.
func sheetOf(t *testing.T, m *trained.Model) *dataset.Sheet {
	t.Helper()
	layout := m.Layout()
	sheet, err := layout.Read(strings.NewReader(rows()), "rows.csv")
	if err != nil {
		t.Fatal(err)
	}
	return sheet
}

// On the table that a model was trained on it has the loss that its run reported.
func TestPredictIsTheRunsScore(t *testing.T) {
	for name, m := range models(t) {
		s, want := m.Score(sheetOf(t, m)), float64(trainedOnce.finals[name].TrainLoss)
		if s.Rows != 152 || s.Unknown != 0 || !(math.Abs(s.Loss-want) <= 1e-12*(1+want)) {
			t.Errorf("%s: %+v, and the run's training loss is %g", name, s, want)
		}
		if (s.Accuracy == nil) != (len(m.File.Classes) == 0) || (s.RMSE == nil) == (s.Accuracy == nil) {
			t.Errorf("%s: %+v", name, s)
		}
		if c := m.File.Claim; c.Unit != "participant" || c.Status != report.Sound || c.Accountant != "local" || !(c.Epsilon > 0) || c.Delta != 1e-6 ||
			!strings.HasPrefix(m.File.Spec, "sha256:") {
			t.Errorf("%s: trained under %+v, spec %s", name, c, m.File.Spec)
		}
	}
}

// Columns may come in any order, with others between; the predictions are those of
// the same rows, and what is not complete has none.
func TestColumnsAreFoundByName(t *testing.T) {
	m := models(t)["multinomial"]
	want := m.Predict(sheetOf(t, m))
	var other strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(rows()), "\n") {
		f := strings.Split(strings.Replace(line, "\"weight, kg\"", "weight; kg", 1), ",")
		if i == 0 {
			f[2] = "\"weight, kg\""
		}
		fmt.Fprintf(&other, "x%d,%s,%s,%s\n", min(i, 1), f[2], f[1], f[0])
	}
	layout := m.Layout()
	sheet, err := layout.Read(strings.NewReader(other.String()), "other.csv")
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Predict(sheet); fmt.Sprint(got) != fmt.Sprint(want) || sheet.Labels != nil || m.Score(sheet) != nil {
		t.Error("other predictions, or a score without labels")
	}
	var out bytes.Buffer
	if err := m.WriteCSV(&out, sheet, want, nil); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 161 || lines[0] != "prediction,probability_big,probability_medium,probability_small" || lines[8] != ",,," ||
		strings.Count(out.String(), "\n,,,\n") != 8 {
		t.Errorf("%d lines, %s, %s", len(lines), lines[0], lines[8])
	}
	for _, wrong := range []struct{ from, to, says, hint string }{
		{"age,", "years,", `has no column "age"`, "the model asks for age, colour, weight, kg"},
		{"red", "pink", `"pink"`, "correct the values"},
		{"colour,\"weight, kg\"", "colour,colour", "two columns are called", "own name"},
	} {
		_, err := layout.Read(strings.NewReader(strings.Replace(rows(), wrong.from, wrong.to, 1)), "t.csv")
		if err == nil || !strings.Contains(err.Error(), wrong.says) || !strings.Contains(fault.Hint(err), wrong.hint) {
			t.Errorf("%s: %v (%s)", wrong.to, err, fault.Hint(err))
		}
	}
	layout.SkipMissing = false
	if _, err := layout.Read(strings.NewReader(rows()), "t.csv"); err == nil || !strings.Contains(err.Error(), "no value in 8 rows") {
		t.Errorf("gaps: %v", err)
	}
}

// A label that no class has, or none at all, is not scored.
func TestUnknownLabelsAreNotScored(t *testing.T) {
	m := models(t)["multinomial"]
	layout := m.Layout()
	text := strings.Replace(strings.Replace(rows(), ",small,", ",tiny,", 1), ",big,", ",,", 1)
	sheet, err := layout.Read(strings.NewReader(text), "t.csv")
	if err != nil {
		t.Fatal(err)
	}
	if s := m.Score(sheet); s.Rows != 150 || s.Unknown != 1 || !strings.Contains(s.String(), "1 labels are none") {
		t.Errorf("%s", s)
	}
}

// hostile are changes that make a file one that no run writes.
var hostile = []struct{ from, to, says string }{
	{`"format":"hearsay model"`, `"format":"pickle"`, "not a model file"},
	{`"version":1`, `"version":2`, "version 2"},
	{`"kind":"multinomial"`, `"kind":"forest"`, "forest"},
	{`"kind":"multinomial"`, `"kind":"logistic"`, "with 3 classes"},
	{`"kind":"multinomial"`, `"kind":"mlp"`, "0 hidden layers"},
	{`"kind":"multinomial"`, `"kind":"mlp","hidden":[1000000],"activation":"tanh"`, "1000000 units"},
	{`"kind":"multinomial"`, `"kind":"mlp","hidden":[4096,4096],"activation":"tanh"`, "parameters"},
	{`"kind":"multinomial"`, `"kind":"mean"`, "predicts nothing"},
	{`"task":"classification"`, `"task":"regression"`, "3 classes"},
	{`["big","medium","small"]`, `["big","big","small"]`, "two classes"},
	{`["big","medium","small"]`, `["big","medium"]`, "parameters where"},
	{`"missing":"drop"`, `"missing":"mean"`, "mean"},
	{`"row_norm":null`, `"row_norm":3`, "norm 3"},
	{`"features":["age"`, `"features":["size"`, "target"},
	{`"features":["age"`, `"features":["colour=red"`, "each once"},
	{`"features":["age"`, `"features":["year"`, "column"},
	{`"red","green","blue"`, `"red","red","blue"`, "category"},
	{`"fill":{"colour":"red"}`, `"fill":{"colour":"pink"}`, "pink"},
	{`"factor":0.25`, `"factor":1e999`, "not a model file"},
	{`"limit":1}`, `"limit":-1}`, "limited"},
	{`"class_weights":{"big":3}`, `"class_weights":{"huge":3}`, "huge"},
	{`"with_intercept":true`, `"with_intercept":false`, "parameters where"},
	{`"parameters":[`, `"parameters":[null,`, "parameters where"},
	{`"parameters":[`, `"parameters":[7,`, "parameters where"},
	{`{"format"`, `[{"format"`, "not a model file"},
}

// A file that was tampered with is refused with one line and a hint.
func TestHostileFilesAreRefused(t *testing.T) {
	models(t)
	text := string(trainedOnce.text["multinomial"])
	for _, h := range hostile {
		if !strings.Contains(text, h.from) {
			t.Fatalf("the file has no %s:\n%s", h.from, text)
		}
		_, err := trained.Read([]byte(strings.Replace(text, h.from, h.to, 1)), 0)
		if err == nil || !strings.Contains(err.Error(), h.says) || fault.Hint(err) == "" || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v (%s)", h.to, err, fault.Hint(err))
		}
	}
	if _, err := trained.Read([]byte(text), 1); err == nil || !strings.Contains(err.Error(), "no trial 1 among 1") {
		t.Errorf("trial 1: %v", err)
	}
	first := strings.Index(text, `"parameters":[`) + len(`"parameters":[`)
	missing := text[:first] + "null" + text[first+strings.IndexAny(text[first:], ",]"):]
	if _, err := trained.Read([]byte(missing), 0); err == nil || !strings.Contains(err.Error(), "not a number") {
		t.Errorf("a parameter of null: %v", err)
	}
}

// Whatever the bytes are: an error, or a model that predicts without harm.
func FuzzRead(f *testing.F) {
	seed := `{"format":"hearsay model","version":1,"kind":"logistic","task":"classification","with_intercept":true,"target":"y","classes":["a","b"],` +
		`"features":["x","c=u","c=v"],"columns":[],"categories":{"c":["u","v"]},"missing":"error","row_norm":1,"trials":[{"seed":"1","coefficients":{"x":1,"c=u":2,"c=v":3},"intercept":0.5}]}`
	f.Add([]byte(seed))
	f.Add([]byte(`{"format":"hearsay model","version":2,"kind":"logistic","task":"classification","with_intercept":false,"target":"y","classes":["a","b"],"features":["p","q"],` +
		`"encoding":{"seed":"3","steps":[{"project":1}]},"missing":"error","row_norm":1,"trials":[{"seed":"1","parameters":[2]}]}`))
	for _, change := range [][2]string{
		{`"logistic"`, `"mlp","hidden":[2],"activation":"tanh"`}, {`"row_norm":1`, `"row_norm":null,"parameters":[1,2]`}, {`["a","b"]`,
			`["1","1.0"]`}, {`:1,"c=u"`, `:1e308,"c=u"`}, {`"columns":[]`, `"columns":[{"name":"x","factor":1e308}]`},
	} {
		f.Add([]byte(strings.Replace(seed, change[0], change[1], 1)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := trained.Read(text, 0)
		if err != nil {
			if fault.Hint(err) == "" {
				t.Fatalf("%v has no hint", err)
			}
			return
		}
		d := len(m.File.Features)
		if d > 1000 {
			return
		}
		sheet := &dataset.Sheet{X: make([]float64, 2*d), Place: []int{0, -1, 1}, Labels: []string{"a", "b", ""}}
		for i := range sheet.X {
			sheet.X[i] = float64(i) * 1e300
		}
		p := m.Predict(sheet)
		m.Score(sheet)
		if err := m.WriteCSV(&bytes.Buffer{}, sheet, p, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := m.ONNX(); err != nil && m.File.Encoding == nil {
			t.Fatal(err)
		}
	})
}
