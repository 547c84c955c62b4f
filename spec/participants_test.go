package spec_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/spec"

	"github.com/hearsay-dp/hearsay/experiment"

	"github.com/hearsay-dp/hearsay/fault"
)

const real = `name: three hospitals
participants:
  - {name: lyon, key: a, addresses: [/ip4/192.0.2.1/tcp/4100], edges: [nice]}
  - {name: nice, key: b, addresses: [/ip4/192.0.2.2/tcp/4100], edges: [lyon, paris]}
  - {name: paris, key: c, edges: [nice]}
federation: {tick: 20ms, deadline: 48h}
data: {source: csv, target: ill, classes: [no, yes], ranges: {age: [0, 100]}}
algorithm: {steps: 100, step_size: 0.1, clip: 1, contributions: 40}
privacy: {sigma: 2, release: final}
`

func TestFederationIsRead(t *testing.T) {
	s, err := experiment.Parse([]byte(real), "real.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if s.Nodes != 3 || s.Graph != spec.EdgesGraph || !reflect.DeepEqual(s.EdgeList(), [][2]int{{0, 1}, {1, 2}}) || s.Number("paris") != 2 ||
		s.Number("rome") != -1 {
		t.Errorf("read as %+v", s)
	}
	want := spec.Federation{Tick: 20 * time.Millisecond, Linger: 10 * time.Second, Unreachable: "wait", Deadline: 48 * time.Hour}
	if !reflect.DeepEqual(*s.Federation, want) || s.FollowsFailures() || s.Privacy.Accountant != "path" || s.Data.Scale != "ranges" || s.Data.Normalise != "unit" ||
		s.Data.Test.Share != 0.2 {
		t.Errorf("defaults are %+v, %+v, %+v", s.Federation, s.Data, s.Privacy)
	}
	text, err := s.YAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := experiment.Parse(text, "resolved.yaml")
	if err != nil || !reflect.DeepEqual(s, again) {
		t.Errorf("wrote\n%s\nread %+v, %v", text, again, err)
	}
}

// What failures decide, only the local accountant prices.
func TestFollowingFailuresIsLocal(t *testing.T) {
	for _, federation := range []string{"{unreachable: around}", "{lease: 10s}"} {
		s, err := experiment.Parse([]byte(strings.Replace(real, "{tick: 20ms, deadline: 48h}", federation, 1)), "real.yaml")
		if err != nil || !s.FollowsFailures() || s.Privacy.Accountant != "local" {
			t.Errorf("%s: %v", federation, err)
		}
	}
}

func TestFederationMistakesAreNamed(t *testing.T) {
	for _, c := range []struct{ old, new, want, hint string }{
		{"name: nice", "name: Lyon", `"Lyon" is both number 0 and number 1`, "own name"},
		{"name: nice", "name: ni/ce", `"ni/ce" is not a name`, "letters"},
		{"key: b", "key: a", "lyon and nice have the same key", "hearsay keys"},
		{"key: b, ", "", "nice has no key", "hearsay keys"},
		{"edges: [lyon, paris]", "edges: [lyon, rome]", `nice has an edge to "rome"`, "as they are listed"},
		{"edges: [lyon, paris]", "edges: [lyon, nice, paris]", "nice has an edge to itself", "remove"},
		{"edges: [lyon, paris]", "edges: [lyon, paris, lyon]", "nice has two edges to lyon", "keep one"},
		{"edges: [lyon, paris]", "edges: [lyon]", "paris has an edge to nice, but nice has none to paris", "both sides"},
		{"{name: paris, key: c, edges: [nice]}", "{name: paris, key: c, edges: [rennes]}\n  - {name: rennes, key: d, edges: [paris]}",
			"nice has an edge to paris", "both sides"},
		{"edges: [lyon, paris]}\n  - {name: paris, key: c, edges: [nice]}", "edges: [lyon]}\n" +
			"  - {name: paris, key: c, edges: [rennes]}\n  - {name: rennes, key: d, edges: [paris]}",
			"no way of edges leads from lyon to paris", "between the parts"},
		{"name: three", "nodes: 4\nname: three", "nodes: 4, but 3 participants", "leave nodes out"},
		{"name: three", "graph: ring:3\nname: three", "ring:3 is given, and edges too", "keep one"},
		{"tick: 20ms", "tick: 20", "real.yaml:6", "type"},
		{"tick: 20ms", "tick: 1ns", "federation.tick: 1ns is out of range", "between"},
		{"tick: 20ms", "tick: soon", "soon", "examples"},
		{"tick: 20ms", "patience: 3s", "no end of patience", "around"},
		{"tick: 20ms", "unreachable: panic", `"panic" is not known`, "wait, around"},
		{"tick: 20ms", "tik: 20ms", `unknown field "tik"`, `"tick"`},
		{"source: csv", "source: houses", `"houses" is not read by a participant`, "--data"},
		{"source: csv", "source: csv, scale: standardise", "knows no statistic of all data", "ranges"},
		{"source: csv", "source: csv, partition: 'dirichlet:0.3'", "each participant brings its own", "leave"},
		{", classes: [no, yes]", "", "data.classes: are missing", "[healthy, ill]"},
		{"classes: [no, yes]", "classes: [no, no]", "both are the same", "different"},
		{"target: ill, ", "", "data.target: is missing", "label"},
		{", ranges: {age: [0, 100]}", "", "data.ranges: are missing", "age"},
		{"clip: 1", "clip: 1, average: half", "no participant sees all iterates", "leave"},
		{", contributions: 40", "", "without a cap", "contributions"},
		{"steps: 100", "kind: central, steps: 100", "central is a baseline", "walk"},
		{"sigma: 2", "sigma: 0", "without noise nothing is private", "sigma"},
		{"sigma: 2", "sigma: 2, metric: {renyi: 2}", "epsilon at a delta", "epsilon_at_delta"},
		{"sigma: 2", "sigma: 2, accountant: published", "not always a bound", "leave"},
		{"sigma: 2", "sigma: 2, sender: hidden", "the wire shows", "leave"},
		{"tick: 20ms, deadline: 48h}", "lease: 9s}\ntrials: 2", "a federation trains once", "leave"},
	} {
		text := strings.Replace(real, c.old, c.new, 1)
		if text == real {
			t.Fatalf("%q is not in the spec", c.old)
		}
		_, err := experiment.Parse([]byte(text), "real.yaml")
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(fault.Hint(err), c.hint) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v (%s), want %q (%s)", c.new, err, fault.Hint(err), c.want, c.hint)
		}
	}
	for text, want := range map[string]string{
		small + "federation: {tick: 1s}\n":            "federation: is given without participants",
		small + "participants: [{name: a, key: b}]\n": "1 are listed",
		strings.Replace(small, "two-gaussians", "two-gaussians, classes: [a, b]",
			1): `data.classes is for source: csv, and the source is "two-gaussians"`,
		strings.Replace(real, "{tick: 20ms, deadline: 48h}", "{lease: 9s}", 1) + "# x": "",
		strings.Replace(strings.Replace(real, "{tick: 20ms, deadline: 48h}", "{lease: 9s}", 1), "sigma: 2", "sigma: 2, accountant: path",
			1): "failures decide who sees what",
	} {
		if _, err := experiment.Parse([]byte(text), "x"); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q for\n%s", err, want, text)
		}
	}
}

// The YAML library panics on this text; a spec's reader does not.
func TestPanicsOfTheDecoderAreErrors(t *testing.T) {
	for _, text := range []string{"data: {source: csv, drop: !x {a: b}}", "participants: !x {a: b}"} {
		if _, err := experiment.Parse([]byte(text), "x.yaml"); err == nil || fault.Hint(err) == "" {
			t.Errorf("%q: %v", text, err)
		}
	}
}
