package spec_test

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/spec"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

const small = `
name: small
data: {source: two-gaussians}
graph: ring:8
algorithm: {steps: 100, step_size: 0.1, clip: 1}
privacy: {sigma: 2}
`

func TestCanonicalSpecIsRead(t *testing.T) {
	testdata.Both(t, testdata.Canonical(t, 10), "spec/houses.yaml", func(t *testing.T, path string) {
		s, err := experiment.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if s.Nodes != 2048 || s.Graph != "hypercube:11" || s.Algorithm.StepSize.Base != 0.003 || s.Privacy.Calibrate.Mean != 1 ||
			s.Privacy.Accountant != "published" || s.Algorithm.Contributions != 12 || s.Report.Every != 100 {
			t.Errorf("read as %+v", s)
		}
		if !strings.HasSuffix(s.Data.Path, "/data/houses/houses.csv") || strings.Contains(s.Data.Path, "..") {
			t.Errorf("data path %q is not resolved", s.Data.Path)
		}
	})
}

// The resolved spec reads back as itself.
func TestResolvedSpecRoundTrips(t *testing.T) {
	for _, change := range []string{"", "seed: 9\n", "trials: 3\n"} {
		s, err := experiment.Parse([]byte(small+change), "small.yaml")
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []spec.StepSize{{Base: 0.5}, {Base: 2, Power: 0.75}} {
			s.Algorithm.StepSize = size
			text, err := s.YAML()
			if err != nil {
				t.Fatal(err)
			}
			again, err := experiment.Parse(text, "resolved.yaml")
			if err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
			if !reflect.DeepEqual(s, again) {
				t.Errorf("wrote\n%s\nread %+v", text, again)
			}
		}
	}
}

// drop: [] is another wish than no drop at all: heart drops some by default.
func TestDropNothingStaysNothing(t *testing.T) {
	for text, want := range map[string]spec.Columns{"": nil, ", drop: []": {}, ", drop: [a]": {"a"}} {
		s, err := experiment.Parse([]byte(strings.Replace(small, "two-gaussians", "two-gaussians"+text, 1)), "small.yaml")
		if err != nil {
			t.Fatal(err)
		}
		resolved, err := s.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := experiment.Parse(resolved, "resolved.yaml")
		if err != nil || !reflect.DeepEqual(s.Data.Drop, want) || !reflect.DeepEqual(again.Data.Drop, want) {
			t.Errorf("%q is read as %#v and resolved to %#v, %v", text, s.Data.Drop, again.Data.Drop, err)
		}
	}
}

// Numbers that some YAML readers take for text are written so that none does.
func TestNumbersStayNumbers(t *testing.T) {
	s, err := experiment.Parse([]byte(strings.Replace(small, "step_size: 0.1", "step_size: 1e-7", 1)+"model: {l2: 1e-9}\n"), "small.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.YAML()
	if err != nil || !strings.Contains(string(text), "step_size: 1.0e-07") || !strings.Contains(string(text), "l2: 1.0e-09") {
		t.Errorf("%v\n%s", err, text)
	}
	plain, err := s.Plain()
	if l2 := plain.(map[string]any)["model"].(map[string]any)["l2"]; err != nil || l2 != 1e-9 {
		t.Errorf("l2 is %#v in JSON, %v", l2, err)
	}
}

func TestStepSizeSpellings(t *testing.T) {
	for text, want := range map[string]spec.StepSize{
		"0.25": {Base: 0.25}, "1": {Base: 1}, "{power: 0.75}": {Base: 1, Power: 0.75}, "{power: 1, base: 0.5}": {Base: 0.5, Power: 1},
	} {
		s, err := experiment.Parse([]byte(strings.Replace(small, "step_size: 0.1", "step_size: "+text, 1)), "s")
		if err != nil || s.Algorithm.StepSize != want {
			t.Errorf("%s: %+v, %v", text, s, err)
		}
	}
	theory := strings.Replace(small, "step_size: 0.1", "step_size: theory", 1)
	if s, err := experiment.Parse([]byte(theory+"model: {l2: 0.1}\n"), "s"); err != nil || !s.Algorithm.StepSize.Theory {
		t.Errorf("theory: %v", err)
	}
}

// Every mistake is one line that names the value, with a hint.
func TestMistakesAreNamed(t *testing.T) {
	replace := func(old, new string) string { return strings.Replace(small, old, new, 1) }
	earlier := func(keys string) string {
		return "graph: ring:4\ndata: {source: two-gaussians}\nalgorithm: {kind: gossip-gd, steps: 5, step_size: 0.1, clip: 1}\nprivacy: {sigma: 2}\nmodel: {earlier: {" + keys + "}}\n"
	}
	for _, c := range []struct{ text, want, hint string }{
		{small + "trails: 3\n", `small.yaml:7:1: unknown field "trails"`, `did you mean "trials"?`},
		{small + "model: {start: earlier}\n", `unknown field "start"`, "model.earlier: {file: model.json}"},
		{small + "model: {earlier: {file: model.json}}\n", "model.earlier: kind walk begins with", "gossip-gd or gossip-sgd"},
		{earlier("file: model.json, spec: x"), "a file, and what the file says", "give file, or"},
		{earlier("spec: x, parameters: [1]"), `model.earlier.spec: "x" is no hash`, "sha256:HEX"},
		{earlier("spec: sha256:" + strings.Repeat("0", 64)), "model.earlier.parameters: 0 numbers", "1 to 100000"},
		{earlier("spec: sha256:" + strings.Repeat("0", 64) + ", parameters: [1, .nan]"), "model.earlier.parameters: number 2 is NaN", "1e+09"},
		{earlier("spec: sha256:" + strings.Repeat("0", 64) + ", parameters: [1, -2e9]"), "number 2 is -2e+09", "1e+09"},
		{earlier("spec: sha256:" + strings.Repeat("0", 64) + ", before: [x], parameters: [1]"), `model.earlier.before: "x" is no hash`, "begins_with"},
		{earlier("spec: sha256:" + strings.Repeat("0", 64) + ", before: [" + strings.Repeat("x, ", 101) + "], parameters: [1]"), "model.earlier.before: 101 runs", "begin anew"},
		{replace("clip: 1", "clipp: 1"), `unknown field "clipp"`, `"clip"`},
		{replace("sigma: 2", "sigma: lots"), "small.yaml:6", "type"},
		{replace("sigma: 2", "sigma: -1"), "privacy.sigma: -1 is out of range", "between 0 and"},
		{replace("sigma: 2", "sigma: 1e-78"), "privacy.sigma: 1e-78 is as good as no noise", "0 to run without"},
		{replace("sigma: 2", "sigma: .nan"), "privacy.sigma: NaN is out of range", "between"},
		{replace("sigma: 2", "calibrate: {mean: 1, max: 2}"), "needs one of mean, max, max_beyond_neighbours, pair and observers", "mean: 1"},
		{replace("sigma: 2", ""), "neither sigma nor calibrate", "sigma: 8"},
		{replace("sigma: 2", "sigma: 2, accountant: hopeful"), `privacy.accountant: "hopeful"`, "published"},
		{small + "report: {deltas: [1e-5, 1e-5]}", "report.deltas: 1e-05 stands there twice", "leave one out"},
		{small + "report: {deltas: [1]}", "report.deltas: 1 is out of range", "more than 0 and at most 0.5"},
		{small + "report: {orders: [2, 1]}", "report.orders: 1 is out of range", "more than 1"},
		{small + "report: {orders: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34]}", "33 deltas and orders are more than 32", "fewer"},
		{replace("sigma: 2", "sigma: 2, metric: {renyi: 1}"), "renyi: 1 is out of range", "more than 1"},
		{replace("sigma: 2", "sigma: 2, metric: {renyi: 2, epsilon_at_delta: 0.1}"), "needs one of", "metric"},
		{replace("steps: 100", "steps: 0"), "algorithm.steps: 0 is out of range", "between 1 and"},
		{replace("step_size: 0.1", "step_size: big"), `"big" is not a step size`, "theory"},
		{replace("step_size: 0.1", "step_size: theory"), "strongly convex", "model.l2"},
		{replace("clip: 1", "clip: 0"), "algorithm.clip: 0 is out of range", "more than 0"},
		{replace("clip: 1", "clip: 1, start: \" \""), `" " is not a node`, "uniform"},
		{replace("source: two-gaussians", ""), "data.source: is missing", "houses"},
		{replace("graph: ring:8", ""), "graph: is missing", "hypercube"},
		{"a: [", "small.yaml:1", "examples"},
		{" \n", "small.yaml: the file is empty", "examples"},
		{small + "\x00", "small.yaml: the file is not text", "examples"},
		{small + "trials: 1.5", "trials: 1.5 is not a whole number", "give 1 or 2"},
		{small + "trials: lots", `small.yaml:7:9: "lots" is not a whole number`, "type"},
		{small + "seed: -3", "-3 is out of range", "whole number"},
		{replace("source: two-gaussians", "source: csv, ranges: {a: [1, 2, 3]}"), "[1 2 3] is not a range", "[0, 120]"},
		{replace("clip: 1", "clip: 1, kind: gossip-gd, tokens: 2"), "algorithm.tokens: 2, but gossip-gd", "kind: walk"},
		{replace("clip: 1", "clip: 1, tokens: 0"), "algorithm.tokens: 0 is out of range", "between 1 and"},
		{replace("clip: 1", "clip: 1, tokens: 3, contributions: 2"), "algorithm.contributions: 2 of a node", "3 or more"},
		{replace("clip: 1", "clip: 1, tokens: 3, start: [0, 1]"), "algorithm.start: 2 nodes for algorithm.tokens: 3", "one for every token"},
		{replace("clip: 1", "clip: 1, tokens: 2, start: [0, [1]]"), "algorithm.start: a list in a list", "for each token"},
		{replace("clip: 1", "clip: 1, combine: apart"), "algorithm.combine: apart, but there is one token", "tokens to 2"},
		{replace("clip: 1", "clip: 1, tokens: 2, combine: sum"), `algorithm.combine: "sum" is not known`, "average, apart"},
		{replace("clip: 1", "clip: 1, tokens: 2, combine: apart, average: half"), "algorithm.average: half is of one model", "combine: average"},
		{replace("clip: 1", "clip: 1, skip: 1"), "algorithm.skip: 1 is out of range", "between 0 and"},
		{replace("sigma: 2", "sigma: 2, accountant: tight"), `"tight" is not known`, "local"},
		{small + "model: {l2: 0.5, 1: 1}", `unknown field "1"`, "remove it"},
		{small + "federation: {signed: required, 7: 8}", `unknown field "7"`, "remove it"},
		{small + "0: ", `unknown field "0"`, "remove it"},
		{replace("clip: 1", "clip: 1, true: 1"), `unknown field "true"`, "remove it"},
		{replace("sigma: 2", "sigma: 2, metric: {renyi: 2, ~: 3}"), `unknown field "~"`, "remove it"},
		{"just a word", "small.yaml", "examples"},
	} {
		_, err := experiment.Parse([]byte(c.text), "small.yaml")
		if err == nil {
			t.Errorf("no error for\n%s", c.text)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %q, want one line with %q", err, c.want)
		}
		if !strings.Contains(fault.Hint(err), c.hint) {
			t.Errorf("hint %q for %q, want %q", fault.Hint(err), err, c.hint)
		}
	}
}

// Whatever is done to a spec, it is read or refused, and what is read is written so that it
// is read.
func FuzzParse(f *testing.F) {
	texts := []string{"", small, real, "algorithm: {step_size: {power: 1}}", "privacy: {metric: {renyi: 2}}", "data: {source: csv, drop: !x {a: b}}"}
	for which := range texts {
		f.Add(uint8(which), uint16(0), uint8(0), "")
		f.Add(uint8(which), uint16(20), uint8(3), "7: 8")
	}
	f.Fuzz(func(t *testing.T, which uint8, at uint16, cut uint8, insert string) {
		text := []byte(testdata.Edit(texts[int(which)%len(texts)], at, cut, insert))
		s, err := experiment.Parse(text, "fuzz")
		if err != nil {
			if fault.Hint(err) == "" {
				t.Fatalf("no hint for %v", err)
			}
			return
		}
		out, err := s.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := experiment.Parse(out, "resolved"); err != nil {
			t.Fatalf("%v in\n%s", err, out)
		}
	})
}

// Devices and pipes have no end, and aliases multiply: neither is read.
func TestCostlySpecsAreRefused(t *testing.T) {
	if _, err := experiment.Load(os.DevNull); err == nil || !strings.Contains(err.Error(), "device") || fault.Hint(err) == "" {
		t.Errorf("a device: %v", err)
	}
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'j'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.Repeat(fmt.Sprintf("*%c,", c-1), 9))
	}
	if _, err := experiment.Parse([]byte(bomb), "bomb.yaml"); err == nil || !strings.Contains(err.Error(), "aliases") {
		t.Errorf("nine to the ninth values: %v", err)
	}
}
