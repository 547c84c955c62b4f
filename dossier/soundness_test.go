package dossier

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/drawntest"
	"github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// crooked are connected graphs in which no two nodes are alike; two have edges of one way.
var crooked = []struct {
	text  string
	nodes int
}{
	{"er:n=7,p=0.4,seed=3,connected", 7},
	{"edge [source 0 target 1] edge [source 1 target 2] edge [source 2 target 3] edge [source 1 target 3] edge [source 3 target 4]", 5},
	{"edge [source 0 target 1] edge [source 1 target 2] edge [source 2 target 3] edge [source 3 target 0] edge [source 0 target 2] directed 1", 4},
	{"edge [source 4 target 0] edge [source 0 target 1] edge [source 1 target 2] edge [source 2 target 3] edge [source 3 target 4] edge [source 3 target 1] directed 1", 5},
	{"edge [source 0 target 1]", 2},
}

// anySpec is an example of a kind of algorithm with another graph, noise, accountant, metric, unit and observers.
func anySpec(t *rapid.T, files []string, folder string) *spec.Spec {
	file := rapid.SampledFrom(files).Draw(t, "example")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var sets []string
	set := func(key string, values ...string) {
		if v := rapid.SampledFrom(values).Draw(t, key); v != "" {
			sets = append(sets, key+"="+v)
		}
	}
	if strings.Contains(string(text), "\ngraph:") && !strings.HasPrefix(filepath.Base(file), "ring-") {
		g := rapid.SampledFrom(crooked).Draw(t, "graph")
		if strings.HasPrefix(g.text, "edge") {
			path := filepath.Join(folder, "g.gml")
			var nodes strings.Builder
			for v := range g.nodes {
				fmt.Fprintf(&nodes, "node [id %d label %q]\n", v, fmt.Sprintf("house %c", 'z'-v))
			}
			if err := os.WriteFile(path, []byte("graph [\n"+nodes.String()+g.text+"\n]\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			g.text = path
		}
		sets = append(sets, "graph="+g.text)
	} else {
		n := rapid.IntRange(4, 9).Draw(t, "nodes")
		if strings.Contains(string(text), "\ngraph:") {
			sets = append(sets, fmt.Sprintf("graph=ring:%d", n))
		} else {
			sets = append(sets, fmt.Sprintf("nodes=%d", n))
		}
	}
	if strings.Contains(string(text), "steps:") {
		set("algorithm.steps", "3", "8", "30")
	}
	if strings.Contains(string(text), "draw:") {
		sets = append(sets, "algorithm.draw=2")
	}
	set("privacy", "{sigma: 2}", "{sigma: 0.7}", "{calibrate: {max: 2}}", "{calibrate: {mean: 1}}")
	set("privacy.accountant", "", "sound", "sound", "local", "path", "flow", "exact", "published")
	set("privacy.metric", "", "", "{epsilon_at_delta: 1.0e-3}", "{epsilon_at_delta: 1.0e-9}", "{renyi: 2}")
	set("privacy.unit", "", "record")
	set("privacy.sender", "", "", "known", "hidden")
	s, err := experiment.Load(file, sets...)
	if err != nil {
		t.Skip(err)
	}
	return s
}

// usualDraws is how many specs are tried unasked.
const usualDraws = 50

// Whatever is run has one number: the plan, the run, its resolved spec, what is explained and the dossier, made before and after,
// state the same losses, of the same unit, towards the same observers, and worked out again they are the same.
func TestOneNumberEverywhere(t *testing.T) {
	testdata.Sequential(t)
	files, err := filepath.Glob(filepath.Join("..", "examples", "kinds", "*.yaml"))
	if err != nil || len(files) < 10 {
		t.Fatalf("examples are %v, %v", files, err)
	}
	folder, drawn, pairs := t.TempDir(), 0, 0
	rapid.Check(t, func(t *rapid.T) {
		if drawn == usualDraws && os.Getenv(draws.Variable) == "" {
			return // all of them take a minute; HEARSAY_DRAWS=any tries as many as -rapid.checks says
		}
		s := anySpec(t, files, folder)
		setup, err := experiment.Prepare(t.Context(), s, nil)
		if err != nil {
			t.Skip(err)
		}
		drawn++
		plan, err := setup.Plan()
		if err != nil {
			t.Fatal(err)
		}
		bundle, err := setup.Run(t.Context(), nil)
		if err != nil {
			t.Skip(err)
		}
		out := filepath.Join(folder, fmt.Sprintf("out%d", drawn))
		if err := report.WriteDir(t.Context(), out, bundle); err != nil {
			t.Fatal(err)
		}
		var r report.Result
		if err := read(out, resultFile, &r); err != nil {
			t.Fatal(err)
		}
		alikeIn(t, "the run", &plan.Privacy, &r.Privacy)

		resolved, err := experiment.Load(filepath.Join(out, specFile))
		if err != nil {
			t.Fatalf("the resolved spec: %v", err)
		}
		again, err := experiment.Prepare(t.Context(), resolved, nil)
		if err != nil {
			t.Fatalf("the resolved spec: %v", err)
		}
		if p, err := again.Plan(); err != nil {
			t.Fatal(err)
		} else {
			alikeIn(t, "the resolved spec", &plan.Privacy, &p.Privacy)
		}
		if explained(t, setup, &plan.Privacy) {
			pairs++
		}

		o := Options{}
		before, err := Plan(t.Context(), s, o)
		if err != nil {
			t.Fatal(err)
		}
		after, err := Finished(t.Context(), out, o)
		if err != nil {
			t.Fatal(err)
		}
		for name, d := range map[string]*Dossier{"before": before, "after": after} {
			if c, p := &d.Claim, &plan.Privacy; c.Observer != leading(p).Observer || c.Model != leading(p).ModelCharged || c.Unit != p.Unit || c.Accountant != leading(p).Accountant ||
				c.Status != leading(p).Status || !same(float64(c.Worst), float64(leading(p).Max)) {
				t.Fatalf("the dossier %s says %+v, the plan %+v", name, c, p)
			}
			f, err := Write(d)
			if err != nil {
				t.Fatal(err)
			}
			read, err := Read(f.Bytes(), name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := read.Verify(Expect{}, name); err != nil {
				t.Fatal(err)
			}
			if _, err := read.Recompute(t.Context(), Expect{}, o, name); err != nil {
				t.Fatal(err)
			}
		}
	})
	drawntest.Often(t, "pairs are explained", pairs, drawn, 0.3)
}

// alikeIn compares all that two places say of privacy, but for rounding.
func alikeIn(t *rapid.T, where string, want, got *report.Privacy) {
	a, b := plainOf(t, want), plainOf(t, got)
	a["calibrated"] = b["calibrated"] // the noise of a resolved spec is given
	if path, ok := differs("", a, b); ok {
		t.Fatalf("%s differs from the plan in %s:\n%v\n%v", where, path, a, b)
	}
}

func plainOf(t *rapid.T, p *report.Privacy) (all map[string]any) {
	text, err := json.Marshal(p)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// differs is the first place where two decoded texts differ by more than rounding.
func differs(path string, a, b any) (string, bool) {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return path, true
		}
		for key, v := range x {
			if at, ok := differs(path+"."+key, v, y[key]); ok {
				return at, true
			}
		}
		return "", false
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return path, true
		}
		for i, v := range x {
			if at, ok := differs(fmt.Sprintf("%s[%d]", path, i), v, y[i]); ok {
				return at, true
			}
		}
		return "", false
	case float64:
		y, ok := b.(float64)
		return path, !ok || math.Abs(x-y) > 1e-9*max(math.Abs(x), math.Abs(y))
	}
	return path, a != b
}

// explained asks for one pair and compares; false where there are no pairs.
func explained(t *rapid.T, setup *experiment.Priced, p *report.Privacy) bool {
	if p.Nodes == nil || setup.Algorithm.Pairs() != nil || p.Order != 0 {
		return false
	}
	one := p.Nodes.Each[rapid.IntRange(0, len(p.Nodes.Each)-1).Draw(t, "about")]
	if one.Towards < 0 {
		return false
	}
	e, err := setup.Explain(one.Node, one.Towards)
	if err != nil {
		t.Fatal(err)
	}
	a := setup.Accounting.Of(e.Accountant)
	if first := &setup.Accounting.Accounts[0]; first.Part != nil {
		a = first // the least of several is what everybody is told first
	}
	if a == nil || a.At == nil {
		return false
	}
	if want := a.At(one.Node, one.Towards); !same(e.Epsilon, want) {
		t.Fatalf("%d towards %d: %s states %v, explained (%s) as %v", one.Node, one.Towards, a.Accountant, want, e.Accountant, e.Epsilon)
	}
	if a.Accountant == p.Nodes.Accountant && !same(e.Epsilon, float64(one.Loses)) {
		t.Fatalf("%d towards %d: explained as %v, in the table of nodes it is %v", one.Node, one.Towards, e.Epsilon, one.Loses)
	}
	if strings.Contains(fmt.Sprint(e.Text), "even if others pool") && a.Observer != privacy.Everybody.String() {
		t.Fatalf("%s holds towards %s, and is explained as: %v", e.Accountant, a.Observer, e.Text)
	}
	return true
}
