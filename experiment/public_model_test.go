package experiment

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/flow"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/schedule"
)

// Gossip that shows everybody the models that nodes end with charges participants with these, and says what the public learns by the
// accountant of the spec. Nobody has to infer from a name whether the model is covered.
func TestThePublicIsCharged(t *testing.T) {
	testdata.Sequential(t)
	shown := strings.Replace(gossipOnLine, "privacy: {", "privacy: {release: final, ", 1)
	for accountant, text := range map[string]string{
		"flow":     strings.Replace(shown, "accountant: sound", "accountant: flow", 1),
		"pairwise": strings.NewReplacer("accountant: sound", "accountant: pairwise", "clip: 0.3", "clip: 0.3, pairwise: 10").Replace(shown),
		"local":    strings.Replace(shown, "accountant: sound", "accountant: local", 1),
	} {
		s := prepare(t, specOf(t, text))
		p := s.privacy()
		if !p.ModelCharged || p.Public == nil || p.Public.Accountant != accountant || p.Public.Observer != privacy.Public.String() || !p.Public.ModelCharged {
			t.Fatalf("%s: model charged %t, public %+v", accountant, p.ModelCharged, p.Public)
		}
		if p.Public.Max > p.Max*(1+1e-9) || p.Public.Mean > p.Public.Max || !(p.Public.Guess > 0.5) || p.Public.Status != report.Sound {
			t.Errorf("%s: the public %+v, participants %v", accountant, p.Public, p.Max)
		}
		if accountant == "local" && math.Abs(float64(p.Public.Max/p.Max)-1) > 1e-9 {
			t.Errorf("local: the public %v, participants %v", p.Public.Max, p.Max)
		}
		if accountant != "flow" {
			continue
		}
		a, err := flow.Of(*s.Algorithm.Schedule().(*schedule.Gossip))
		if err != nil {
			t.Fatal(err)
		}
		best, err := a.Optimal(p.Public.About)
		if loss := privacy.GaussianLoss(best.Energy, p.Sigma, privacy.Metric{Delta: 1e-6}); err != nil || math.Abs(loss/float64(p.Public.Max)-1) > 1e-3 {
			t.Errorf("flow: the public is charged %v, the optimum is %v, error %v", p.Public.Max, loss, err)
		}
		if e, err := s.Explain(0, 11); err != nil || !strings.Contains(e.Text[2].Text+e.Text[1].Text+e.Text[0].Text, "shown to everybody, and that is counted") {
			t.Errorf("%v: explained as %+v", err, e.Text)
		}
	}
	hidden := prepare(t, specOf(t, strings.Replace(gossipOnLine, "accountant: sound", "accountant: flow", 1))).privacy()
	if hidden.ModelCharged || hidden.Public != nil {
		t.Errorf("without a release: model charged %t, public %+v", hidden.ModelCharged, hidden.Public)
	}
}

// What is shown and is no function of the last messages is refused, with a way out.
func TestWhatThePublicCannotBeChargedForIsRefused(t *testing.T) {
	testdata.Sequential(t)
	shown := strings.Replace(gossipOnLine, "privacy: {", "privacy: {release: final, ", 1)
	for want, change := range map[string][]string{
		"means of nodes' models": {"clip: 0.3", "clip: 0.3, average: half", "accountant: sound", "accountant: flow"},
		"away in the last turn":  {"clip: 0.3", "clip: 0.3, dropout: 0.2", "accountant: sound", "accountant: flow"},
		"the last models":        {"accountant: sound", "accountant: published"},
		"values of averaging":    {"kind: logistic", "kind: mean", "gossip-gd, steps: 10, step_size: 0.5", "gossip, steps: 10", "accountant: sound", "accountant: exact"},
	} {
		_, err := Prepare(t.Context(), specOf(t, strings.NewReplacer(change...).Replace(shown)), nil)
		if err == nil || !strings.Contains(err.Error(), want) || fault.Hint(err) == "" {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// An attacker who has the final model alone is bounded by the loss to the public, where that is priced.
func TestReceiversOfTheModelAreBoundedAsThePublic(t *testing.T) {
	testdata.Sequential(t)
	for _, keys := range []string{"pairwise: 10, secrets: complete}\nprivacy: {", "average: none}\nprivacy: {accountant: flow, "} {
		s := prepared(t, "data: {source: two-gaussians, features: 3, rows: 4, normalise: unit}\ngraph: complete:6\nalgorithm: {kind: gossip-gd, steps: 6, step_size: 0.5, clip: 1, "+keys+"sigma: 4, release: final}\n")
		bounds, err := s.boundsTowards(t.Context(), 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		least := slices.MinFunc(bounds, func(a, b family.PairLoss) int { return cmp.Compare(a.Loss, b.Loss) })
		if public := s.Accounting.Public; least.Loss != public.Max || public.Max >= s.Accounting.Accounts[0].Max {
			t.Errorf("%s: bounds %+v, public %+v", keys, bounds, public)
		}
	}
}
