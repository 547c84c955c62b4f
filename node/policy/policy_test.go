package policy

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/fault"
	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/privacy"
)

const small = `
delta: 1e-6
epsilon: {neighbours: 1, others: 0.1}
`

func TestExampleIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(path, []byte(Example), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	want := &Policy{
		Unit:  privacy.Participant,
		Delta: 1e-6, Neighbours: 1, Others: 0.1, Coalitions: []Coalition{{2, 2}, {5, 8}}, Named: nil, Public: 1, Deviators: 8, Sigma: 2,
		Models: []string{"logistic", "ridge"}, Turns: 1000000, Contributions: 50, Hours: 48, Text: []byte(Example),
		Total: &Total{4, 1e-5, time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)},
	}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("read %+v, want %+v", p, want)
	}
	if _, err := Load(path + "x"); err == nil || fault.Hint(err) == "" {
		t.Errorf("loaded what is not there: %v", err)
	}
}

// What is left out is not limited.
func TestSmallPolicyLimitsOnlyWhatItSays(t *testing.T) {
	p, err := Parse([]byte(small), "p")
	if err != nil {
		t.Fatal(err)
	}
	plan := good()
	plan.Neighbours.Epsilon, plan.Others.Epsilon, plan.Sigma, plan.Model = 1, 0.1, 0, "anything"
	plan.Turns, plan.Contributions, plan.Hours, plan.Coalition = 1e15, 1e15, math.Inf(1), nil
	if o := p.Check(plan); len(o) != 0 {
		t.Errorf("objections %v", o)
	}
}

// Every mistake is one line that names the value, with a hint.
func TestMistakesAreNamed(t *testing.T) {
	for _, c := range []struct{ text, want, hint string }{
		{small + "modells: [ridge]\n", `p.yaml:4:1: unknown field "modells"`, `did you mean "models"?`},
		{small + "longest: {truns: 4}\n", `unknown field "truns"`, `"turns"`},
		{strings.Replace(small, "0.1", "0.1, deviator: 1", 1), `unknown field "deviator"`, `"deviators"`},
		{strings.Replace(small, "0.1", "0.1, deviators: -1", 1), "epsilon.deviators: -1 is out of range", "0 or more"},
		{small + "longest: {turns: 10, 48: hours}\n", `p.yaml:4:22: unknown field "48"`, "remove it"},
		{small + "true: 4\n", `unknown field "true"`, "remove it"},
		{small + "longest: {turns: 10, null: 1}\n", `unknown field "null"`, "remove it"},
		{small + "xyz: 4\n", `unknown field "xyz"`, "remove it"},
		{strings.Replace(small, "neighbours", "neighbors", 1), `unknown field "neighbors"`, `"neighbours"`},
		{strings.Replace(small, "delta: 1e-6", "", 1), "delta: is missing", "say it"},
		{strings.Replace(small, ", others: 0.1", "", 1), "epsilon.others: is missing", ".inf"},
		{strings.Replace(small, "1e-6", "0", 1), "delta: 0 is out of range", "between 0 and 1"},
		{strings.Replace(small, "1e-6", "1", 1), "delta: 1 is out of range", "between 0 and 1"},
		{strings.Replace(small, "1e-6", "small", 1), `p.yaml:2:8: "small" is not a number`, "YAML"},
		{strings.Replace(small, "0.1", "-1", 1), "epsilon.others: -1 is out of range", "0 or more"},
		{strings.Replace(small, "0.1", ".nan", 1), "epsilon.others: NaN is out of range", "0 or more"},
		{strings.Replace(small, "0.1", "0.1, coalitions: [{size: 0, epsilon: 1}]", 1), "epsilon.coalitions[0].size: 0", "whole number"},
		{strings.Replace(small, "0.1", "0.1, coalitions: [{size: 2.5, epsilon: 1}]", 1), "size: 2.5", "whole number"},
		{strings.Replace(small, "0.1", "0.1, coalitions: [{size: 2}]", 1), "epsilon.coalitions[0].epsilon: is missing", "say it"},
		{strings.Replace(small, "0.1", "0.1, coalitions: [{size: 2, epsilon: 1}, {size: 2, epsilon: 3}]", 1), "size 2 has two limits", "one"},
		{strings.Replace(small, "0.1", "0.1, named: {bob: -1}", 1), "epsilon.named.bob: -1 is out of range", "0 or more"},
		{strings.Replace(small, "0.1", "0.1, named: {bob: 1, bob: 2}", 1), "p.yaml:3", "YAML"},
		{strings.Replace(small, "0.1", "0.1, public: .nan", 1), "epsilon.public: NaN is out of range", "0 or more"},
		{small + "longest: {turns: 1.5}\n", "longest.turns: 1.5 is not a whole number", "leave it out"},
		{small + "models: []\n", "models: a name is missing", "any"},
		{small + "delta: 0.1\n", "p.yaml:4:1", "YAML"},
		{small + "---\n" + small, "a second document", "YAML"},
		{small + "\x00", "the file is not text", "YAML"},
		{small + "models: !x\n  a: b\n", "the tag !x is not known", "YAML"},
		{" \n", "the file is empty", "YAML"},
		{"# " + strings.Repeat("x", largest), "longer than 65536 bytes", "YAML"},
		{"a: [", "p.yaml:1", "YAML"},
		{"just a word", "p.yaml", "YAML"},
	} {
		_, err := Parse([]byte(c.text), "p.yaml")
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

// good is a plan that the example accepts.
func good() Plan {
	return Plan{
		Accountant: "path", Status: privacy.Sound, Delta: 1e-6,
		Neighbours: Loss{"paris", 0.9}, Others: Loss{"brest", 0.05},
		Coalition: func(size int) float64 { return 0.8 * float64(size) },
		Sigma:     8, Model: "ridge", Turns: 1000, Contributions: 12, Hours: 1,
	}
}

// fitting is a plan whose losses are in proportion to the noise.
func fitting(p Plan) Plan {
	p.Fit = func(least float64, all []Demand) (float64, bool) {
		for _, d := range all {
			loss := map[Whom]float64{Neighbours: p.Neighbours.Epsilon, Others: p.Others.Epsilon}[d.Whom]
			if d.Whom == AnyCoalition {
				loss = p.Coalition(d.Size)
			}
			least = max(least, loss*p.Sigma/d.Epsilon)
		}
		return least, !math.IsNaN(least) && !math.IsInf(least, 1)
	}
	return p
}

func TestObjectionsSayWhatExceedsWhat(t *testing.T) {
	p, err := Parse([]byte(Example), "p")
	if err != nil {
		t.Fatal(err)
	}
	if o := p.Check(good()); len(o) != 0 {
		t.Errorf("objections %v", o)
	}
	for want, change := range map[string]func(*Plan){
		"towards neighbour paris the loss is eps 3.2 at delta 1e-06 and the policy allows 1; sigma 25.6 would fit":                                           func(p *Plan) { p.Neighbours.Epsilon = 3.2 },
		"towards neighbour paris the loss is eps 1.001 at delta 1e-06 and the policy allows 1; sigma 8.001 would fit":                                        func(p *Plan) { p.Neighbours.Epsilon = 1.000005 },
		"towards neighbour paris the loss is eps NaN at delta 1e-06 and the policy allows 1; no amount of noise is known to fit; fewer contributions might":  func(p *Plan) { p.Neighbours.Epsilon = math.NaN() },
		"towards brest, who is no neighbour, the loss is eps 0.2 at delta 1e-06 and the policy allows 0.1; sigma 16 would fit":                               func(p *Plan) { p.Others.Epsilon = 0.2 },
		"towards the worst coalition of 5 the loss is eps 10 at delta 1e-06 and the policy allows 8; sigma 10 would fit":                                     func(p *Plan) { p.Coalition = func(n int) float64 { return math.Pow(10, float64(n-4)) } },
		`accountant "path" does not bound the loss towards coalitions and the policy limits it; a plan by an accountant that does would fit`:                 func(p *Plan) { p.Coalition = nil },
		`the losses of accountant "path" are published and the policy weighs only sound ones; a plan by a sound accountant would fit`:                        func(p *Plan) { p.Status = privacy.Published },
		`the losses of accountant "path" are audit and the policy weighs only sound ones; a plan by a sound accountant would fit`:                            func(p *Plan) { p.Status = privacy.Audit },
		`the losses of accountant "path" are of no status and the policy weighs only sound ones; a plan by a sound accountant would fit`:                     func(p *Plan) { p.Status = "" },
		"the losses hold at delta 1e-05 and the policy allows delta 1e-06; delta 1e-06 would fit":                                                            func(p *Plan) { p.Delta = 1e-5 },
		"the noise multiplier is 1.5 and the policy asks for 2 at least; sigma 2 would fit":                                                                  func(p *Plan) { p.Sigma = 1.5 },
		`the model is "mean" and the policy does not accept it; logistic or ridge would fit`:                                                                 func(p *Plan) { p.Model = "mean" },
		"the run takes 1000001 turns and the policy allows 1000000; 1000000 turns would fit":                                                                 func(p *Plan) { p.Turns = 1_000_001 },
		"the data is used up to 51 times and the policy allows 50; contributions: 50 would fit":                                                              func(p *Plan) { p.Contributions = 51 },
		"the run may last +Inf hours and the policy allows 48; 48 hours would fit":                                                                           func(p *Plan) { p.Hours = math.Inf(1) },
		"towards neighbour paris the loss is eps +Inf at delta 1e-06 and the policy allows 1; no amount of noise is known to fit; fewer contributions might": func(p *Plan) { p.Neighbours.Epsilon = math.Inf(1) },
	} {
		plan := good()
		change(&plan)
		plan = fitting(plan)
		if o := p.Check(plan); len(o) != 1 || o[0].String() != want || o[0].Key == "" {
			t.Errorf("objections\n%v, want\n%s", o, want)
		}
	}
}

// However many losses are too large, one noise is advised, for all of them; it is
// the one that the worst of them needs, and no less than the least that is asked.
func TestOneNoiseIsAdvised(t *testing.T) {
	p, err := Parse([]byte(Example), "p")
	if err != nil {
		t.Fatal(err)
	}
	plan := good()
	plan.Sigma, plan.Delta, plan.Neighbours.Epsilon, plan.Others.Epsilon = 1, 1e-5, 3, 4.63
	all := p.Check(fitting(plan))
	if len(all) != 4 {
		t.Fatalf("objections %v", all)
	}
	for _, o := range all {
		if o.Fits != "delta 1e-06 with sigma 46.3 would fit" {
			t.Errorf("%s: %s", o.Key, o.Fits)
		}
	}
}

// A plan has an objection exactly where one of its numbers passes a limit, and
// what an objection calls too much is shown as more than what is allowed.
func TestObjectionsAreTheLimitsPassed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := unlimited()
		loss := rapid.Float64Range(0.001, 100)
		p.Delta, p.Neighbours, p.Others = 1e-6, loss.Draw(t, "neighbours"), loss.Draw(t, "others")
		p.Coalitions = []Coalition{{2, loss.Draw(t, "coalition")}}
		plan := good()
		plan.Neighbours.Epsilon = rapid.SampledFrom([]float64{loss.Draw(t, "n"), p.Neighbours, math.Nextafter(p.Neighbours, 1e9)}).Draw(t, "near")
		plan.Others.Epsilon = loss.Draw(t, "o")
		together := loss.Draw(t, "c")
		plan.Coalition = func(int) float64 { return together }
		var want []string
		if plan.Neighbours.Epsilon > p.Neighbours {
			want = append(want, "epsilon.neighbours")
		}
		if plan.Others.Epsilon > p.Others {
			want = append(want, "epsilon.others")
		}
		if together > p.Coalitions[0].Epsilon {
			want = append(want, "epsilon.coalitions")
		}
		var got []string
		for _, o := range p.Check(plan) {
			got = append(got, o.Key)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("objections to %v, want %v", got, want)
		}
		x, limit := loss.Draw(t, "x"), loss.Draw(t, "limit")
		var shown float64
		if _, err := fmt.Sscan(up(x, limit), &shown); err != nil || shown < x || shown > x*1.01 || (shown > limit) != (x > limit) {
			t.Fatalf("%v is shown as %s beside %v", x, up(x, limit), limit)
		}
	})
}

// A limit towards somebody who takes no part is refused, because a name that is wrong would limit nothing.
func TestNamesOfNobodyAreRefused(t *testing.T) {
	p, err := Parse([]byte(strings.Replace(small, "1, others: 0.1", "1, others: 0.1, named: {paris: 0.8, bob: 1}, public: 0.5", 1)), "p")
	if err != nil {
		t.Fatal(err)
	}
	plan := good()
	plan.Public = 0.5
	plan.Named = func(name string) (float64, bool) { return 0.9, name == "paris" }
	all := p.Check(plan)
	if len(all) != 2 || all[0].Key != "epsilon.named" || !strings.Contains(all[0].What, `"bob"`) || !strings.Contains(all[1].What, "towards paris the loss is eps 0.9 ") {
		t.Errorf("objections %v", all)
	}
}

// No text makes the reader panic, and what it accepts it can check.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{Example, small, "a: [", "&a [*a]", "delta: .nan", small + "longest: {turns: 1e400}", small + "models: !x\n  a: b\n"} {
		f.Add([]byte(seed))
		f.Add([]byte(strings.Replace(seed, "others:", "named: {a: 1}, others:", 1)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Parse(text, "fuzz")
		if err != nil {
			if strings.Contains(err.Error(), "\n") || fault.Hint(err) == "" {
				t.Errorf("error %q with hint %q", err, fault.Hint(err))
			}
			return
		}
		if !(p.Delta > 0 && p.Delta < 1 && p.Neighbours >= 0 && p.Others >= 0 && p.Sigma >= 0 && p.Turns >= 0 && p.Hours >= 0) {
			t.Errorf("accepted %+v", p)
		}
		p.Check(good())
	})
}

// No status but sound is ever accepted, whatever the losses are, and no noise is
// said to mend it.
func TestPolicyAcceptsNothingButSound(t *testing.T) {
	p, err := Parse([]byte(small), "p")
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range []privacy.Status{privacy.SoundIf, privacy.Published, privacy.Audit, "estimate", "Sound", "sound ", ""} {
		plan := good()
		plan.Status, plan.Neighbours.Epsilon, plan.Others.Epsilon, plan.Deviators = status, 0, 0, 0
		objections := p.Check(plan)
		if len(objections) == 0 || objections[0].Key != "epsilon" || !strings.Contains(objections[0].Fits, "sound accountant") {
			t.Errorf("%q: %v", status, objections)
		}
	}
	if plan := good(); plan.Status != privacy.Sound {
		t.Errorf("the plan that the others are made of is %s", plan.Status)
	}
}

// A participant vouches for a program by its name, and for nothing else: not for other programs, and not for losses that are less than
// sound if that program does what is asserted of it.
func TestAPolicyVouchesForNamedPrograms(t *testing.T) {
	p, err := Parse([]byte("programs: [mine]\n"+small), "p")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		program string
		status  privacy.Status
		accepts bool
	}{{"mine", privacy.SoundIf, true}, {"mine", privacy.Published, false}, {"mine", privacy.Audit, false}, {"theirs", privacy.SoundIf, false}, {"", privacy.SoundIf, false}, {"min", privacy.SoundIf, false}} {
		plan := good()
		plan.Status, plan.Program = c.status, c.program
		if objections := p.Check(plan); (len(objections) == 0) != c.accepts {
			t.Errorf("%+v: %v", c, objections)
		}
	}
	for _, text := range []string{"programs: mine\n", "programs: ['']\n", "programs: [1.5, {}]\n"} {
		if p, err := Parse([]byte(text+small), "p"); err == nil {
			t.Errorf("%q is read as %v", text, p.Programs)
		}
	}
}

// A policy is about participants unless it says records, and knows nothing else.
func TestUnitOfAPolicy(t *testing.T) {
	for text, want := range map[string]privacy.Unit{"": privacy.Participant, "unit: participant\n": privacy.Participant,
		"unit: record\n": privacy.Record, "unit: patient\n": "", "unit: as given\n": ""} {
		p, err := Parse([]byte(text+small), "p.yaml")
		if (err == nil) != (want != "") || err == nil && p.Unit != want || err != nil && fault.Hint(err) == "" {
			t.Errorf("%q: %+v, %v", text, p, err)
		}
	}
}
