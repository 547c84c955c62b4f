package federation

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/noise/discrete"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/spec"
)

// keyOf is the key of a test's participant: the same each time.
func keyOf(t testing.TB, name string) identity.Key {
	seed := sha256.Sum256([]byte(name))
	key, err := identity.Generate(bytes.NewReader(seed[:]))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// ring is the spec of a ring of participants, with lines added to it.
func ring(t testing.TB, names []string, more string) *spec.Spec {
	return parse(t, ringText(t, names, more))
}

func ringText(t testing.TB, names []string, more string) string {
	text := "name: test\nparticipants:\n"
	for i, name := range names {
		text += fmt.Sprintf("  - {name: %s, key: %s, addresses: [/ip4/127.0.0.1/tcp/%d]}\n", name, keyOf(t, name).Peer(), 4100+i)
	}
	return text + fmt.Sprintf("graph: ring:%d\n", len(names)) + more
}

const terms = `data: {source: csv, target: ill, classes: [no, yes], ranges: {age: [0, 100], weight: [40, 140]}}
model: {kind: logistic}
algorithm: {kind: walk, steps: 50, step_size: 0.1, clip: 0.5, contributions: 20}
privacy: {sigma: 8, release: final}
`

var five = []string{"lyon", "nice", "paris", "brest", "lille"}

func parseText(text string) (*spec.Spec, error) { return experiment.Parse([]byte(text), "test.yaml") }

func parse(t testing.TB, text string) *spec.Spec {
	s, err := parseText(text)
	if err != nil {
		t.Fatalf("%v (%s) in\n%s", err, fault.Hint(err), text)
	}
	return s
}

func open(t testing.TB, s *spec.Spec, name string) *Federation {
	f, err := Open(context.Background(), s, name)
	if err != nil {
		t.Fatalf("%v (%s)", err, fault.Hint(err))
	}
	return f
}

func plan(t testing.TB, f *Federation) *Plan {
	p, err := f.Plan(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// All participants get the same hash, protocol and noise from a spec.
func TestParticipantsAgree(t *testing.T) {
	s := ring(t, five, terms)
	first := open(t, s, "lyon")
	for _, name := range five[1:] {
		other := open(t, s, name)
		if other.Hash != first.Hash || !slices.Equal(other.fields, first.fields) || other.Noise != first.Noise ||
			!reflect.DeepEqual(other.Spec.Algorithm.Start, first.Spec.Algorithm.Start) {
			t.Errorf("%s disagrees with lyon", name)
		}
	}
	if got := open(t, s, "nice").Neighbours(); !slices.Equal(got, open(t, s, "nice").Neighbours()) || len(got) != 2 || got[0] != 0 || got[1] != 2 {
		t.Errorf("neighbours of nice are %v", got)
	}
	if params := first.Params(); params != 3 {
		t.Errorf("%d parameters, want age, weight and an intercept", params)
	}
}

// The hash does not depend on how the spec is written or where data lies; any
// other change changes it, and the field that differs is named.
func TestHashNamesTheDifference(t *testing.T) {
	base := ring(t, five, terms)
	first := open(t, base, "lyon")
	for _, same := range []string{
		strings.Replace(terms, "source: csv,", "source: csv, path: other.csv, scale: ranges,", 1),
		strings.Replace(terms, "step_size: 0.1", "step_size: 1.0e-1", 1),
		terms + "trials: 1\nfederation: {tick: 10ms}\n",
	} {
		if open(t, ring(t, five, same), "lyon").Hash != first.Hash {
			t.Errorf("another hash for\n%s", same)
		}
	}
	for change, field := range map[string]string{
		strings.Replace(terms, "sigma: 8", "sigma: 9", 1):                  "privacy.sigma",
		strings.Replace(terms, "age: [0, 100]", "age: [0, 110]", 1):        "data.ranges.age",
		strings.Replace(terms, "[no, yes]", "[yes, no]", 1):                "data.classes",
		terms + "federation: {tick: 20ms}\n":                               "federation.tick",
		strings.Replace(terms, "release: final", "release: none", 1):       "privacy.release",
		strings.Replace(terms, "contributions: 20", "contributions: 9", 1): "algorithm.contributions",
	} {
		other := open(t, ring(t, five, change), "lyon")
		var differ []string
		for i, f := range other.fields {
			if f != first.fields[i] {
				differ = append(differ, f.Path)
			}
		}
		if other.Hash == first.Hash || !slices.Equal(differ, []string{field}) {
			t.Errorf("%s: %v differ", field, differ)
		}
	}
	if other := open(t, ring(t, []string{"lyon", "nice", "paris", "brest", "lens"}, terms), "lyon"); other.Hash == first.Hash {
		t.Error("another participant, the same hash")
	}
}

// What is drawn is never less private than what is accounted, for any step
// size: the effective multiplier of the grid that a release really uses is at
// least sigma.
func TestGridIsPriced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sigma := math.Pow(10, rapid.Float64Range(-2, 4).Draw(t, "log sigma"))
		dims := rapid.IntRange(1, 5000).Draw(t, "dims")
		n, err := onGrid(sigma, dims, 4*dims, 1e9)
		if err != nil {
			t.Fatal(err)
		}
		sensitivity := math.Pow(2, rapid.Float64Range(-30, 30).Draw(t, "log sensitivity"))
		if got := discrete.EffectiveMultiplier(sensitivity, n.Nominal*sensitivity, dims); got < sigma {
			t.Fatalf("effective multiplier %.17g, accounted as %.17g", got, sigma)
		}
		if n.Nominal > sigma*(1+1e-7*(1+sigma*math.Sqrt(float64(dims)))) {
			t.Fatalf("sigma %g was raised to %g", sigma, n.Nominal)
		}
		if rho := discrete.Slack(n.Nominal*sensitivity, dims) / sensitivity; n.Slack < rho {
			t.Fatalf("slack %g of the sensitivity, a grid of this noise has %g", n.Slack, rho)
		}
	})
}

// A plan says how many of its laws are done, from none to all.
func TestPlanCountsItsLaws(t *testing.T) {
	testdata.Sequential(t)
	f := open(t, ring(t, five, terms), "lyon")
	var told []int
	watch := &walkpath.Watch{Progress: func(done, total int) {
		if total != 2 { // one for both neighbours, one for both who are two hops away
			t.Errorf("%d of %d laws", done, total)
		}
		told = append(told, done)
	}}
	if _, err := f.Plan(experiment.Watching(context.Background(), watch)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(told, []int{0, 1, 2}) {
		t.Errorf("it says it has done %v", told)
	}
}

// The plan is never above the local loss, falls with distance on a ring, and
// differs from the price of continuous noise by a trifle.
func TestPlanOfAWalk(t *testing.T) {
	testdata.Sequential(t)
	f := open(t, ring(t, five, strings.Replace(terms, "release: final", "release: none", 1)), "lyon")
	p := plan(t, f)
	if p.Accountant != "path" || p.Status != privacy.Sound || len(p.Towards) != 4 || p.Contributions != 20 || p.Turns != 50 {
		t.Fatalf("%+v", p)
	}
	laws, err := f.setup.Algorithm.Towards(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, to := range p.Towards {
		if continuous := laws[i+1].Epsilon(p.Delta, p.Sigma); to.Epsilon < continuous*(1-1e-9) || to.Epsilon > continuous*(1+1e-4) || to.Epsilon > p.Local {
			t.Errorf("%s: %g, with continuous noise %g, local %g", to.Name, to.Epsilon, continuous, p.Local)
		}
	}
	if near, far := p.Towards[0], p.Towards[1]; !near.Neighbour || far.Neighbour || far.Epsilon >= near.Epsilon {
		t.Errorf("%+v, %+v", near, far)
	}
	want, _, err := privacy.LocalLoss(20, 8, privacy.Metric{Delta: 1e-6})
	if err != nil || math.Abs(p.Local-want) > 1e-9*want {
		t.Errorf("local loss %g, want %g, %v", p.Local, want, err)
	}
}

// Calibrated noise meets its target in everybody's plan, the grid's price
// included, and is hardly more than it takes.
func TestCalibratedPlanMeetsTheTarget(t *testing.T) {
	if testing.Short() {
		t.Skip("prices plans one after the other: run without the race detector")
	}
	s := ring(t, []string{"lyon", "nice", "paris"}, strings.Replace(terms, "steps: 50, step_size: 0.1, clip: 0.5, contributions: 20}",
		"steps: 80, step_size: 0.1, clip: 0.5, contributions: 30}", 1))
	s.Privacy.Sigma, s.Privacy.Calibrate = nil, &spec.Calibrate{Max: 2}
	worst := 0.0
	for _, p := range s.Participants {
		for _, to := range plan(t, open(t, s, p.Name)).Towards {
			worst = max(worst, to.Epsilon)
		}
	}
	if worst > 2 || worst < 1.998 {
		t.Errorf("the worst loss is %g, calibrated to 2", worst)
	}
}

// A model that could outgrow the grid is refused; a radius keeps it small.
func TestModelMustFitTheGrid(t *testing.T) {
	long := strings.Replace(terms, "steps: 50", "steps: 100000000", 1)
	if _, err := Open(context.Background(), ring(t, five, long), "lyon"); err == nil || !strings.Contains(err.Error(), "outgrow") ||
		!strings.Contains(fault.Hint(err), "radius") {
		t.Errorf("%v (%s)", err, fault.Hint(err))
	}
	ball := strings.Replace(long, "clip: 0.5", "clip: 0.5, radius: 10", 1)
	open(t, ring(t, five, strings.Replace(ball, "sigma: 8", "sigma: 8, accountant: local", 1)), "lyon")
}

// Gossip that repeats what was sent, and walks that follow failures, are charged as
// if all were public.
func TestOnlyLocalWhereOnlyLocalHolds(t *testing.T) {
	around := terms + "federation: {unreachable: around, patience: 5s}\n"
	lease := terms + "federation: {lease: 5s}\n"
	average := strings.Replace(terms, "kind: walk, steps: 50, step_size: 0.1, clip: 0.5, contributions: 20",
		"kind: gossip-gd, steps: 10, step_size: 0.1, clip: 0.5, contributions: 5", 1)
	average = strings.Replace(strings.Replace(average, ", release: final", "", 1), "kind: gossip-gd", "kind: gossip-gd, gossip_steps: 2", 1)
	for name, text := range map[string]string{"around": around, "lease": lease, "gossip": average} {
		p := plan(t, open(t, ring(t, five, text), "lyon"))
		for _, to := range p.Towards {
			if p.Accountant != "local" || math.Abs(to.Epsilon-p.Local) > 1e-9*p.Local {
				t.Errorf("%s: %s %+v, local %g", name, p.Accountant, to, p.Local)
			}
		}
	}
}

// Whatever a policy asks for, the spec with the noise and the delta that are
// advised is accepted by it, and with noticeably less noise it is not.
func TestAdviceIsAccepted(t *testing.T) {
	testdata.Sequential(t)
	terms := strings.Replace(terms, "steps: 50", "steps: 6", 1)
	for name, c := range map[string]struct{ policy, spec string }{
		"another delta": {"delta: 1.0e-4\nepsilon: {neighbours: 0.5, others: .inf}\n", terms},
		"many limits":   {"delta: 1.0e-8\nepsilon: {neighbours: 2, others: 0.5, coalitions: [{size: 1, epsilon: 1}, {size: 3, epsilon: 0.1}]}\nleast: {sigma: 9}\n", terms},
		"least only":    {"delta: 1.0e-6\nepsilon: {neighbours: .inf, others: .inf}\nleast: {sigma: 17.123}\n", terms},
		"calibrated":    {"delta: 1.0e-6\nepsilon: {neighbours: 0.3, others: 0.2}\n", strings.Replace(terms, "sigma: 8", "calibrate: {max: 2}", 1)},
	} {
		own, err := policy.Parse([]byte(c.policy), "policy.yaml")
		if err != nil {
			t.Fatal(err)
		}
		s := ring(t, five, c.spec)
		objections := plan(t, open(t, s, "lyon")).Objections(own)
		if len(objections) == 0 {
			t.Errorf("%s: no objection", name)
			continue
		}
		fits := objections[0].Fits
		for _, o := range objections {
			if o.Fits != fits {
				t.Errorf("%s: advised %q and %q", name, fits, o.Fits)
			}
		}
		advised := func(share float64) []policy.Objection {
			again := *s
			for field := range strings.SplitSeq(strings.TrimSuffix(fits, " would fit"), " with ") {
				var x float64
				if _, err := fmt.Sscanf(field, "delta %g", &x); err == nil {
					again.Privacy.Metric.Delta = x
				} else if _, err := fmt.Sscanf(field, "sigma %g", &x); err == nil {
					x *= share
					again.Privacy.Sigma, again.Privacy.Calibrate = &x, nil
				} else {
					t.Fatalf("%s: advised %q", name, fits)
				}
			}
			return plan(t, open(t, &again, "lyon")).Objections(own)
		}
		if left := advised(1); len(left) != 0 {
			t.Errorf("%s: with %q: %v", name, fits, left)
		}
		if left := advised(0.98); len(left) == 0 && strings.Contains(fits, "sigma") {
			t.Errorf("%s: less than %q would do", name, fits)
		}
	}
}

// A policy that asks for less refuses in a sentence that names what exceeds
// what and the noise that would fit; with that noise it has no objection.
func TestPolicyRefusesAndSaysWhatFits(t *testing.T) {
	if testing.Short() {
		t.Skip("prices plans one after the other: run without the race detector")
	}
	own, err := policy.Parse([]byte("delta: 1.0e-6\nepsilon: {neighbours: 2, others: .inf, coalitions: [{size: 2, epsilon: 5}]}\n"), "policy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p := plan(t, open(t, ring(t, five, terms), "lyon"))
	objections := p.Objections(own)
	if len(objections) != 1 || objections[0].Key != "epsilon.neighbours" {
		t.Fatalf("objections %v, neighbours %g, local %g", objections, p.Towards[0].Epsilon, p.Local)
	}
	refusal := p.Refusal(objections)
	if !strings.Contains(refusal.Error(), "lyon does not join: towards neighbour") || !strings.Contains(fault.Hint(refusal), "would fit") {
		t.Errorf("%v (%s)", refusal, fault.Hint(refusal))
	}
	var sigma float64
	if _, err := fmt.Sscanf(objections[0].Fits, "sigma %g would fit", &sigma); err != nil {
		t.Fatal(err)
	}
	fits := strings.Replace(terms, "sigma: 8", fmt.Sprintf("sigma: %g", sigma), 1)
	if p := plan(t, open(t, ring(t, five, fits), "lyon")); len(p.Objections(own)) != 0 {
		t.Errorf("sigma %g: %v", sigma, p.Objections(own))
	}
	if p.Refusal(nil) != nil {
		t.Error("a refusal without objections")
	}
}

func TestOpenRefuses(t *testing.T) {
	good := ring(t, five, terms)
	if _, err := Open(context.Background(), good, "rome"); err == nil || !strings.Contains(fault.Hint(err), "lyon, nice") {
		t.Errorf("%v", err)
	}
	for want, change := range map[string]func(s *spec.Spec){
		"is not a peer id":    func(s *spec.Spec) { s.Participants[1].Key = "12D3KooWnobody" },
		`address "/ip4/lyon"`: func(s *spec.Spec) { s.Participants[0].Addresses = []string{"/ip4/lyon"} },
		"names a key": func(s *spec.Spec) {
			s.Participants[0].Addresses = []string{"/ip4/10.0.0.1/tcp/1/p2p/" + s.Participants[1].Key}
		},
		"nice are neighbours, and neither has": func(s *spec.Spec) { s.Participants[0].Addresses, s.Participants[1].Addresses = nil, nil },
		"might have different copies":          func(s *spec.Spec) { s.Graph = "edges.txt" },
	} {
		s := ring(t, five, terms)
		change(s)
		if _, err := Open(context.Background(), s, "lyon"); err == nil || !strings.Contains(err.Error(), want) || fault.Hint(err) == "" {
			t.Errorf("%s: %v (%s)", want, err, fault.Hint(err))
		}
	}
	if _, err := Open(context.Background(), parse(t, "data: {source: mean}\nnodes: 4\nalgorithm: {steps: 5, step_size: 0.1, clip: 1}\nprivacy: {sigma: 1}\n"), "lyon"); err == nil {
		t.Error("a simulation was opened as a federation")
	}
}

// The example can be joined by its own policy, by every participant.
func TestExampleIsAccepted(t *testing.T) {
	s, err := experiment.Load("../examples/hospitals/spec.yaml")
	if err != nil {
		t.Fatal(err)
	}
	own, err := policy.Load("../examples/hospitals/lyon.policy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range s.Participants {
		if plan := plan(t, open(t, s, p.Name)); len(plan.Objections(own)) > 0 {
			t.Errorf("%s: %v", p.Name, plan.Objections(own))
		}
	}
}
