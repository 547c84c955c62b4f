package papers

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/internal/family/gossipfamily"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/spec"
)

func TestFigure61aSmallVersion(t *testing.T) {
	small := [][2]string{{"exponential", "hypercube:7"}, {"Erdos-Renyi", "er:n=128,p=0.06,seed=1,connected"},
		{"geometric", "geometric:n=128,r=0.16,seed=1,connected"}, {"grid", "grid:11x11"}}
	f, err := byDistance{small, 4}.run(context.Background(), "", func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	checkFindings(t, f)
	for _, c := range f.Checks {
		if c.Basis == AsPublished && strings.Contains(c.Claim, "alone defines") && !c.Holds {
			t.Errorf("%s: %s", c.Claim, c.Measured)
		}
	}
}

func TestFigure61bOnAnEgoGraph(t *testing.T) {
	t.Run("own", func(t *testing.T) { checkEgo(t, filepath.Join("testdata", "villages.edges"), 57) })
	t.Run("outside", func(t *testing.T) { checkEgo(t, testdata.Shared(t, "data/facebook/414.edges"), 148) })
}

// checkEgo wants the largest component of a file to have so many users, and losses that
// are limited outside one's own community.
func checkEgo(t *testing.T, file string, size int) {
	t.Helper()
	users, err := egoGraph(file)
	if err != nil {
		t.Fatal(err)
	}
	if users.g.Len() != size {
		t.Errorf("%d users in the largest component, not %d", users.g.Len(), size)
	}
	users.nodes = users.nodes[:15]
	f, err := egoFindings(context.Background(), users, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	checkFindings(t, f)
	if failed := (Study{}).Failed(f); failed != nil {
		t.Error(failed)
	}
}

// One node's loss by rows of powers is the column of the sum over all pairs.
func TestSumTowardsIsTheColumnOfThePublishedSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, rounds := rapid.IntRange(2, 12).Draw(t, "n"), rapid.IntRange(0, 6).Draw(t, "rounds")
		w := hamilton(t, fmt.Sprintf("er:n=%d,p=0.4,seed=%d", n, rapid.IntRange(1, 1000).Draw(t, "seed")))
		accountant, err := gossipview.New(w, rounds)
		if err != nil {
			t.Fatal(err)
		}
		want, sums := accountant.PublishedSum(1), make([]float64, n)
		v := rapid.IntRange(0, n-1).Draw(t, "v")
		sumTowards(sums, w, v, rounds)
		for u, got := range sums {
			if u != v && math.Abs(got-want.At(u, v)) > 1e-9 {
				t.Fatalf("node %d loses %g, the sum says %g", u, got, want.At(u, v))
			}
		}
	})
}

// The losses of a run whose graphs change are those of the accountant.
func TestACourseIsPricedAsPublished(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 9).Draw(t, "n")
		c := &course{}
		for i := range rapid.IntRange(1, 5).Draw(t, "rounds") {
			c.steps = append(c.steps, hamilton(t, fmt.Sprintf("er:n=%d,p=0.4,seed=%d", n, i+rapid.IntRange(1, 1000).Draw(t, "seed"))))
		}
		accountant, err := gossipview.NewChanging(c.steps)
		if err != nil {
			t.Fatal(err)
		}
		want, u := accountant.PublishedSum(1), rapid.IntRange(0, n-1).Draw(t, "u")
		mean, deviation := moments(want.Values[u*n:(u+1)*n], u)
		if c.price(u); math.Abs(c.meanLoss-mean) > 1e-9 || math.Abs(c.deviance-deviation) > 1e-9 {
			t.Fatalf("mean %g +- %g, the accountant has %g +- %g", c.meanLoss, c.deviance, mean, deviation)
		}
	})
}

func hamilton(t rapid.TB, expression string) *sparse.Matrix {
	g, err := gen.Parse(expression, 1)
	if err != nil {
		t.Fatal(err)
	}
	transition, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		t.Fatal(err)
	}
	return transition.Sparse()
}

// Fewer users take part, convergence slows, and the loss stays: with 100 users.
func TestTableC2SmallVersion(t *testing.T) {
	d := dropout{nodes: 100, edge: 0.02, runs: 6, exact: 2, most: 5000, levels: []level{{away: 0}, {away: 0.5}, {away: 0.9}}}
	f, err := d.run(context.Background(), "", func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	checkFindings(t, f)
	if failed := (Study{}).Failed(f); failed != nil {
		t.Error(failed)
	}
}

func TestRedrawnLossesShrinkAsNodesGrow(t *testing.T) {
	f, err := redrawn{sizes: []int{500, 1500}, rounds: 4, draws: 1}.run(context.Background(), "", func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	checkFindings(t, f)
	if failed := (Study{}).Failed(f); failed != nil {
		t.Error(failed)
	}
}

// 004 Figure 2 in full: it takes no data and less than a second.
func TestWalkOutperformsAsynchronousGossip(t *testing.T) {
	f, err := walkAndGossip().Findings(context.Background(), "", func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	checkFindings(t, f)
	if failed := (Study{}).Failed(f); failed != nil {
		t.Error(failed)
	}
}

// One cell of Table 1's gossip column with a tenth of the averaging steps: it
// learns, and the paper's number is beside it.
func TestTable1GossipSmallVersion(t *testing.T) {
	data := housesData(t)
	study := table1Gossip()
	i := slices.IndexFunc(study.Variants, func(v Variant) bool { return v.Name == "exponential, mean loss 2" })
	cell := study.Variants[i]
	change := cell.change
	cell.change = func(s *spec.Spec) { change(s); s.Trials, gossipfamily.KeysOf(s).TurnsPerRound = 2, 2 }
	study.Variants = []Variant{cell}
	f, err := study.Findings(context.Background(), data, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	checkFindings(t, f)
	o := f.Outcomes[0]
	if o.Result.Privacy.Status != report.Published || o.Variant.Paper != 0.89 || o.Result.Algorithm != "gossip-gd" {
		t.Errorf("%s charged %s, the paper has %g", o.Result.Algorithm, o.Result.Privacy.Status, o.Variant.Paper)
	}
	if mean, _ := o.Accuracy(); !(mean > 0.55) {
		t.Errorf("accuracy %g", mean)
	}
}
