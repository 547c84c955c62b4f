package federation

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/privacy"
)

// cancelling is terms of gossip with noise that cancels and several turns of averaging.
var cancelling = strings.Replace(learning, "clip: 0.5}", "clip: 0.5, gossip_steps: 3, pairwise: 10}", 1)

// Noise that cancels is charged as the accountant says, by a trifle more than for continuous
// noise, towards coalitions too, and the same if they deviate.
func TestPlanOfNoiseThatCancels(t *testing.T) {
	f := open(t, ring(t, five, cancelling), "lyon")
	p := plan(t, f)
	if p.Accountant != "pairwise" || p.Status != privacy.Sound || len(p.Towards) != 4 || p.Contributions != 12 {
		t.Fatalf("%+v", p)
	}
	laws, err := f.setup.Algorithm.Towards(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, to := range p.Towards {
		smooth := privacy.EpsilonGaussian(math.Sqrt(laws[i+1].Energies[0])/p.Sigma, p.Delta)
		if to.Epsilon < smooth*(1-1e-9) || to.Epsilon > smooth*(1+1e-5) || to.Deviating != to.Epsilon || !(to.Epsilon < 0.7*p.Local) {
			t.Errorf("%s: %g, %g if it deviates; continuous noise %g, local %g", to.Name, to.Epsilon, to.Deviating, smooth, p.Local)
		}
	}
	// Both neighbours on a ring leave nothing but own noise.
	if c := p.Coalitions; len(c) != 1 || c[0].Deviating != c[0].Epsilon || math.Abs(c[0].Epsilon-p.Local) > 1e-6*p.Local {
		t.Errorf("coalitions %+v, local %g", c, p.Local)
	}
	if all := strings.Join(p.Assumptions, "\n"); !strings.Contains(all, "computational") || strings.Contains(all, "honest but curious") {
		t.Errorf("assumptions %s", all)
	}
	less := plan(t, open(t, ring(t, five, strings.Replace(cancelling, "pairwise: 10", "pairwise: 0.5", 1)), "lyon"))
	for i, to := range less.Towards {
		if !(to.Epsilon > p.Towards[i].Epsilon && to.Epsilon < less.Local) {
			t.Errorf("%s: half as much noise of edges as own loses %g, ten times as much %g, none %g", to.Name, to.Epsilon, p.Towards[i].Epsilon, less.Local)
		}
	}
	fine := ringText(t, five, strings.Replace(cancelling, "pairwise: 10", "pairwise: 0.2", 1))
	if _, err := experiment.Parse([]byte(fine), "test.yaml"); err == nil || !strings.Contains(err.Error(), "no finer grid") || fault.Hint(err) == "" {
		t.Errorf("noise of an edge finer than a node's own: %v", err)
	}
}

func onGraph(t testing.TB, graph string, names []string, more string) string {
	return strings.Replace(ringText(t, names, more), fmt.Sprintf("graph: ring:%d", len(names)), "graph: "+graph, 1)
}

// Participants agree on who misses a step where everybody exchanges with everybody, and then the plan says what a value that comes late
// costs; a policy is held against that.
func TestPlanOfStepsThatParticipantsMiss(t *testing.T) {
	terms := strings.NewReplacer("gossip_steps: 3, pairwise: 10", "pairwise: 10, absent: 1").Replace(cancelling)
	six := append(slices.Clone(five), "brussels")
	for name, text := range map[string]string{
		"not everybody averages with everybody": ringText(t, six, terms),
		"takes 6 nodes":                         onGraph(t, "complete:5", five, terms),
		"step of one exchange":                  onGraph(t, "complete:6", six, strings.Replace(terms, "absent: 1", "absent: 1, gossip_steps: 2", 1)),
		"moved into a ball":                     onGraph(t, "complete:6", six, strings.Replace(terms, "absent: 1", "absent: 1, radius: 3", 1)),
	} {
		s, err := experiment.Parse([]byte(text), "test.yaml")
		if err == nil {
			_, err = Open(context.Background(), s, "lyon")
		}
		if err == nil || !strings.Contains(err.Error(), name) || fault.Hint(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	spec, err := experiment.Parse([]byte(onGraph(t, "complete:6", six, terms)), "test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	f := open(t, spec, "lyon")
	p := plan(t, f)
	energy := func(epsilon float64) float64 { mu := privacy.MuGaussian(epsilon, p.Delta); return mu * mu }
	one := energy(p.Local) / 12
	for late := range 3 {
		s := f.Stating(p, 12, late, 100)
		got, want := energy(s.Spent[0].Epsilon), energy(p.Towards[0].Epsilon)+float64(late)*one
		if math.Abs(got/want-1) > 1e-3 || s.Spent[0].Allowed != p.Towards[0].Epsilon || s.Late != late {
			t.Errorf("%d late values: spent %+v, mu^2 %g, want %g", late, s.Spent[0], got, want)
		}
	}
	if accepted := p.Accepted(); !(accepted.Towards[0].Guess > p.Towards[0].Guess) || accepted.MostLate != 2 {
		t.Errorf("after the most late values others guess with %g, with %g before", accepted.Towards[0].Guess, p.Towards[0].Guess)
	}
	if two, spent := p.Coalitions[0], f.Stating(p, 12, 1, 100).Together[0]; !(two.Epsilon < p.Local) || two.Deviating != p.Local || spent.Deviating != p.Local || !(spent.Epsilon < p.Local) {
		t.Errorf("two who lie have more votes than a quorum counts on: planned %+v, spent %+v of %g", two, spent, p.Local)
	}
	for _, ended := range []bool{false, true} {
		s := f.Stating(p, 12, 1, 100)
		s.Attested = &Attested{Facts: Facts{Ended: ended}}
		if text := s.lateness(); strings.Contains(text, "Until the run has ended") == ended {
			t.Errorf("ended %t: %s", ended, text)
		}
	}
	person := *p
	person.Record = "one row"
	for _, late := range []int{0, p.MostLate} {
		person.MostLate = late
		var said strings.Builder
		if err := person.ForRows(2); err != nil {
			t.Fatal(err)
		}
		if person.SeveralRows.print(&said); strings.Contains(said.String(), "as a rule, if no value comes late:") != (late > 0) {
			t.Errorf("at most %d late values: %s", late, said.String())
		}
	}
	most := p.after(2).Towards[0].Epsilon
	for i, to := range p.Towards {
		e, err := f.Explain(t.Context(), slices.Index(f.Names, to.Name))
		if err != nil {
			t.Fatal(err)
		}
		if notes, late := e.Text[len(e.Text)-1].Text, "come late, after the others went on without "+e.AboutName+", epsilon is "+digits(p.after(2).Towards[i].Epsilon); !strings.Contains(notes, late) {
			t.Errorf("%s does not say %q: %s", to.Name, late, notes)
		}
	}
	for _, limit := range []float64{most * 1.001, most * 0.999} {
		own, err := policy.Parse([]byte(fmt.Sprintf("delta: %g\nepsilon: {neighbours: %g, others: %g}\n", p.Delta, limit, limit)), "policy.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if refused := len(p.Objections(own)) > 0; refused != (limit < most) {
			t.Errorf("a limit of %g, %g after two late values, %g planned: refused %t", limit, most, p.Towards[0].Epsilon, refused)
		}
	}
}

// Values that come late count as many times as a row may be in them. Contributions of a participant that missed steps may all be on one
// batch. The public is charged with the participant that learns most of it, and limits of one's own change the unit of each.
func TestLateValuesOfRowsThatTakeTurns(t *testing.T) {
	terms := strings.NewReplacer("gossip-gd", "gossip-sgd", "gossip_steps: 3, pairwise: 10", "pairwise: 10, absent: 1, epoch: 4",
		"sigma: 6", "sigma: 6, unit: record, accountant: pairwise, release: final, limits: {nice: {clip: 0.05}}").Replace(cancelling)
	text := onGraph(t, "complete:6", append(slices.Clone(five), "brussels"), terms)
	spec := parse(t, strings.NewReplacer("{name: nice,", "{rows: 80, name: nice,", "{name: ", "{rows: 50, name: ").Replace(text))
	for _, name := range []string{"lyon", "nice"} {
		f := open(t, spec, name)
		p := plan(t, f)
		own := p.Sigma * f.local().Noise.Sensitivity() / f.local().Noise.SensitivityOf(f.Self)
		one := 1 / (own * own)
		energy := func(epsilon float64) float64 { mu := privacy.MuGaussian(epsilon, p.Delta); return mu * mu }
		for contributed, rows := range []int{0, 1, 2, 3, 3, 3} { // 12 steps in passes of 4
			if got := f.Stating(p, contributed, 0, 0).SpentLocal; contributed > 0 && math.Abs(energy(got)/float64(rows)/one-1) > 1e-3 {
				t.Errorf("%s: %d contributions lose %g, mu^2 %g, want %d times %g", name, contributed, got, energy(got), rows, one)
			}
		}
		if accepted, to := p.Accepted(), p.Towards[0]; to.Deviating != accepted.Towards[0].Epsilon || !(to.Deviating > to.Epsilon) || p.Public.Deviating != to.Deviating {
			t.Errorf("%s: planned %+v, the public %+v, accepted %+v: who deviates may delay values", name, to, p.Public, accepted.Towards[0])
		}
		for late := range 3 {
			s := f.Stating(p, 12, late, 0)
			if got, want := energy(p.after(late).Towards[0].Epsilon), energy(p.Towards[0].Epsilon)+float64(late)*one; math.Abs(got/want-1) > 1e-3 {
				t.Errorf("%s: %d late values lose mu^2 %g, want %g", name, late, got, want)
			}
			for _, to := range s.Spent {
				if public := s.SpentPublic; public.Deviating < to.Deviating || public.Epsilon > to.Epsilon {
					t.Errorf("%s: %d late: the public %+v, a participant %+v", name, late, public, to)
				}
			}
		}
	}
}

// A limit of one's own is kept on a grid too, by the participant's own plan and clip, and leaves the plans of others as they are.
func TestPlansOfLimitsOfOnesOwn(t *testing.T) {
	limited := func(terms string) string {
		return strings.Replace(terms, "sigma: 6", "sigma: 6, limits: {nice: {eps: 0.6}, brest: {clip: 0.05}}", 1)
	}
	for _, terms := range []string{cancelling, learning} {
		free, own := open(t, ring(t, five, terms), "lyon"), open(t, ring(t, five, limited(terms)), "lyon")
		if own.Hash == free.Hash || own.Noise.Std != free.Noise.Std || own.Noise.Sigma != free.Noise.Sigma {
			t.Errorf("the hash is the same: %t; noise of one without a limit %+v, %+v", own.Hash == free.Hash, own.Noise, free.Noise)
		}
		for _, name := range own.Names {
			as, err := own.As(name)
			if err != nil {
				t.Fatal(err)
			}
			before, _ := free.As(name)
			p, without := plan(t, as), plan(t, before)
			worst, most := 0.0, 0.0
			for i, to := range p.Towards {
				worst, most = max(worst, to.Epsilon), max(most, without.Towards[i].Epsilon)
			}
			switch clip := as.Noise.Clip; {
			case name == "nice":
				if worst > 0.6 || worst < 0.6*0.997 || clip >= 0.5 || p.Limits[1].Asked != 0.6 || float64(p.Limits[1].Loses) != worst || !math.IsNaN(float64(p.Limits[0].Loses)) {
					t.Errorf("nice loses %g at clip %g: %+v", worst, clip, p.Limits)
				}
			case name == "brest":
				if clip != 0.05 || !(worst < most/9) {
					t.Errorf("brest loses %g at clip %g, %g without", worst, clip, most)
				}
			case math.Abs(worst/most-1) > 1e-9 || clip != 0.5:
				t.Errorf("%s loses %g at clip %g, %g without limits of others", name, worst, clip, most)
			}
			if e, err := as.Explain(context.Background(), (int(as.Self)+1)%len(as.Names)); err != nil || math.Abs(e.Why.Sigma/(as.Noise.Sigma*0.5/as.Noise.Clip)-1) > 1e-4 {
				t.Errorf("%s is explained with noise of %g times what its data can change (%v)", name, e.Why.Sigma, err)
			}
			var text strings.Builder
			if err := p.Print(&text); err != nil || !strings.Contains(text.String(), "(nice) clips at ") {
				t.Errorf("%v: %s", err, text.String())
			}
		}
	}
	unknown := ringText(t, five, strings.Replace(cancelling, "sigma: 6", "sigma: 6, limits: {nicee: {eps: 1}}", 1))
	if _, err := experiment.Parse([]byte(unknown), "test.yaml"); err == nil || !strings.Contains(err.Error(), "no participant") || fault.Hint(err) == "" {
		t.Errorf("a limit of nobody: %v", err)
	}
}

// Four participants over the network: they agree on keys, learn, and spend what their
// plans allow. What they share cancels: with a hundred times as much of it their models agree on
// what they have learnt.
func TestFourLearnUnderNoiseThatCancels(t *testing.T) {
	terms := strings.NewReplacer("sigma: 6}", "sigma: 0.3, limits: {nice: {clip: 0.4}}}\nfederation: {linger: 30s}", "pairwise: 10", "pairwise: 100", "gossip_steps: 3",
		"gossip_steps: 12").Replace(cancelling)
	s := newStageOf(t, []string{"lyon", "nice", "paris", "brest"}, "ring:4", terms)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	all := s.all(ctx)
	for i, o := range all {
		p := plan(t, open(t, s.spec, s.names[i]))
		if !o.Ended || o.Model == nil || o.Statement.Contributed != 12 || o.Statement.Accountant != "pairwise" || o.Statement.Alarm != "" {
			t.Fatalf("%s: ended %t, %+v", o.Name, o.Ended, o.Statement)
		}
		if clip := o.Statement.Noise.Clip; (clip == 0.4) != (o.Name == "nice") || clip != 0.4 && clip != 0.5 {
			t.Errorf("%s clips at %g", o.Name, clip)
		}
		for k, to := range p.Towards {
			if spent := o.Statement.Spent[k]; spent.Allowed != to.Epsilon || spent.Epsilon != to.Epsilon {
				t.Errorf("%s: the plan says %+v, the statement %+v", o.Name, to, spent)
			}
		}
		s.holdsOwnPage(o)
	}
	cancelled(t, all)
}

// Four participants along a line, each of whom shares a secret with each other, learn and spend what their plans allow:
// keys go from neighbour to neighbour. One who is stopped and started again goes on with its key.
func TestPartnersWhoAreNoNeighbours(t *testing.T) {
	terms := strings.NewReplacer("sigma: 6}", "sigma: 0.3}\nfederation: {linger: 30s}", "pairwise: 10", "pairwise: 100, secrets: complete", "gossip_steps: 3",
		"gossip_steps: 40").Replace(cancelling)
	s := newStageOf(t, []string{"lyon", "nice", "paris", "brest"}, "line:4", terms)
	p := plan(t, open(t, s.spec, "lyon"))
	along := plan(t, open(t, newStageOf(t, s.names, "line:4", strings.Replace(terms, ", secrets: complete", "", 1)).spec, "lyon"))
	if !(p.Towards[0].Epsilon < 0.9*along.Towards[0].Epsilon) || math.Abs(along.Towards[0].Epsilon/along.Local-1) > 1e-3 {
		t.Errorf("nice learns %g of lyon, %g along edges, of %g", p.Towards[0].Epsilon, along.Towards[0].Epsilon, along.Local)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	all := s.all(ctx)
	for i, o := range all {
		p := plan(t, open(t, s.spec, s.names[i]))
		if !o.Ended || o.Model == nil || o.Statement.Contributed != 12 || o.Statement.Accountant != "pairwise" || o.Statement.Alarm != "" {
			t.Fatalf("%s: ended %t, %+v", o.Name, o.Ended, o.Statement)
		}
		for k, to := range p.Towards {
			if spent := o.Statement.Spent[k]; spent.Epsilon != to.Epsilon {
				t.Errorf("%s: the plan says %+v, the statement %+v", o.Name, to, spent)
			}
		}
	}
	cancelled(t, all)
	text := ringText(t, five, strings.Replace(cancelling, "pairwise: 10", "pairwise: 10, secrets: ./friends.edges", 1))
	if _, err := experiment.Parse([]byte(text), "test.yaml"); err == nil || !strings.Contains(err.Error(), "different copies") || fault.Hint(err) == "" {
		t.Errorf("a file of secrets: %v", err)
	}
}

// cancelled holds that all have about one model, of which the noise of edges is no part.
func cancelled(t *testing.T, all []*Outcome) {
	t.Helper()
	first := all[0].Model.parameters
	for _, o := range all {
		for j, x := range o.Model.parameters {
			if math.Abs(x-first[j]) > 0.01 || math.Abs(x) > 3 {
				t.Fatalf("models %v and %v", o.Model.parameters, first)
			}
		}
	}
}

// A participant that is stopped and started again has the key of the run still: what it
// shares with its neighbours goes on cancelling.
func TestKeysOfTheRunSurviveARestart(t *testing.T) {
	if testing.Short() {
		t.Skip("several hundred turns of three ledgers")
	}
	for graph, pairwise := range map[string]string{"ring:3": "pairwise: 100", "line:3": "pairwise: 100, secrets: complete"} {
		t.Run(graph, func(t *testing.T) { surviveARestart(t, graph, pairwise) })
	}
}

func surviveARestart(t *testing.T, graph, pairwise string) {
	terms := strings.NewReplacer("sigma: 6}", "sigma: 0.3}\nfederation: {linger: 30s}", "pairwise: 10", pairwise, "gossip_steps: 3",
		"gossip_steps: 60").Replace(cancelling)
	s := newStageOf(t, []string{"lyon", "nice", "paris"}, graph, terms)
	before, after, others := s.stopped(5)
	if !after.Ended || after.Status.Incarnation != before.Status.Incarnation+1 {
		t.Errorf("after %+v", after.Status)
	}
	cancelled(t, append(others, after))
}
