package spec_test

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

// What is set counts as if the file said so: the same spec comes out as from a file
// that says it.
func TestSettingsAreAsIfWritten(t *testing.T) {
	for _, c := range []struct {
		set     []string
		written string
	}{
		{[]string{"trials=20"}, small + "trials: 20\n"},
		{[]string{"trials=2", " trials = 20 "}, small + "trials: 20\n"},
		{[]string{"data.path=/x y"}, strings.Replace(small, "two-gaussians", "two-gaussians, path: /x y", 1)},
		{[]string{"privacy.sigma=3"}, strings.Replace(small, "sigma: 2", "sigma: 3", 1)},
		{[]string{"privacy.calibrate.mean=1"}, strings.Replace(small, "sigma: 2", "calibrate: {mean: 1}", 1)},
		{[]string{"privacy.calibrate={max: 1}"}, strings.Replace(small, "sigma: 2", "calibrate: {max: 1}", 1)},
		{[]string{"privacy.calibrate.max=4", "privacy.calibrate.mean=1"}, strings.Replace(small, "sigma: 2", "calibrate: {mean: 1}", 1)},
		{[]string{"privacy.calibrate.max=4", "privacy.sigma=2"}, small},
		{[]string{"privacy.calibrate=null", "privacy.calibrate=", "privacy.metric.renyi=~"}, small},
		{[]string{"privacy.metric.renyi=2"}, strings.Replace(small, "sigma: 2", "sigma: 2, metric: {renyi: 2}", 1)},
		{[]string{"privacy.metric.renyi=2", "privacy.metric.epsilon_at_delta=1e-5"},
			strings.Replace(small, "sigma: 2", "sigma: 2, metric: {epsilon_at_delta: 1e-5}", 1)},
		{[]string{"algorithm.step_size={power: 0.75, base: 2}"}, strings.Replace(small, "0.1", "{power: 0.75, base: 2}", 1)},
		{[]string{"algorithm.kind=gossip-gd", "algorithm.gossip_steps=3"},
			strings.Replace(small, "steps: 100", "kind: gossip-gd, gossip_steps: 3, steps: 100", 1)},
		{[]string{"data.drop=[a, b]"}, strings.Replace(small, "two-gaussians", "two-gaussians, drop: [a, b]", 1)},
		{[]string{`data.ranges."blood.pressure"=[0, 200]`, "data.ranges.1=[-1,1]", "data.ranges.1.0=-2"},
			strings.Replace(small, "two-gaussians", `two-gaussians, ranges: {blood.pressure: [0, 200], "1": [-2, 1]}`, 1)},
		{[]string{"graph=er:n=40,p=0.2,seed=1"}, strings.Replace(small, "ring:8", "er:n=40,p=0.2,seed=1", 1)},
		{[]string{"name=", "model={kind: ridge, l2: 0.5}"}, strings.Replace(small, "name: small", "model: {kind: ridge, l2: 0.5}", 1)},
	} {
		want, err := experiment.Parse([]byte(c.written), "small.yaml")
		if err != nil {
			t.Fatalf("%s: %v", c.written, err)
		}
		got, err := experiment.Parse([]byte(small), "small.yaml", c.set...)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v\n%+v\nwritten out\n%+v", c.set, err, got, want)
		}
	}
}

// A setting may name a participant of a list, and a mapping that the file leaves empty.
func TestSettingsBelowListsAndEmptyKeys(t *testing.T) {
	s, err := experiment.Parse([]byte(real), "real.yaml", "participants.1.name=elsewhere", "participants.1.addresses=[]")
	if err == nil || !strings.Contains(err.Error(), `edge to "nice", who is not listed`) {
		t.Errorf("read as %+v, %v", s, err)
	}
	empty := strings.Replace(small, "privacy: {sigma: 2}", "privacy:\nmodel: # as it comes", 1)
	if s, err = experiment.Parse([]byte(empty), "x", "privacy.sigma=7", "model.l2=0.5"); err != nil || *s.Privacy.Sigma != 7 ||
		s.Model.L2 != 0.5 {
		t.Errorf("%+v, %v", s, err)
	}
}

// An error says which setting is wrong, with the reader's own hint; a mistake in
// the file keeps its line.
func TestSettingMistakesAreNamed(t *testing.T) {
	anchored := strings.Replace(small, "privacy: {sigma: 2}", "privacy: &p {sigma: 2}", 1)
	for _, c := range []struct{ text, set, want, hint string }{
		{small, "trails=3", `small.yaml, --set trails=3: unknown field "trails"`, `did you mean "trials"?`},
		{small, "sigma=3", `small.yaml, --set sigma=3: unknown field "sigma"`, `its place is privacy.sigma`},
		{small, "privacy.limits.3.epsilon=1", `small.yaml, --set privacy.limits.3.epsilon=1: unknown field "epsilon"`, `its place is algorithm.`},
		{small, "privcy.sigma=3", `--set privcy.sigma=3: unknown field "privcy"`, `"privacy"`},
		{small, "privacy.sgma=3", `--set privacy.sgma=3: unknown field "sgma"`, `"sigma"`},
		{small, "algorithm.batch=3", "algorithm: walk takes no", "gossip-sgd"},
		{small, "privacy.sigma=lots", `--set privacy.sigma=lots: "lots" is not a number`, "type"},
		{small, "trials=1.5", "trials: 1.5 is not a whole number", "give 1 or 2"},
		{small, "privacy.sigma=-1", "privacy.sigma: -1 is out of range", "between 0 and"},
		{small, "trials", "--set trials: there is no equals sign", "key=value"},
		{small, "=3", "a key is empty", "key=value"},
		{small, "a..b=3", "a key is empty", "key=value"},
		{small, `data."x=3`, "does not end in a quote", "key=value"},
		{small, "data.drop=[a", "--set data.drop=[a: it is not YAML", "as [1, 2]"},
		{small, "algorithm.step_size.power=1", "algorithm.step_size is 0.1, which has no keys", "algorithm.step_size={power: ..}"},
		{strings.Replace(small, "two-gaussians", "two-gaussians, drop: [a]", 1), "data.drop.1=b",
			`data.drop is a list of 1, which has no "1"`, "as a whole"},
		{anchored, "privacy.sigma=3", "privacy has a tag, or an anchor", "write it out"},
		{strings.Replace(small, "clip: 1", "clipp: 1", 1), "trials=3", `small.yaml:5:41: unknown field "clipp"`, `"clip"`},
		{small, strings.Repeat("a.", 100) + "a=1", "levels down", "few levels"},
		{small, "data=" + strings.Repeat("[", 80), "nested", "levels"},
	} {
		_, err := experiment.Parse([]byte(c.text), "small.yaml", c.set)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(fault.Hint(err), c.hint) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v\nhint: %s", c.set, err, fault.Hint(err))
		}
	}
}

// Whatever is set, a spec comes out that its own resolved text reads back as, or an
// error in one line.
func TestAnySettingIsReadOrRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SampledFrom([]string{"seed", "privacy.sigma", "privacy.calibrate.mean", "privacy.metric", "algorithm", "algorithm.start",
			"data.drop", "data.ranges.a", "model.l2", "x", ""})
		value := rapid.OneOf(rapid.SampledFrom([]string{"1", "0.5", "[1, 2]", "{mean: 1}", "{renyi: 2}", "null", "*a", "&a 1", "!!str 1", "- 1",
			"a: b", "", "<<: {seed: 1}", "---\n..."}), rapid.String())
		set := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			return key.Draw(t, "key") + rapid.SampledFrom([]string{"=", ".a=", ".0="}).Draw(t, "sign") + value.Draw(t, "value")
		}), 1, 3).Draw(t, "set")
		s, err := experiment.Parse([]byte(small), "small.yaml", set...)
		if err != nil {
			if fault.Hint(err) == "" {
				t.Fatalf("%v has no hint", err)
			}
			return
		}
		text, err := s.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := experiment.Parse(text, "resolved.yaml")
		if err != nil || again.Seed != s.Seed || again.Privacy.Metric != s.Privacy.Metric {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}
