package experiment

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/pairwise"
)

// A run in which nodes may miss steps is charged as if so many more observed, wherever it is priced: pairs, coalitions, the
// public and explanations, whether anybody misses a step or not.
func TestMissingNodesArePricedAsObservers(t *testing.T) {
	testdata.Sequential(t)
	for _, dropout := range []string{"", ", dropout: 0.2"} {
		s := prepared(t, cancelling(t, "nodes: 32", "", "hypercube:5", "hypercube:4", "pairwise: 10", "pairwise: 10, absent: 2"+dropout, "privacy: {", "privacy: {release: final, "))
		sigma, metric := s.Accounting.Sigma, privacy.Metric{Delta: 1e-6}
		whole, err := pairwise.New(pairwise.Problem{Pairs: gossipOf(s).Transition.Sparse(), Own: sigma, Pair: 10 * sigma, Contributions: 20})
		if err != nil {
			t.Fatal(err)
		}
		by := func(what string, got float64, observers int) {
			energies, _, err := whole.Worst(observers, 1)
			if err != nil {
				t.Fatal(err)
			}
			if want := metric.GaussianView(energies[0]); math.Abs(got/want-1) > 1e-6 {
				t.Errorf("dropout %q: %s loses %g, by hand %g", dropout, what, got, want)
			}
		}
		by("the worst pair", float64(s.Accounting.Accounts[0].Max), 3)
		public, err := s.Algorithm.(family.Publisher).PublicLosses(context.Background(), s.Accounting)
		if err != nil {
			t.Fatal(err)
		}
		by("the worst node towards the public", float64(public.Max), 2)
		together, err := s.Algorithm.Together(context.Background(), 0, 2, nil)
		if err != nil || len(together) != 1 || together[0].Members != nil {
			t.Fatalf("%+v, %v", together, err)
		}
		by("node 0 towards two", metric.GaussianView(together[0].Law.Energies[0]/(sigma*sigma)), 4)
		e, err := s.Explain(0, 15)
		if want := s.Accounting.Accounts[0].At(0, 15); err != nil || math.Abs(e.Epsilon/want-1) > 1e-6 || !strings.Contains(e.Text[1].Text, "up to 2 of the others are missing") {
			t.Errorf("dropout %q: %+v, %v, want %g", dropout, e, err, want)
		}
	}
}

// What no theorem or protocol covers is refused, with a way out.
func TestMissingNodesAreRefused(t *testing.T) {
	testdata.Sequential(t)
	const gd = "kind: gossip-gd, pairwise: 10, "
	for algorithm, want := range map[string]string{
		gd + "absent: 15":                                      "takes 258 nodes, and there are 32",
		gd + "absent: 1, momentum: 0.5":                        "carry on",
		gd + "absent: 1, memory: sqrt":                         "no noise of it",
		gd + "absent: -1":                                      "out of range",
		"kind: gossip-gd, absent: 1":                           "nobody shares noise",
		gd + "absent: 1, wake: matchings":                      "all turns of a step",
		gd + "absent: 1, redraw: 1":                            "on one graph",
		gd + "dropout: 0.1":                                    "all turns of a step",
		gd + "absent: 1, noise: turn":                          "noise before every turn",
		"kind: walk, absent: 1":                                "walk takes no",
		"kind: gossip-sgd, pairwise: 10, rate: 0.1, absent: 1": "Poisson samples",
	} {
		text := strings.NewReplacer("kind: gossip-gd", algorithm, "accountant: flow", "unit: record", "max_beyond_neighbours", "max").Replace(flowSpec)
		s, err := Parse([]byte(text), "test.yaml")
		if err == nil {
			_, err = Prepare(context.Background(), s, nil)
		}
		if err == nil || !strings.Contains(err.Error(), want) || fault.Hint(err) == "" {
			t.Errorf("%s: %v (%s)", algorithm, err, fault.Hint(err))
		}
	}
}
