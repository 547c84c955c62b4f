package federation

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/node/secret"
	"github.com/hearsay-dp/hearsay/noise/discrete"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/step"
)

// learning is terms of gossip that learns, with noise on every message.
const learning = `data: {source: csv, target: ill, classes: [no, yes], ranges: {age: [0, 100], weight: [40, 140]}}
model: {kind: logistic}
algorithm: {kind: gossip-gd, steps: 12, step_size: 0.5, clip: 0.5}
privacy: {sigma: 6}
`

// Gossip that learns is charged by the flow accountant: neighbours all that they are
// sent, others less, by a trifle more than for continuous noise, and the same if
// they deviate, alone.
func TestPlanOfGossip(t *testing.T) {
	f := open(t, ring(t, five, learning), "lyon")
	p := plan(t, f)
	if p.Accountant != "flow" || p.Status != privacy.Sound || len(p.Towards) != 4 || p.Contributions != 12 {
		t.Fatalf("%+v", p)
	}
	laws, err := f.setup.Algorithm.Towards(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, to := range p.Towards {
		mu := math.Sqrt(laws[i+1].Energies[0]) / p.Sigma
		smooth := min(p.Local, privacy.EpsilonGaussian(mu, p.Delta))
		if to.Epsilon < smooth*(1-1e-9) || to.Epsilon > smooth*(1+1e-5) || to.Deviating != to.Epsilon {
			t.Errorf("%s: %g, %g if it deviates; continuous noise %g, local %g", to.Name, to.Epsilon, to.Deviating, smooth, p.Local)
		}
		if to.Neighbour && math.Abs(to.Epsilon-p.Local) > 1e-9*p.Local || !to.Neighbour && to.Epsilon > 0.9*p.Local {
			t.Errorf("%s, neighbour %t: %g of %g", to.Name, to.Neighbour, to.Epsilon, p.Local)
		}
	}
	if c := p.Coalitions; len(c) != 1 || c[0].Deviating != c[0].Epsilon || math.Abs(c[0].Epsilon-p.Local) > 1e-9*p.Local ||
		strings.Contains(c[0].name(), "honest") {
		t.Errorf("coalitions %+v, local %g", c, p.Local)
	}
	if all := strings.Join(p.Assumptions, "\n"); !strings.Contains(all, "it learns no more") || strings.Contains(all, "honest but curious") {
		t.Errorf("assumptions %s", all)
	}
}

// The explanation of a pair has the plan's numbers, of gossip and of a walk.
func TestExplanationIsThePlan(t *testing.T) {
	for kind, text := range map[string]string{"flow": learning, "path": strings.Replace(terms, "steps: 50", "steps: 4", 1),
		"local": strings.Replace(learning, "sigma: 6", "sigma: 6, accountant: local", 1)} {
		f := open(t, ring(t, five, text), "nice")
		p := plan(t, f)
		for _, to := range p.Towards {
			e, err := f.Explain(t.Context(), f.Spec.Number(to.Name))
			if err != nil {
				t.Fatal(err)
			}
			if e.Epsilon != to.Epsilon || e.Accountant != kind || e.Why.Local != p.Local || len(e.Remedies) != 1 || !(e.Remedies[0].Epsilon < to.Epsilon) {
				t.Errorf("%s: %s says %+v, the plan %+v", kind, to.Name, e, to)
			}
			if notes := e.Text[len(e.Text)-1].Text; strings.Contains(notes, "simulat") || strings.Contains(notes, "The grid lifts") != (kind == "flow") ||
				strings.Contains(notes, "whatever") != (kind == "flow") {
				t.Errorf("%s: %s", kind, notes)
			}
		}
	}
	f := open(t, ring(t, five, learning), "nice")
	if _, err := f.Explain(t.Context(), int(f.Self)); err == nil {
		t.Error("a node explains what it learns of itself")
	}
}

// Limits towards neighbours, others, coalitions, deviators, a participant by name and the public are held against the
// flow numbers, and the noise that is said to fit does.
func TestPolicyWeighsFlowNumbers(t *testing.T) {
	shown := strings.Replace(learning, "sigma: 6", "sigma: 6, release: final", 1)
	p := plan(t, open(t, ring(t, five, shown), "lyon"))
	far := p.Towards[1]
	if far.Neighbour {
		t.Fatal("paris is no neighbour of lyon")
	}
	check := func(p *Plan, limits [6]float64) []policy.Objection {
		text := fmt.Sprintf("delta: 1e-6\nepsilon: {neighbours: %g, others: %g, deviators: %g, coalitions: [{size: 2, epsilon: %g}], named: {"+far.Name+": %g}, public: %g}\n",
			limits[0], limits[1], limits[2], limits[3], limits[4], limits[5])
		own, err := policy.Parse([]byte(text), "policy.yaml")
		if err != nil {
			t.Fatal(err)
		}
		return p.Objections(own)
	}
	enough := [6]float64{1.0001 * p.Local, 1.0001 * p.Local, 1.0001 * p.Local, 1.0001 * p.Local, 1.0001 * far.Epsilon, 1.0001 * p.Public.Epsilon}
	if all := check(p, enough); len(all) != 0 {
		t.Errorf("objections %v", all)
	}
	kept := enough
	if kept[5] = 0; len(check(plan(t, open(t, ring(t, five, learning), "lyon")), kept)) != 0 {
		t.Error("a limit towards the public refuses a run that shows it nothing")
	}
	of := [6]float64{p.Local, far.Epsilon, p.Local, p.Local, far.Epsilon, p.Public.Epsilon}
	for k, key := range []string{"epsilon.neighbours", "epsilon.others", "epsilon.deviators", "epsilon.coalitions", "epsilon.named", "epsilon.public"} {
		limits := enough
		limits[k] = 0.9 * of[k]
		all := check(p, limits)
		if len(all) != 1 || all[0].Key != key {
			t.Errorf("%s: objections %v", key, all)
			continue
		}
		var sigma float64
		if _, err := fmt.Sscanf(all[0].Fits, "sigma %g would fit", &sigma); err != nil || sigma > 8 {
			t.Errorf("%s: advised %q", key, all[0].Fits)
			continue
		}
		noisy := strings.Replace(shown, "sigma: 6", fmt.Sprintf("sigma: %g", sigma), 1)
		if left := check(plan(t, open(t, ring(t, five, noisy), "lyon")), limits); len(left) != 0 {
			t.Errorf("%s: with sigma %g: %v", key, sigma, left)
		}
	}
}

// Calibrated noise meets its target beyond neighbours in everybody's plan.
func TestCalibratedGossipMeetsTheTarget(t *testing.T) {
	testdata.Sequential(t)
	for what, target := range map[string]float64{"max_beyond_neighbours": 1, "max": 2} {
		s := ring(t, five, strings.Replace(learning, "sigma: 6", fmt.Sprintf("calibrate: {%s: %g}", what, target), 1))
		worst := 0.0
		for _, name := range five {
			for _, to := range plan(t, open(t, s, name)).Towards {
				if !to.Neighbour || what == "max" {
					worst = max(worst, to.Epsilon)
				}
			}
		}
		if worst > target || worst < 0.998*target {
			t.Errorf("%s: %g for %g", what, worst, target)
		}
	}
}

// With partners drawn anew in every round, and everybody a neighbour in some, nobody
// learns all, and the plan says so of each.
func TestPlanOfMatchings(t *testing.T) {
	text := strings.Replace(ringText(t, []string{"a", "b", "c", "d", "e", "f"},
		strings.Replace(learning, "steps: 12", "wake: matchings, steps: 12", 1)), "graph: ring:6", "graph: complete:6", 1)
	p := plan(t, open(t, parse(t, text), "a"))
	for _, to := range p.Towards {
		if p.Accountant != "flow" || !to.Neighbour || !(to.Epsilon > 0 && to.Epsilon < 0.95*p.Local) || to.Deviating != to.Epsilon {
			t.Errorf("%s: %+v, local %g", p.Accountant, to, p.Local)
		}
	}
	if c := p.Coalitions[0]; !(c.Epsilon < p.Local) || len(c.Worst) != 2 {
		t.Errorf("%+v, local %g", c, p.Local)
	}
}

// Where the flow accountant has no ground the local loss is charged, and one line
// says why; a spec that asks for it is refused with the same.
func TestGossipWithoutGroundIsChargedTheLocalLoss(t *testing.T) {
	for change, why := range map[string]string{"gossip_steps: 3": "gossip_steps: 3 repeats what was sent"} {
		text := strings.Replace(learning, "clip: 0.5}", "clip: 0.5, "+change+"}", 1)
		p := plan(t, open(t, ring(t, five, text), "lyon"))
		if all := strings.Join(p.Assumptions, "\n"); p.Accountant != "local" || strings.Count(all, why) != 1 {
			t.Errorf("%s: accountant %s, %s", change, p.Accountant, all)
		}
		for _, to := range p.Towards {
			if math.Abs(to.Epsilon-p.Local) > 1e-9*p.Local || to.Deviating != p.Local {
				t.Errorf("%s: %+v, local %g", change, to, p.Local)
			}
		}
		asked := ringText(t, five, strings.Replace(text, "sigma: 6", "sigma: 6, accountant: flow", 1))
		if _, err := experiment.Parse([]byte(asked), "test.yaml"); err == nil || !strings.Contains(err.Error(), why) ||
			!strings.Contains(fault.Hint(err), "accountant: local") {
			t.Errorf("%s: %v (%s)", change, err, fault.Hint(err))
		}
	}
}

// Four participants of gossip that learns, over the network: what each plan allows
// is what its statement and its page allow, and no more is spent, nor said to be
// spent where somebody deviated.
func TestFourLearnByGossipWithinTheirPlans(t *testing.T) {
	s := newStageOf(t, []string{"lyon", "nice", "paris", "brest"}, "ring:4", strings.Replace(learning, "sigma: 6}", "sigma: 6}\nfederation: {linger: 30s}", 1))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for i, o := range s.all(ctx) {
		p := plan(t, open(t, s.spec, s.names[i]))
		if !o.Ended || o.Model == nil || o.Statement.Contributed != 12 || o.Statement.Accountant != "flow" {
			t.Fatalf("%s: ended %t, %+v", o.Name, o.Ended, o.Statement)
		}
		for k, to := range p.Towards {
			spent := o.Statement.Spent[k]
			if spent.Name != to.Name || spent.Allowed != to.Epsilon || spent.Epsilon != to.Epsilon || spent.Deviating != to.Epsilon || o.Statement.Towards[k] != to {
				t.Errorf("%s: the plan says %+v, the statement %+v", o.Name, to, spent)
			}
			if to.Hops == 2 && !(to.Epsilon < 0.9*o.Statement.SpentLocal) {
				t.Errorf("%s: %s, two hops away, is charged %g, the local loss is %g", o.Name, to.Name, to.Epsilon, o.Statement.SpentLocal)
			}
		}
		s.holdsOwnPage(o)
		var said Statement
		if err := readJSON(filepath.Join(o.Folder, StatementFile), &said); err != nil || said.Plan == nil || !slices.Equal(said.Spent, o.Statement.Spent) {
			t.Errorf("%s: %v, %s holds %+v", o.Name, err, StatementFile, said)
		}
		s.signedWithItsLedger(o)
	}
}

// A neighbour that stays away is waited for: nothing goes on without it under other
// weights, and what was sent already is sent again as it was.
func TestSilentNeighboursAreWaitedFor(t *testing.T) {
	f := open(t, ring(t, five, learning), "nice")
	m := f.machine(model.Examples{Features: 2, X: []float64{0.1, 0.2}, Y: []float64{1}}, identity.Key{}, secret.NewNoise(), secret.NewRouter())
	var out step.Out
	m.Start(&out)
	sent := map[step.NodeID][]float64{}
	for _, msg := range out.Msgs {
		sent[msg.To] = slices.Clone(msg.Body)
	}
	if out.Timers == nil || len(sent) != 2 {
		t.Fatalf("%+v", out)
	}
	out = step.Out{}
	m.Step(step.Msg{Kind: gossip.Value, From: 0, To: f.Self, Body: make([]float64, f.Params())}, &out)
	for range 100 {
		m.Tick(step.Timer{}, &out)
	}
	for _, msg := range out.Msgs {
		if msg.Turn != 0 || msg.Kind == gossip.Value && !slices.Equal(msg.Body, sent[msg.To]) {
			t.Fatalf("without paris it sends %+v, it had sent %v", msg, sent[msg.To])
		}
	}
	for _, change := range []string{"unreachable: around", "lease: 5s"} {
		if _, err := experiment.Parse([]byte(ringText(t, five, learning+"federation: {"+change+"}\n")), "test.yaml"); err == nil ||
			!strings.Contains(fault.Hint(err), "wait") {
			t.Errorf("%s: %v (%s)", change, err, fault.Hint(err))
		}
	}
}

// With no fixed neighbour who learns everything coalitions are priced one by one, or,
// where they are many, all by the sum of their members' energies, which is no less.
func TestCoalitionsCostAtMostTheSum(t *testing.T) {
	text := strings.Replace(learning, "steps: 12", "wake: edges, steps: 40", 1)
	f := open(t, ring(t, []string{"a", "b", "c", "d", "e", "f", "g"}, text), "a")
	alone, err := f.setup.Algorithm.Towards(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for size, priced := range map[int]int{2: 15, 3: 20, 6: 1} {
		pool, err := f.setup.Algorithm.Together(t.Context(), 0, size, alone)
		if err != nil || len(pool) != priced {
			t.Fatalf("%d coalitions of %d: %v", len(pool), size, err)
		}
		for _, c := range pool {
			sum, most := 0.0, 0.0
			for _, v := range c.Members {
				sum, most = sum+alone[v].Energies[0], max(most, alone[v].Energies[0])
			}
			if e := c.Energies[0]; len(c.Members) != size || e > sum*(1+1e-5) || e < most*(1-1e-5) {
				t.Errorf("%v: energy %g, alone %g at most, %g in all", c.Members, e, most, sum)
			}
		}
	}
	wide := make([]string, 24)
	for i := range wide {
		wide[i] = fmt.Sprintf("n%d", i)
	}
	f = open(t, ring(t, wide, text), "n0")
	if alone, err = f.setup.Algorithm.Towards(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	pool, err := f.setup.Algorithm.Together(t.Context(), 0, 2, alone)
	if err != nil || len(pool) != 1 || pool[0].Members != nil {
		t.Fatalf("%+v, %v", pool, err)
	}
	if e, two := pool[0].Energies[0], alone[1].Energies[0]+alone[23].Energies[0]; e < two*(1-1e-12) {
		t.Errorf("any two learn %g, both neighbours alone %g", e, two)
	}
}

// The price of the grid covers the round-off of a turn: of few parameters it is far
// below a step, of very many in a long run it is not, and then it is charged.
func TestRoundOffIsPriced(t *testing.T) {
	testdata.Sequential(t)
	few := open(t, ring(t, five, learning), "lyon")
	if off := few.roundOff(); !(off > 0) || off > 0.2 || few.steps != usualSteps {
		t.Errorf("three parameters: %g steps of the grid, %g charged", off, few.steps)
	}
	var ranges []string
	for i := range 3000 {
		ranges = append(ranges, fmt.Sprintf("x%d: [0, 1]", i))
	}
	text := strings.Replace(learning, "age: [0, 100], weight: [40, 140]", strings.Join(ranges, ", "), 1)
	many := open(t, ring(t, five, strings.Replace(text, "steps: 12, step_size: 0.5", "steps: 9000, step_size: 0.5", 1)), "lyon")
	if off := many.roundOff(); off < 1 || many.steps != 1+off || many.Noise.Slack < many.steps*discrete.Slack(1, 3001)*many.Noise.Nominal*(1-1e-12) {
		t.Errorf("3001 parameters: %g steps of the grid, %g charged, slack %g", off, many.steps, many.Noise.Slack)
	}
}
