package cells

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/report"
)

// answerOf is the result of a spec as a worker sends it, with the resolved spec and the losses that are found here.
func answerOf(t *testing.T, path string) (text []byte, spec any, losses *report.Privacy) {
	t.Helper()
	s, err := experiment.Load(path, "trials=1")
	if err != nil {
		t.Fatal(err)
	}
	priced, err := experiment.Prepare(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	bundle, err := priced.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := experiment.Open(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if spec, err = opened.Spec.Plain(); err != nil {
		t.Fatal(err)
	}
	plan, err := priced.Plan()
	if err != nil {
		t.Fatal(err)
	}
	if text, err = json.Marshal(bundle.Result); err != nil {
		t.Fatal(err)
	}
	return text, spec, &plan.Privacy
}

// Of many kinds of algorithms a true result is of its cell's spec and has its losses; one of another spec, or with other losses, ends the sweep.
func TestResultsAreHeldAgainstTheirCells(t *testing.T) {
	var kinds []string
	for _, name := range []string{"averaging-walk", "gossip", "gossip-gd", "ring-sum", "weighted-walk", "walk", "complete-sum"} { // those that run in no time
		kinds = append(kinds, filepath.Join("..", "..", "examples", "kinds", name+".yaml"))
	}
	check := func(text []byte, spec any, losses *report.Privacy, refused error) (by string, err error) {
		by = "nobody"
		accept := func(_ int, worker string, _ []byte) error { by = worker; return nil }
		err = Hold(Price(accept, func(int) (*report.Privacy, error) { return losses, refused }), func(int) (any, error) { return spec, nil })(3, "w", text)
		return by, err
	}
	for _, kind := range kinds {
		text, spec, losses := answerOf(t, kind)
		if by, err := check(text, spec, losses, nil); err != nil || by != "" {
			t.Errorf("%s: %v, by %q", filepath.Base(kind), err, by)
		}
	}
	whole, spec, losses := answerOf(t, filepath.Join("..", "..", "examples", "kinds", "walk.yaml"))
	for name, change := range map[string]func(*report.Result){
		"another seed":      func(r *report.Result) { r.Spec.(map[string]any)["seed"] = 77 },
		"another sigma":     func(r *report.Result) { r.Spec.(map[string]any)["privacy"].(map[string]any)["sigma"] = 99 },
		"no spec":           func(r *report.Result) { r.Spec = nil },
		"one key more":      func(r *report.Result) { r.Spec.(map[string]any)["more"] = 1 },
		"a smaller loss":    func(r *report.Result) { r.Privacy.Mean /= 2 },
		"a smaller worst":   func(r *report.Result) { r.Privacy.Max = 0 },
		"another status":    func(r *report.Result) { r.Privacy.Status = report.Audit },
		"another unit":      func(r *report.Result) { r.Privacy.Unit = "record" },
		"fewer assumptions": func(r *report.Result) { r.Privacy.Assumptions = nil },
		"more noise":        func(r *report.Result) { r.Privacy.Sigma *= 2 },
		"others left out":   func(r *report.Result) { r.Privacy.Others = nil },
	} {
		var r report.Result
		if err := json.Unmarshal(whole, &r); err != nil {
			t.Fatal(err)
		}
		change(&r)
		text, err := json.Marshal(&r)
		if err != nil {
			t.Fatal(err)
		}
		if by, err := check(text, spec, losses, nil); err == nil || fault.Hint(err) == "" || by != "nobody" {
			t.Errorf("%s: %v, by %q", name, err, by)
		}
	}
	if _, err := check(whole, spec, nil, errors.New("no data")); err == nil {
		t.Error("what cannot be priced here is accepted")
	}
	var by []string
	hold := Hold(func(_ int, worker string, _ []byte) error { by = append(by, worker); return nil }, func(int) (any, error) { return spec, nil })
	for _, worker := range []string{"", "w"} {
		if err := hold(0, worker, whole); err != nil {
			t.Error(err)
		}
	}
	if len(by) != 2 || by[0] == "" || by[1] != "w" {
		t.Errorf("%q: a worker without a name is taken for nobody", by)
	}
}
