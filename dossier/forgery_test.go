package dossier

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// A forgery is a dossier with one thing in its numbers changed.
type forgery struct {
	path string
	root any
}

// about is what an error about the forgery names at least: the field at the top, if it is not one that says what the others are.
func (f forgery) about() string {
	name := strings.FieldsFunc(f.path, func(r rune) bool { return strings.ContainsRune(".[ ", r) })[0]
	if slices.Contains([]string{"spec", "spec_hash", "asks", "about", "whose", "federated", "facts", "format", "version", "compared"}, name) {
		return ""
	}
	return name
}

// forgeries are all ways to change one leaf, to leave one key or entry out, and to add one.
func forgeries(t *testing.T, d *Dossier) (all []forgery) {
	t.Helper()
	root, err := d.plain()
	if err != nil {
		t.Fatal(err)
	}
	add := func(path string) { all = append(all, forgery{path, clone(t, root)}) }
	var walk func(path string, value any, put func(any))
	walk = func(path string, value any, put func(any)) {
		switch x := value.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(x)) {
				own := x[key]
				walk(path+"."+key, own, func(v any) { x[key] = v })
				delete(x, key)
				add(path + "." + key + " left out")
				x[key] = own
			}
			x["more"] = "x"
			add(path + ".more added")
			delete(x, "more")
		case []any:
			for i, own := range x {
				walk(fmt.Sprintf("%s[%d]", path, i), own, func(v any) { x[i] = v })
			}
			if len(x) > 0 {
				put(x[:len(x)-1])
				add(path + " shortened")
				put(append(slices.Clip(x), x[len(x)-1]))
				add(path + " lengthened")
				put(x)
			}
		default:
			for _, other := range changed(value) {
				if other == value {
					continue
				}
				put(other)
				add(fmt.Sprintf("%s = %v", path, other))
			}
			put(value)
		}
	}
	walk("", root, func(any) {})
	return all
}

// changed are other values than one.
func changed(value any) []any {
	switch x := value.(type) {
	case string:
		return []any{"x" + x}
	case json.Number:
		number, _ := x.Float64()
		return []any{json.Number(fmt.Sprint(number/2 + 1)), nil}
	case bool:
		return []any{!x}
	}
	return []any{json.Number("1")}
}

func clone(t *testing.T, value any) any {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	other, err := decoded(text)
	if err != nil {
		t.Fatal(err)
	}
	return other
}

// passes checks a dossier of these numbers, on the page that shows them if there is one.
func passes(t *testing.T, root any) error {
	t.Helper()
	text, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	var d Dossier
	if json.Unmarshal(text, &d) == nil {
		plain, err := d.plain()
		if err != nil {
			t.Fatal(err)
		}
		if _, apart := compare("", root, plain, 0); apart == nil { // a page of these numbers and no others
			return checked(t, must(t, d.Page))
		}
	}
	return checked(t, slices.Concat([]byte("<p>x"+openNumbers), text, []byte(closeNumbers)))
}

func checked(t *testing.T, page []byte) error {
	t.Helper()
	f, err := Read(page, "board.html")
	if err != nil {
		return err
	}
	_, err = f.Recompute(t.Context(), Expect{}, Options{}, "board.html")
	return err
}

// Whatever is changed in a dossier, left out or added, its check fails, on a page that shows the change too.
func TestNoForgedFieldPasses(t *testing.T) {
	for name, d := range map[string]*Dossier{
		"planned":   planned(t, federated(t, 3, newKey(t), shortWalk), Ask{"p1", "2"}).Dossier,
		"records":   planned(t, parsed(t, strings.Replace(small, "sigma: 3", "sigma: 3, unit: record", 1))).Dossier,
		"nodes":     planned(t, parsed(t, small), Ask{"1", "2"}).Dossier,
		"simulated": finished(t, ran(t, small, true), Ask{"0", "2"}),
		"joined":    attested(t),
	} {
		t.Run(name, func(t *testing.T) {
			root, err := d.plain()
			if err != nil {
				t.Fatal(err)
			}
			if err := passes(t, root); err != nil {
				t.Fatalf("what was not changed: %v", err)
			}
			all := forgeries(t, d)
			if len(all) < 150 {
				t.Fatalf("only %d forgeries", len(all))
			}
			for _, f := range all {
				switch err := passes(t, f.root); {
				case err == nil:
					t.Errorf("%s passes", f.path)
				case !strings.Contains(err.Error(), "board.html") || !strings.Contains(strings.ToLower(err.Error()), f.about()):
					t.Errorf("%s: %v", f.path, err)
				}
			}
		})
	}
}

func passesAsWritten(t *testing.T, d *Dossier) error {
	t.Helper()
	f, err := Write(d)
	if err != nil {
		t.Fatal(err)
	}
	return checked(t, f.Bytes())
}

const small = "graph: ring:4\ndata: {source: two-gaussians, features: 2, rows: 4, normalise: unit}\nmodel: {kind: logistic}\n" +
	"algorithm: {kind: gossip-gd, steps: 3, step_size: 0.3, clip: 0.5}\nprivacy: {sigma: 3, accountant: local}\n"

func parsed(t *testing.T, text string) *spec.Spec {
	t.Helper()
	s, err := experiment.Parse([]byte(text), "spec.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ran is the folder of a simulation, compared with models without noise if it is to be.
func ran(t *testing.T, text string, compare bool) (dir string) {
	t.Helper()
	priced, err := experiment.Prepare(t.Context(), parsed(t, text), nil)
	if err != nil {
		t.Fatal(err)
	}
	bundle, err := priced.Run(t.Context(), nil)
	if err == nil && compare {
		bundle.Result.Baselines, err = priced.Compare(t.Context(), bundle.Result, func(string) {}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), "out")
	if err := report.WriteDir(t.Context(), dir, bundle); err != nil {
		t.Fatal(err)
	}
	return dir
}

func finished(t *testing.T, dir string, asks ...Ask) *Dossier {
	t.Helper()
	d, err := Finished(t.Context(), dir, Options{Asks: asks})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// What a result says of losses and scores, and its simulation does not, is found where that is run again.
func TestAnEditedResultIsFound(t *testing.T) {
	for name, edit := range map[string]struct {
		change func(result map[string]any)
		names  string
	}{
		"outcome[0]":       {func(r map[string]any) { r["final"].(map[string]any)["test_accuracy"] = 0.001 }, "outcome[0]"},
		"claim.status":     {func(r map[string]any) { r["privacy"].(map[string]any)["status"] = "published" }, "status is"},
		"claim.unit":       {func(r map[string]any) { r["privacy"].(map[string]any)["unit"] = "record" }, "claim.record"},
		"claim.sigma":      {func(r map[string]any) { r["privacy"].(map[string]any)["sigma"] = 30 }, "claim.sigma"},
		"name":             {func(r map[string]any) { r["name"] = "safe" }, "name"},
		"more than it ran": {func(r map[string]any) { r["steps"] = 1 }, "run.turns"},
	} {
		dir := ran(t, small, false)
		path := filepath.Join(dir, resultFile)
		var result map[string]any
		if err := read(dir, resultFile, &result); err != nil {
			t.Fatal(err)
		}
		edit.change(result)
		text, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := passesAsWritten(t, finished(t, dir)); err == nil || !strings.Contains(err.Error(), edit.names) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Another release's dossier cannot be checked here, whatever stands on its page.
func TestAnotherReleaseIsAnError(t *testing.T) {
	f := planned(t, federated(t, 3, newKey(t), walking))
	d := *f.Dossier
	d.Version = "v9.9.9"
	for _, page := range [][]byte{must(t, d.Page), bytes.Replace(must(t, d.Page), []byte("<body>"), []byte("<body><script>alert(1)</script>"), 1)} {
		if err := checked(t, page); err == nil || !strings.Contains(err.Error(), "v9.9.9") {
			t.Errorf("%v", err)
		}
	}
}

func must(t *testing.T, page func() ([]byte, error)) []byte {
	t.Helper()
	text, err := page()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Signatures of a spec are those of that spec, or the check fails and no dossier is made of it.
func TestSignaturesOfTheSpecAreChecked(t *testing.T) {
	key := newKey(t)
	unsigned := planned(t, federated(t, 3, key, walking))
	s := parsed(t, unsigned.Spec)
	hash, err := federation.HashOf(s)
	if err != nil {
		t.Fatal(err)
	}
	s.Signatures = map[string]string{"p0": federation.Sign(key, hash).String()}
	f := planned(t, s)
	c, err := f.Verify(Expect{}, "board.html")
	if err != nil || !slices.Equal(c.Agreed, []string{"p0"}) || !slices.Equal(c.Missing, []string{"p1", "p2"}) {
		t.Fatalf("%v, %+v", err, c)
	}
	for name, edit := range map[string]func(*spec.Spec){
		"more noise":   func(s *spec.Spec) { *s.Privacy.Sigma = 40 },
		"of nobody's":  func(s *spec.Spec) { s.Signatures["p1"] = s.Signatures["p0"] },
		"of another":   func(s *spec.Spec) { s.Signatures["p0"] = key.Sign("dossier", hash[:]).String() },
		"no signature": func(s *spec.Spec) { s.Signatures["p0"] = "x" },
	} {
		other := parsed(t, f.Spec)
		edit(other)
		if _, err := Plan(t.Context(), other, Options{}); err == nil || !strings.Contains(err.Error(), "signatures") {
			t.Errorf("%s: a dossier is made, %v", name, err)
		}
		text, err := other.YAML()
		if err != nil {
			t.Fatal(err)
		}
		edited, err := federation.HashOf(other)
		if err != nil {
			t.Fatal(err)
		}
		d := *f.Dossier
		d.Spec, d.Hash = string(text), fmt.Sprintf("%x", edited)
		if err := passesAsWritten(t, &d); err == nil || !strings.Contains(err.Error(), "signatures") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// shortWalk is a walk that is explained at once: each forgery has it explained again.
var shortWalk = strings.Replace(walking, "steps: 12", "steps: 6", 1)

// attested is the dossier of a run, of the facts that its node has signed.
func attested(t *testing.T) *Dossier {
	t.Helper()
	key := newKey(t)
	s := federated(t, 3, key, shortWalk)
	f, err := federation.Open(t.Context(), s, "p0")
	if err != nil {
		t.Fatal(err)
	}
	facts := federation.Facts{Participant: "p0", Spec: fmt.Sprintf("%x", f.Hash), Sizes: []int{2}, Contributed: 3, Releases: 5, Ended: true,
		Ledger: federation.End{Entries: 9, Hash: strings.Repeat("ab", 32)}}
	d, err := ofFacts(t.Context(), f.Spec, federation.Attest(key, facts), Options{Asks: []Ask{{"p0", "p2"}}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Facts that are signed by another key, or are of another spec, make no dossier.
func TestFactsAreTheNodesOwn(t *testing.T) {
	key, other := newKey(t), newKey(t)
	f, err := federation.Open(t.Context(), federated(t, 3, key, walking), "p0")
	if err != nil {
		t.Fatal(err)
	}
	facts := federation.Facts{Participant: "p0", Spec: fmt.Sprintf("%x", f.Hash)}
	elsewhere := facts
	elsewhere.Spec = strings.Repeat("0", 64)
	for name, a := range map[string]*federation.Attested{
		"another key": federation.Attest(other, facts), "another spec": federation.Attest(key, elsewhere),
		"edited": {Facts: federation.Facts{Participant: "p0", Spec: facts.Spec, Contributed: 1}, Signature: federation.Attest(key, facts).Signature},
		"nobody": federation.Attest(key, federation.Facts{Participant: "p7", Spec: facts.Spec}),
	} {
		if _, err := ofFacts(t.Context(), f.Spec, a, Options{}); err == nil {
			t.Errorf("%s: a dossier is made", name)
		}
	}
}
