package experiment

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

func beginningSpec(t *testing.T, algorithm, privacy string) *spec.Spec {
	t.Helper()
	s, err := Parse([]byte("{data: {source: two-gaussians, features: 3, rows: 9, normalise: unit}, graph: ring:6, model: {kind: logistic}, "+
		"algorithm: {"+algorithm+"}, privacy: {"+privacy+"}}"), "spec")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// beginning returns the prepared small run of an algorithm that begins with x, or as usual if x is nil.
func beginning(t *testing.T, algorithm, privacy string, x []float64) *Priced {
	t.Helper()
	s := beginningSpec(t, algorithm, privacy)
	if x != nil {
		s.Model.Earlier = &spec.Earlier{Spec: "sha256:" + strings.Repeat("ab", 32), Parameters: x}
	}
	return prepare(t, s)
}

// The losses are those of a run with any start, zeros given as numbers are the usual start to the bit, and another start is another run.
func TestLossesHoldForEveryStart(t *testing.T) {
	testdata.Sequential(t)
	for _, c := range [][2]string{
		{"kind: gossip-gd, steps: 5, step_size: 0.5, clip: 0.3", "local"}, {"kind: gossip-gd, steps: 5, step_size: 0.5, clip: 0.3, gossip_steps: 2", "flow"},
		{"kind: gossip-sgd, batch: 4, steps: 5, step_size: 0.5, clip: 0.3, pairwise: 5", "pairwise"},
	} {
		var losses, models []float64
		for _, x := range [][]float64{nil, {0, 0, 0, 0}, {3, -1, 0.5, 2}} {
			p := beginning(t, c[0], "sigma: 4, accountant: "+c[1], x)
			last, err := p.Algorithm.Trial(t.Context(), 1, func(int, []float64, float64) {})
			if err != nil {
				t.Fatal(c, err)
			}
			own := p.Accounting.Own()
			losses, models = append(losses, float64(own.Max)), append(models, last[0])
			said := slices.ContainsFunc(own.Assumptions, func(a string) bool {
				return strings.HasPrefix(a, report.BeginsWith) && strings.Contains(a, "abababababab")
			})
			if said != (x != nil) {
				t.Errorf("%v from %v: assumptions %q", c, x, own.Assumptions)
			}
		}
		if losses[0] != losses[1] || losses[0] != losses[2] || models[0] != models[1] || models[0] == models[2] {
			t.Errorf("%v: losses %v, a parameter %v", c, losses, models)
		}
	}
}

// A file is read into the resolved spec, which then repeats the run without it. A model that is not charged as public, one of other
// columns or classes, and a start of another length are refused.
func TestAnEarlierModelIsReadOnce(t *testing.T) {
	testdata.Sequential(t)
	const gd = "kind: gossip-gd, steps: 5, step_size: 0.5, clip: 0.3"
	first := beginning(t, gd, "sigma: 4, accountant: local", nil)
	bundle, err := first.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := report.WriteDir(t.Context(), filepath.Join(dir, "one"), bundle); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "one", "model.json")
	s := beginningSpec(t, gd, "sigma: 4, accountant: local")
	s.Dir, s.Model.Earlier = dir, &spec.Earlier{File: "one/model.json"}
	if moved := RelativeTo(s, filepath.Join(dir, "two")); moved.Model.Earlier.File != filepath.Join("..", "one", "model.json") {
		t.Error(moved.Model.Earlier)
	}
	p := prepare(t, s)
	if said := p.privacy(); !slices.ContainsFunc(report.Show(&report.Result{Privacy: said}).Warnings, func(w string) bool { return w == said.Begins() && strings.HasPrefix(w, "The run begins") }) {
		t.Errorf("no warning says what the run begins with: %q", said.Begins())
	}
	again, err := p.Spec.YAML()
	if err != nil || strings.Contains(string(again), dir) {
		t.Fatalf("%v\n%s", err, again)
	}
	other, err := Parse(again, "resolved")
	if err != nil || !reflect.DeepEqual(other.Model.Earlier, p.Spec.Model.Earlier) || len(other.Model.Earlier.Parameters) != 4 {
		t.Fatal(err, other.Model.Earlier)
	}

	for name, change := range map[string]func(m map[string]any){
		"not charged": func(m map[string]any) { m["charged"] = false },
		"is no hash":  func(m map[string]any) { m["begins_with"] = []string{"sha256:\n<b>"} },
		"has not ended": func(m map[string]any) {
			m["notice"] = "INCOMPLETE: this is the model after turn 2 of 5, and the run has not ended."
		},
		"not the final model": func(m map[string]any) {
			m["home"] = map[string]any{"near": true, "weight": 1, "rows": 3, "chosen": "so"}
		},
		"published":    func(m map[string]any) { m["claim"].(map[string]any)["status"] = "published" },
		"epsilon":      func(m map[string]any) { m["claim"].(map[string]any)["epsilon"] = nil },
		"in kind":      func(m map[string]any) { m["kind"] = "hinge" },
		"in classes":   func(m map[string]any) { m["target"] = "another" },
		"no such file": func(m map[string]any) { s.Model.Earlier = &spec.Earlier{File: "nowhere.json"} },
	} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		s.Model.Earlier = &spec.Earlier{File: "changed.json"}
		change(m)
		text, _ = json.Marshal(m)
		if err := os.WriteFile(filepath.Join(dir, "changed.json"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), s, nil); err == nil || fault.Hint(err) == "" || name != "no such file" && !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.Model.Earlier = &spec.Earlier{Spec: p.Spec.Model.Earlier.Spec, Parameters: []float64{1, 2}}
	if _, err := Open(t.Context(), s, nil); err == nil || !strings.Contains(err.Error(), "2 parameters") {
		t.Error(err)
	}
}
