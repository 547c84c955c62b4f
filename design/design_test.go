package design

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/report"
)

// random returns wishes of three or four participants, and the number of the draw.
func random(rng *rand.Rand) string {
	n := 3 + rng.IntN(2)
	var b strings.Builder
	eps := func() float64 { return float64(1+rng.IntN(40)) / 8 }
	fmt.Fprintf(&b, "seed: %d\nsecrets: %s\nedges: %s\nparticipants:\n", 1+rng.IntN(9), pick(rng, "none", "edges", "anybody"), pick(rng, "complete", fmt.Sprintf("ring:%d", n), fmt.Sprintf("star:%d", n)))
	for u := range n {
		fmt.Fprintf(&b, "  - {name: p%d, policy: {unit: %s, each: %g", u, pick(rng, "record", "record", "participant"), eps())
		if rng.IntN(2) == 0 {
			fmt.Fprintf(&b, ", coalitions: [{size: 2, epsilon: %g}]", eps())
		}
		if rng.IntN(3) == 0 {
			fmt.Fprintf(&b, ", named: {p%d: %g}", (u+1)%n, eps())
		}
		if rng.IntN(4) == 0 {
			fmt.Fprintf(&b, ", public: %g", eps())
		}
		b.WriteString("}}\n")
	}
	if rng.IntN(3) == 0 {
		b.WriteString("curator: a ministry\n")
	}
	fmt.Fprintf(&b, "limits: {messages: %d}\n", 20+rng.IntN(80))
	if rng.IntN(3) == 0 {
		b.WriteString("absent: 1\n")
	}
	b.WriteString("data: {source: two-gaussians, features: 2, rows: 6, normalise: unit}\n")
	return b.String()
}

func pick(rng *rand.Rand, from ...string) string { return from[rng.IntN(len(from))] }

// clinics are wishes whose best plan has a flow account of all pairs above the bound of the pair that asks for the noise.
const clinics = `participants:
  - {name: a, policy: {unit: record, each: 1}}
  - {name: b, policy: {unit: record, each: 2}}
  - {name: c, policy: {unit: record, each: 0.7, coalitions: [{size: 2, epsilon: 1}]}}
edges: complete
data: {source: two-gaussians, rows: 40, features: 3, test: 0.2, normalise: unit}
model: {kind: logistic}
limits: {time: 5m}
`

// Whatever is wished, the spec that is written breaks no limit when it is read from its file and priced anew; and where there is
// none, wishes are named.
func TestNoPolicyRefusesWhatIsWritten(t *testing.T) {
	testdata.Sequential(t)
	rounds := 3 // of 12 draws none was refused, in 25 seconds
	if testing.Short() {
		rounds = 1
	}
	for i := range rounds + 1 {
		text := random(rand.New(rand.NewPCG(uint64(i), 42)))
		if i == rounds {
			text = clinics
		}
		w, err := Parse([]byte(text), "wishes")
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		d, err := Run(t.Context(), w, Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if d.Conflict != nil {
			if len(d.Conflict.Wishes) == 0 {
				t.Fatalf("no wishes contradict each other\n%s", text)
			}
			continue
		}
		path := filepath.Join(t.TempDir(), "spec.yaml")
		if err := d.WriteSpec(path); err != nil {
			t.Fatal(err)
		}
		if err := d.Checked(t.Context(), path); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if len(d.Losses) != len(w.limits()) {
			t.Fatalf("%d of %d limits were compared", len(d.Losses), len(w.limits()))
		}
		changed, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		less := strings.Replace(string(changed), fmt.Sprintf("sigma: %v", d.Plans[0].Sigma), fmt.Sprintf("sigma: %v", d.Plans[0].Sigma/1.01), 1)
		if less == string(changed) {
			t.Fatalf("the spec has no noise of %v\n%s", d.Plans[0].Sigma, changed)
		}
		if err := os.WriteFile(path, []byte(less), 0o600); err != nil {
			t.Fatal(err)
		}
		if d.Checked(t.Context(), path) == nil {
			t.Fatalf("a spec with 1 %% less noise than wishes ask for is accepted\n%s", text)
		}
	}
}

// Wishes that are named contradict each other, and without any one of them there is a plan for the rest.
func TestConflictsAreSmallest(t *testing.T) {
	for _, one := range []struct {
		wishes string
		want   []string // is in each of them
	}{
		{"limits: {messages: 3, time: 1m, megabytes: 10}\n", []string{"limits.messages: a run sends 3 messages at most"}},
		{"limits: {messages: 12}\ngoal: {balanced_accuracy: 0.7}\n", []string{": epsilon at most", "goal.balanced_accuracy: a model with a balanced accuracy of 0.7 at least"}},
	} {
		if testing.Short() && strings.HasPrefix(one.wishes, "limits: {messages: 12}") {
			continue // 2 seconds. Any one limit contradicts the goal, and chance decides which one is named
		}
		w, err := Parse([]byte("policy: {each: 0.5, coalitions: [{size: 2, epsilon: 2}]}\nparticipants: [{name: a}, {name: b}, {name: c}, {name: d, policy: {each: 0.01}}]\nedges: ring:4\n"+
			"data: {source: two-gaussians, features: 4, rows: 30, normalise: unit}\n"+one.wishes), "wishes")
		if err != nil {
			t.Fatal(err)
		}
		d, err := Run(t.Context(), w, Options{})
		if err != nil || d.Conflict == nil {
			t.Fatalf("%s: %+v, %v", one.wishes, d, err)
		}
		if !slices.EqualFunc(d.Conflict.Wishes, one.want, strings.Contains) || len(d.Conflict.Changes) == 0 {
			t.Errorf("%s: %+v", one.wishes, d.Conflict)
		}
	}
}

// What cannot be meant is refused: nothing and 0 where they would stand for no limit, and texts that would forge lines.
func TestWishesAreNotMisread(t *testing.T) {
	const rest = "policy: {each: 1}\nparticipants: [{name: a}, {name: b}, {name: c}]\ndata: {source: two-gaussians, rows: 30}\n"
	for more, want := range map[string]string{
		"edges: complete\nlimits: {messages: 0}":                                                "limits.messages: is 0",
		"edges: complete\nlimits: {time: 0s}":                                                   "limits.time: is 0",
		"edges: complete\nlimits: {time: 1ns}":                                                  "limits.time: 1ns is out of range",
		"edges: complete\ngoal: {error: 0}":                                                     "goal.error: is 0",
		"edges: complete\nfederation:":                                                          "federation: has no value",
		"edges: [{between: [a, b]}, {between: [b, c], latency: 0s}]":                            "edges[1].latency: is 0",
		"edges: complete\ncurator: b":                                                           "curator: b is a participant",
		"edges: complete\ncurator: \"x\\na: epsilon at most 1 towards any other: 0.1 (sound)\"": "is not one printable line",
		"edges: complete\nname: \"\\e[31m\"":                                                    "is not one printable line",
		"edges: complete\nmodel: {kind: logistic, foo: 1}":                                      "the plan: unknown field \"foo\"",
		"edges: complete\nsecrets: maybe":                                                       "secrets: there is no graph",
	} {
		w, err := Parse([]byte(rest+more), "wishes")
		if err == nil {
			_, err = newVenue(t.Context(), w, false)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", more, err)
		}
	}
}

// FuzzWishes: whatever is read is refused or has participants, limits and a unit.
func FuzzWishes(f *testing.F) {
	example, err := os.ReadFile("../examples/design/hospitals.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(example))
	for i := range 3 {
		f.Add(random(rand.New(rand.NewPCG(uint64(i), 7))))
	}
	f.Add("participants: [{name: a, policy: {each: .inf}}, {name: b, policy: {each: .nan}}]\nedges: [{between: [a, b]}]\n")
	f.Fuzz(func(t *testing.T, text string) {
		w, err := Parse([]byte(text), "wishes")
		if err != nil {
			return
		}
		if len(w.limits()) == 0 || len(w.Participants) < 2 || w.unit() == "" {
			t.Fatalf("%d limits of %d participants", len(w.limits()), len(w.Participants))
		}
		for _, l := range w.limits() {
			if !(l.Epsilon > 0) || w.say(l) == "" {
				t.Fatalf("limit %+v", l)
			}
		}
	})
}

// The first plan that is shown keeps all limits of many participants, also where a better one was not priced: its spec is written.
func TestTheFirstPlanShownKeepsAllLimits(t *testing.T) {
	testdata.Sequential(t)
	text := "secrets: edges\nedges: er:n=18,p=0.2,seed=3\nparticipants:\n"
	for u := range 18 {
		text += fmt.Sprintf("  - {name: p%d, policy: {unit: record, each: 1}}\n", u)
	}
	w, err := Parse([]byte(text+"data: {source: two-gaussians, features: 2, rows: 6, normalise: unit}\n"), "wishes")
	if err != nil {
		t.Fatal(err)
	}
	d := &Design{wishes: w}
	if d.venue, err = newVenue(t.Context(), w, false); err != nil {
		t.Fatal(err)
	}
	var left []*candidate
	for _, s := range d.venue.wide().shapesOf(1) {
		if s.family == cancelling && len(left) == 0 {
			o, err := d.venue.priceOf(t.Context(), s, d.venue.strictest(w.limits()))
			if err != nil {
				t.Fatal(err)
			}
			left = []*candidate{{offer: &offer{shape: s}, scores: []float64{0.9}}, {offer: o, clip: 1, step: 0.1, scores: []float64{0.8}}}
		}
	}
	d.left = left
	quiet := func(string, int, int) {}
	if err := d.show(t.Context(), quiet); err != nil || len(d.Plans) == 0 || len(d.Refused) != 1 {
		t.Fatal(err, d.Plans, d.Refused)
	}
	path := filepath.Join(t.TempDir(), "spec.yaml")
	if err := d.Write(t.Context(), path, quiet); err != nil {
		t.Error(err)
	}
}

// Where participants may miss steps, families that wait for them are refused, and noise that cancels is priced for their absence.
func TestWhoMayMissSteps(t *testing.T) {
	noise := map[int]float64{}
	for _, absent := range []int{0, 1} {
		w, err := Parse([]byte(fmt.Sprintf("policy: {each: 1}\nparticipants: [{name: a}, {name: b}, {name: c}, {name: d}, {name: e}, {name: f}]\nedges: complete\nsecrets: anybody\nabsent: %d\n"+
			"data: {source: two-gaussians, features: 2, rows: 6, normalise: unit}\n", absent)), "wishes")
		if err != nil {
			t.Fatal(err)
		}
		v, err := newVenue(t.Context(), w, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range v.shapesOf(4) {
			if absent > 0 && slices.ContainsFunc(v.ruledOut(), func(r Refusal) bool { return r.Family == s.family }) {
				t.Errorf("%s is ruled out and offered", s.family)
			}
			if s.algorithm["secrets"] == "complete" {
				o, err := v.priceOf(t.Context(), s, w.limits())
				if err != nil {
					t.Fatal(err)
				}
				noise[absent] = o.sigma
			}
		}
		if got := len(v.ruledOut()); got != 1+5*absent { // the curator
			t.Errorf("absent %d: %d families are ruled out", absent, got)
		}
	}
	if !(noise[1] > 1.1*noise[0]) {
		t.Errorf("noise %v: one who misses steps asks for no more", noise)
	}
}

// A strict participant that clips smaller keeps its limits, in every family that has such clips, with the noise of the others.
func TestStrictParticipantsClipSmaller(t *testing.T) {
	testdata.Sequential(t)
	w, err := Parse([]byte("policy: {each: 4, coalitions: [{size: 2, epsilon: 6}]}\nparticipants: [{name: a, policy: {each: 0.5, coalitions: [{size: 2, epsilon: 0.6}], public: 0.5}}, {name: b}, {name: c}]\n"+
		"edges: line:3\nsecrets: anybody\ndata: {source: two-gaussians, features: 2, rows: 6, normalise: unit}\n"), "wishes")
	if err != nil {
		t.Fatal(err)
	}
	families := map[string]float64{}
	for _, strict := range [][]int{nil, {0}} {
		v, err := newVenue(t.Context(), w, false)
		if err != nil {
			t.Fatal(err)
		}
		v.way.strict = strict
		for _, s := range v.wide().shapesOf(4) {
			if strict != nil && !s.clips || s.turns() > 1 {
				continue
			}
			d := &Design{wishes: w, venue: v, left: []*candidate{{offer: &offer{shape: s}, clip: 1, step: 0.1, scores: []float64{0.9}}}}
			quiet := func(string, int, int) {}
			path := filepath.Join(t.TempDir(), "spec.yaml")
			if err := d.show(t.Context(), quiet); err != nil {
				t.Fatal(s.family, err)
			}
			if err := d.Write(t.Context(), path, quiet); err != nil {
				t.Fatal(s.family, err)
			}
			if strict == nil {
				families[s.family] = d.Plans[0].Sigma
			} else if sigma := d.Plans[0].Sigma; !(sigma < families[s.family]/2) || d.Plans[0].candidate.own[0] == 0 {
				t.Errorf("%s: noise %g with a smaller clip, %g without", s.family, sigma, families[s.family])
			}
		}
	}
	if len(families) < 6 {
		t.Errorf("%d families", len(families))
	}
}

// On a fixed graph the flow accountant is offered where a limit names one who is no neighbour, and there asks for less noise.
func TestFlowOnTheFixedGraphIsForNamedStrangers(t *testing.T) {
	for observer, offered := range map[string]bool{"b": false, "c": true} {
		w, err := Parse([]byte("policy: {each: 4}\nparticipants: [{name: a, policy: {each: 4, named: {"+observer+": 0.5}}}, {name: b}, {name: c}]\nedges: line:3\n"+
			"data: {source: two-gaussians, features: 2, rows: 6, normalise: unit}\n"), "wishes")
		if err != nil {
			t.Fatal(err)
		}
		v, err := newVenue(t.Context(), w, true)
		if err != nil {
			t.Fatal(err)
		}
		var noise []float64
		for _, s := range v.gossips(4) {
			if s.family == fixedGossip && s.turns() == 1 {
				o, err := v.priceOf(t.Context(), s, w.limits())
				if err != nil {
					t.Fatal(err)
				}
				noise = append(noise, o.sigma)
			}
		}
		if len(noise) == 2 != offered || offered && !(noise[1] < 0.8*noise[0]) {
			t.Errorf("towards %s: noise %v", observer, noise)
		}
	}
}

// Of many losses those nearest to their limits are shown, and what is said of the others is true of each.
func TestOfManyLossesTheNearestAreShown(t *testing.T) {
	d := &Design{}
	for i := range 50 {
		d.Losses = append(d.Losses, Loss{Wish: fmt.Sprint(i), Limit: 2, Spent: report.Number(2 * math.Mod(0.37*float64(i), 1))})
		if len(d.Losses) <= 40 && (d.Others() != "" || len(d.Nearest()) != i+1) {
			t.Fatalf("%d losses: %d are shown; %s", i+1, len(d.Nearest()), d.Others())
		}
	}
	shown, most := map[string]bool{}, 0.0
	for _, l := range d.Nearest() {
		shown[l.Wish] = true
	}
	for _, l := range d.Losses {
		if !shown[l.Wish] {
			most = max(most, float64(l.Spent)/l.Limit)
		}
	}
	for _, l := range d.Nearest() {
		if float64(l.Spent)/l.Limit < most {
			t.Errorf("%v is shown, and one of %g is not", l, most)
		}
	}
	if says := fmt.Sprintf("All %d other wishes are kept: at most %.1f %%", 50-len(shown), math.Ceil(1000*most)/10); !strings.Contains(d.Others(), says) {
		t.Errorf("%q, want %q", d.Others(), says)
	}
}

// What is said of a plan that lost is true whether it scores above or below the winner on the rows that are shown.
func TestWhatIsSaidOfLosersIsTrue(t *testing.T) {
	plan := func(low, high, chosen report.Number) Plan {
		return Plan{Family: "walk", Rounds: 1, Sigma: 1, Utility: Utility{Score: (low + high) / 2, Low: low, High: high, Trials: 20}, Chosen: chosen, candidate: &candidate{offer: &offer{}}}
	}
	for _, one := range []struct {
		loser   Plan
		overlap bool
		says    string
	}{
		{plan(0.9, 0.92, 0.8), false, "It was not ahead on the rows"},
		{plan(0.9, 0.92, 0.901), false, "counts as equal, and it takes longer"},
		{plan(0.6, 0.7, 0.8), false, ""},
		{plan(0.6, 0.81, 0.8), true, ""},
	} {
		d := &Design{Measure: report.BalancedAccuracy, Plans: []Plan{plan(0.8, 0.82, 0.9), one.loser}}
		said := d.against(&d.Plans[1])
		if strings.Contains(said, "overlap") != one.overlap || !strings.Contains(said, one.says) || strings.Contains(said, "rows that plans were chosen by") != (one.says != "") {
			t.Errorf("%+v: %s", one.loser.Utility, said)
		}
	}
}

// A walk that does not come to a participant learns nothing of it, which is said; gossip hears everybody.
func TestWhoIsNotVisitedIsNamed(t *testing.T) {
	w, err := Parse([]byte("policy: {each: 4}\nparticipants: [{name: a}, {name: b}, {name: c}]\nedges: line:3\ndata: {source: two-gaussians, features: 2, rows: 6, normalise: unit}\n"), "wishes")
	if err != nil {
		t.Fatal(err)
	}
	v, err := newVenue(t.Context(), w, false)
	if err != nil {
		t.Fatal(err)
	}
	for steps, want := range map[int][]string{1: {"b", "c"}, 30: nil} {
		p, err := v.prepare(t.Context(), keysOf{"kind": "walk", "steps": steps, "contributions": 10, "start": 0, "clip": 1, "step_size": 0.1}, keysOf{"accountant": "path", "sigma": 1, "release": "final"})
		if err != nil {
			t.Fatal(err)
		}
		if idle, err := v.idle(t.Context(), &experiment.Priced{Prepared: *p}); err != nil || !slices.Equal(idle, want) {
			t.Errorf("%d steps: %v, %v, want %v", steps, idle, err, want)
		}
	}
}

// A score that few test rows could have by chance is not worth a run, however narrow its interval over trials.
func TestFewTestRowsAreNotWorthARun(t *testing.T) {
	for rows, worth := range map[int]bool{6: false, 400: true} {
		w, err := Parse([]byte(fmt.Sprintf("policy: {each: 1}\nparticipants: [{name: a}, {name: b}, {name: c}]\nedges: complete\ndata: {source: two-gaussians, rows: %d}\n", rows)), "wishes")
		if err != nil {
			t.Fatal(err)
		}
		v, err := newVenue(t.Context(), w, false)
		if err != nil {
			t.Fatal(err)
		}
		won := &candidate{offer: &offer{shape: shape{family: fixedGossip, algorithm: keysOf{}}}, scores: []float64{0.72, 0.72}}
		d := &Design{Measure: report.BalancedAccuracy, wishes: w, venue: v, left: []*candidate{won}, Plans: []Plan{{Family: fixedGossip, Share: 1, Utility: Utility{0.72, 0.71, 0.73, 20}, candidate: won}}}
		d.explain()
		if refused := strings.HasPrefix(d.Won, "Test rows are so few that no plan is clearly better"); refused == worth || refused != strings.Contains(d.Won, "not worth a run") {
			t.Errorf("%d rows, %d for testing: %s", rows, v.bases[false].Test.Len(), d.Won)
		}
	}
}

// Strict participants keep their limits with any clip, also above the largest gradient, where the others' noise hides no more.
func TestOwnClipsKeepLimitsWithAnyClip(t *testing.T) {
	const text = "policy: {each: 4}\nparticipants: [{name: a, policy: {each: 0.5}}, {name: b}, {name: c}]\nedges: complete\ndata: {source: two-gaussians, rows: 30, normalise: unit}\n"
	w, err := Parse([]byte(text), "wishes")
	if err != nil {
		t.Fatal(err)
	}
	v, err := newVenue(t.Context(), w, true)
	if err != nil {
		t.Fatal(err)
	}
	v.way.strict = []int{0}
	s := &search{venue: v, limits: w.limits()}
	for _, clip := range []float64{0.1, 1, 1.5, 20} {
		of := s.simplest()[0]
		o, err := s.priceOf(t.Context(), of, s.limits)
		if err != nil || len(o.own) != 1 {
			t.Fatal(o, err)
		}
		c := &candidate{offer: o, clip: clip, step: 0.1}
		if err := s.rehearse(t.Context(), c, 1); err != nil {
			t.Fatal(err)
		}
		s.holdsLimits(t, c)
	}
}
