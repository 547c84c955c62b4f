package experiment

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// accountant: sound takes the least noise of all sound accountants, and says which
// that is, what others ask for and which do not apply.
func TestSoundTakesTheLeastThatApplies(t *testing.T) {
	testdata.Sequential(t)
	walk := "kind: walk, steps: 8, contributions: 2, step_size: 0.3"
	for _, c := range []struct{ algorithm, model, privacy, takes, says, without string }{
		{"kind: gossip-gd, steps: 6, step_size: 0.3", "logistic", "calibrate: {max_beyond_neighbours: 1}", "flow", "local noise multiplier", ""},
		{"kind: gossip-gd, steps: 6, step_size: 0.3", "logistic", "sigma: 3", "flow", "local mean loss", ""},
		{"kind: gossip-gd, steps: 6, step_size: 0.3", "mlp", "sigma: 3", "local",
			"flow does not apply (flow: nothing bounds how far a local step spreads two models: the loss is not convex)", ""},
		{"kind: gossip, steps: 1", "mean", "calibrate: {mean: 1}", "exact", "local noise multiplier", ""},
		{walk, "logistic", "calibrate: {max_beyond_neighbours: 1}", "path", "local noise multiplier", ""},
		{walk, "logistic", "calibrate: {mean: 1}", "local", "path does not apply (", ", normalise: unit"},
	} {
		text := strings.Replace(targeted(c.algorithm, c.model, "sound", c.privacy), c.without, "", 1)
		s, err := openedFriends(t, text)
		if err != nil {
			t.Errorf("%s: %v", c.takes, err)
			continue
		}
		alone, err := openedFriends(t, strings.Replace(text, "accountant: sound", "accountant: "+c.takes, 1))
		if err != nil {
			t.Fatal(err)
		}
		first := s.Accounting.Accounts[0]
		if first.Accountant != c.takes || first.Status != report.Sound || s.Accounting.Sigma != alone.Accounting.Sigma ||
			first.Mean != alone.Accounting.Accounts[0].Mean {
			t.Errorf("%s: took %s, sigma %g and mean %v, alone %g and %v", c.takes, first.Accountant, s.Accounting.Sigma, first.Mean, alone.Accounting.Sigma,
				alone.Accounting.Accounts[0].Mean)
		}
		if len(s.Accounting.Accounts) != len(alone.Accounting.Accounts) || s.Spec.Privacy.Accountant != c.takes {
			t.Errorf("%s: %d accounts, alone %d; the spec names %s", c.takes, len(s.Accounting.Accounts), len(alone.Accounting.Accounts), s.Spec.Privacy.Accountant)
		}
		plan, err := s.Plan()
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(plan.Notes, "\n"); !strings.Contains(notes, c.takes+" asks for the least") || !strings.Contains(notes, c.says) {
			t.Errorf("%s: notes %q", c.takes, notes)
		}
	}
}

// Asked about one pair, accountant: sound is the one whose ground holds.
func TestSoundExplainsByWhatApplies(t *testing.T) {
	testdata.Sequential(t)
	s := specOf(t, altered(t, "accountant: flow", "accountant: sound", "calibrate: {max_beyond_neighbours: 1}", "sigma: 3"))
	priced, err := OpenForPairs(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := priced.Explain(0, 3); err != nil || e.Accountant != "flow" {
		t.Errorf("%+v, %v", e, err)
	}
}

// checkSound wants a sound account first, called by the name that the spec takes.
func checkSound(t *testing.T, s *spec.Spec, p *Priced) {
	t.Helper()
	first := p.Accounting.Accounts[0]
	if first.Status != report.Sound || first.Accountant != p.Spec.Privacy.Accountant || !slices.Contains(s.Kind().Accountants, first.Accountant) {
		t.Errorf("accountant %s; the account is called %s, %s", p.Spec.Privacy.Accountant, first.Accountant, first.Status)
	}
}

// Kinds without a graph of their own have their sound accountant by privacy.accountant: sound, too. TestFurtherMetricsAreThoseOfAnotherPricing
// asks the same of every example of a kind.
func TestSoundPricesCentralAndLocal(t *testing.T) {
	testdata.Sequential(t)
	for kind, contributions := range map[string]int{"central": 0, "local": 9} {
		for _, privacy := range []string{"{sigma: 30, accountant: sound}", "{calibrate: {mean: 1}, accountant: sound}"} {
			s, err := Parse(fmt.Appendf(nil, "{data: {source: two-gaussians, features: 3, rows: 8}, graph: ring:16, model: {kind: logistic}, "+
				"algorithm: {kind: %s, steps: 40, step_size: 0.1, clip: 1, contributions: %d}, privacy: %s}", kind, contributions, privacy), "spec")
			if err != nil {
				t.Fatal(err)
			}
			checkSound(t, s, prepare(t, s))
		}
	}
}
