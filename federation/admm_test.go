package federation

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/privacy"
)

const rounds = `data: {source: csv, target: ill, classes: [no, yes], ranges: {age: [0, 100]}, test: 0}
model: {kind: logistic, regulariser: {kind: l1, weight: 0.01}}
algorithm: {kind: admm-federated, steps: 6, sampled: 2, contributions: 5, clip: 0.5, server: NAME}
privacy: {sigma: 2}
federation: {linger: 3s}
`

// Federated ADMM runs as nodes, with one who sums and has rows itself: everybody ends with the
// same model, as many answers are in the ledgers as rounds have, nobody gives more than it
// may, and what was planned is what is charged, the local loss raised by the grid.
func TestADMMOnTheNetwork(t *testing.T) {
	s := newStage(t, strings.Replace(rounds, "NAME", "nice", 1))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	total, first := 0, []float64(nil)
	for i, o := range s.all(ctx) {
		if !o.Ended || o.Model == nil || o.Statement.Alarm != "" {
			t.Fatalf("%s ended %t: %+v", o.Name, o.Ended, o.Statement)
		}
		p := plan(t, open(t, s.spec, s.names[i]))
		if c := o.Statement.Contributed; c > 5 || c != o.Status.Contributions || p.Contributions != 5 {
			t.Errorf("%s: %d contributions, status %d, planned %d", o.Name, c, o.Status.Contributions, p.Contributions)
		}
		total += o.Statement.Contributed
		smooth := privacy.EpsilonGaussian(math.Sqrt(5)/2, p.Delta)
		for k, to := range p.Towards {
			spent := o.Statement.Spent[k]
			if spent.Allowed != to.Epsilon || spent.Epsilon > to.Epsilon || to.Epsilon < smooth || to.Epsilon > smooth*(1+1e-4) || to.Deviating != to.Epsilon {
				t.Errorf("%s: the plan says %+v, the statement %+v, continuous noise %g", o.Name, to, spent, smooth)
			}
		}
		if first == nil {
			first = o.Model.parameters
		}
		if !slices.Equal(first, o.Model.parameters) {
			t.Errorf("models %v and %v", o.Model.parameters, first)
		}
		s.holdsOwnPage(o)
	}
	if total < 11 || total > 12 { // where the same two were drawn five times, one is left for the last round
		t.Errorf("%d contributions in 6 rounds of 2", total)
	}
}

// Who sums talks with all, and all with nobody else; a graph that says otherwise is
// refused, as is what real nodes cannot keep.
func TestWhoMeetsInADMM(t *testing.T) {
	given := strings.Replace(rounds, "NAME", "paris", 1)
	s := parse(t, strings.Replace(ringText(t, five, given), "graph: ring:5", "graph: complete:5", 1))
	for _, name := range five {
		f := open(t, s, name)
		if met := len(f.Neighbours()); name == "paris" && met != 4 || name != "paris" && met != 1 {
			t.Errorf("%s meets %d", name, met)
		}
	}
	for change, want := range map[string]string{
		"server: paris, secure_sum: true": "algorithm.secure_sum", "server: paris, lambda: 0.7": "algorithm.lambda", "server: 7": "algorithm.server",
		"kind: admm-central": "admm-central", "server: paris": "who sums for all", // on a ring
	} {
		text := strings.Replace(given, "server: paris", change, 1)
		if strings.HasPrefix(change, "kind") {
			text = strings.NewReplacer("kind: admm-federated", change, ", server: paris", "").Replace(given)
		}
		s, err := parseText(ringText(t, five, text))
		if err == nil {
			_, err = Open(t.Context(), s, "paris")
		}
		if err == nil || !strings.Contains(err.Error(), want) || fault.Hint(err) == "" {
			t.Errorf("%s: %v", change, err)
		}
	}
}

// Where all take part in every round a plan may count on what others hide: towards all but the
// one who sums.
func TestMeansOnTheNetwork(t *testing.T) {
	all := strings.NewReplacer("sampled: 2, contributions: 5, ", "", "NAME", "nice", "sigma: 2", "sigma: 2, accountant: means")
	s := newStage(t, all.Replace(rounds))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for i, o := range s.all(ctx) {
		p := plan(t, open(t, s.spec, s.names[i]))
		if !o.Ended || o.Statement.Alarm != "" || o.Statement.Contributed != 6 {
			t.Fatalf("%s ended %t: %+v", o.Name, o.Ended, o.Statement)
		}
		public := privacy.EpsilonGaussian(math.Sqrt(6)/2, p.Delta)
		for k, to := range p.Towards {
			spent := o.Statement.Spent[k]
			if spent.Allowed != to.Epsilon || spent.Epsilon > to.Epsilon || (to.Name == "nice") != (to.Epsilon >= public) || to.Deviating < public {
				t.Errorf("%s: the plan says %+v, the statement %+v, in public %g", o.Name, to, spent, public)
			}
		}
	}
	for _, change := range []string{"sampled: 2, ", "contributions: 5, "} {
		if _, err := parseText(ringText(t, five, strings.NewReplacer(change, "", "NAME", "nice", "sigma: 2", "sigma: 2, accountant: means").Replace(rounds))); err == nil {
			t.Errorf("without %s means are priced", change)
		}
	}
}
