package experiment

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/sums"
	"github.com/hearsay-dp/hearsay/report"
)

// gathering is a small sum or histogram: what says its algorithm, how its privacy.
func gathering(what, how string) string {
	data, kind := "mean, features: 2, centre: 0.4, variance: 0.01", "mean"
	if strings.Contains(what, "histogram") {
		data, kind = "two-gaussians, features: 2", "histogram"
	}
	return fmt.Sprintf("name: s\ndata: {source: %s}\nnodes: 20\nmodel: {kind: %s}\nalgorithm: {%s}\nprivacy: {%s}\n", data, kind, what, how)
}

var gatherings = []string{
	"kind: ring-sum, clip: 1, rounds: 3", "kind: ring-sum, clip: 1, rounds: 2, spread: true", "kind: ring-histogram, rounds: 2",
	"kind: complete-sum, clip: 1, steps: 60, contributions: 6", "kind: complete-histogram, steps: 60, contributions: 6",
	"kind: averaging-walk, clip: 1, steps: 60, contributions: 6, burn_in: 3",
}

// What is calibrated meets its target, mean or worst, shown or not, and no pair loses more
// than the worst is said to.
func TestSumsMeetTheirTargets(t *testing.T) {
	testdata.Sequential(t)
	for _, what := range gatherings {
		for _, how := range []string{"calibrate: {mean: 2}", "calibrate: {max: 2}, release: final, accountant: sound", "calibrate: {max: 3}, accountant: local"} {
			if strings.HasPrefix(how, "calibrate: {max: 3}") && what == gatherings[0] {
				isRefused(t, gathering(what, how), "no noise meets this target")
				continue
			}
			s := prepared(t, gathering(what, how))
			own := s.Accounting.Accounts[0]
			mean, worst := 0.0, 0.0
			for u := range 20 {
				for v := range 20 {
					if u != v {
						mean, worst = mean+own.At(u, v)/380, max(worst, own.At(u, v))
					}
				}
			}
			got, want := float64(own.Max), worst
			if strings.Contains(how, "mean") {
				got, want = float64(own.Mean), mean
			}
			target := 2.0
			if strings.Contains(how, "{max: 3}") {
				target = 3
			}
			if own.Status != report.Sound || math.Abs(got-want) > 1e-9*want || got > target || got < 0.8*target {
				t.Errorf("%s, %s: %s %g, of all pairs %g, target %g", what, how, own.Accountant, got, want, target)
			}
		}
	}
}

// The pairs of a ring have the energies of the schedule that runs, by their places; the
// formula in print stands beside them and is marked as such.
func TestRingSumIsPricedFromItsSchedule(t *testing.T) {
	s := prepared(t, gathering("kind: ring-sum, clip: 1, rounds: 4, spread: true", "sigma: 9, metric: {epsilon_at_delta: 1.0e-3}"))
	ring := sums.Ring{Nodes: 20, Rounds: 4, Spread: true}
	for _, pair := range [][2]int{{0, 1}, {3, 17}, {17, 3}, {19, 0}} {
		want := privacy.EpsilonGaussian(math.Sqrt(ring.Energy(pair[0], pair[1]))/9, 1e-3)
		if got := s.Accounting.Accounts[0].At(pair[0], pair[1]); math.Abs(got-want) > 1e-12 {
			t.Errorf("pair %v loses %g, want %g", pair, got, want)
		}
	}
	printed := s.Accounting.Accounts[1]
	want, err := ring.PublishedAt(9, 1e-3)
	if err != nil || printed.Status != report.Published || float64(printed.Max) != want.Epsilon {
		t.Errorf("printed %+v, want %+v, %v", printed.Accounted, want, err)
	}
	e, err := s.Explain(0, 1)
	if err != nil || math.Abs(e.Epsilon-s.Accounting.Accounts[0].At(0, 1)) > 1e-9 || e.Why.Seen != ring.Energy(0, 1) {
		t.Errorf("%+v, %v", e, err)
	}
}

// Every kind is planned, explained and run: the estimate is as far off as its noise makes
// it, and without noise it is the truth on a ring, and in the mean by a walk.
func TestSumsEstimateWhatTheySay(t *testing.T) {
	testdata.Sequential(t)
	for _, what := range append(slices.Clone(gatherings), "kind: averaging-walk, clip: 1, steps: 30, tokens: 2, contributions: 12, burn_in: 3") {
		for _, noise := range []float64{0, 0.5} {
			s := prepared(t, strings.Replace(gathering(what, fmt.Sprintf("sigma: %g", noise)), "name: s", "name: s\ntrials: 60", 1))
			plan, err := s.Plan()
			if err != nil || plan.Cost.Hops < s.Spec.Algorithm.Steps-1 {
				t.Fatalf("%+v, %v", plan, err)
			}
			bundle, err := s.Run(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			e := bundle.Result.Estimate
			if e == nil || len(e.Value) != len(e.Truth) {
				t.Fatalf("%s estimates %+v", what, e)
			}
			exact := noise == 0 && strings.Contains(what, "ring")
			// Of a walk who is visited is chance too; five standard errors and what the visits vary.
			slack := 5*float64(e.Noise)/math.Sqrt(60) + 1e-9
			if !exact {
				slack += 2
			}
			for i, x := range e.Value {
				if math.Abs(x-e.Truth[i]) > slack {
					t.Errorf("%s, sigma %g: %v instead of %v, noise %v", what, noise, e.Value, e.Truth, e.Noise)
				}
			}
			if got := float64(e.Error); noise > 0 && strings.Contains(what, "ring") && (got < 0.7*float64(e.Noise) || got > 1.3*float64(e.Noise)) {
				t.Errorf("%s: error %g, noise makes %g", what, got, float64(e.Noise))
			}
			if noise == 0 {
				continue
			}
			if x, err := s.Explain(3, 11); err != nil || !(x.Epsilon > 0) || x.Status != report.Sound {
				t.Errorf("%s: %+v, %v", what, x, err)
			}
		}
	}
}

// What a sum has no use for is refused with a way out.
func TestSumsRefuse(t *testing.T) {
	for _, c := range [][3]string{
		{gatherings[0], "model.kind", "kind: ring-histogram"}, {gatherings[0], "algorithm.step_size", "kind: ring-sum, step_size: 0.1, clip: 1"},
		{gatherings[0], "about participants", "kind: ring-sum, clip: 1; unit: record, accountant: published"}, {gatherings[2], "probability of a random answer", "kind: ring-histogram; sigma: 1"},
		{gatherings[2], "epsilon at a delta", "kind: ring-histogram; metric: {renyi: 2}"}, {gatherings[3], "algorithm.steps", "kind: complete-sum, clip: 1"},
		{gatherings[3], "takes no rounds", "kind: complete-sum, clip: 1, steps: 5, rounds: 2"}, {gatherings[0], "algorithm.contributions", "kind: ring-sum, clip: 1, contributions: 9"},
		{gatherings[3], "shown to nobody", "kind: complete-sum, clip: 1, steps: 9; accountant: renewal, release: final"},
	} {
		what, how, _ := strings.Cut(c[2], "; ")
		if !strings.Contains(how, "sigma") {
			how = strings.TrimPrefix(how+", sigma: 0.5", ", ")
		}
		text := gathering(what, how)
		if c[1] == "model.kind" {
			text = strings.Replace(text, "{kind: histogram}", "{kind: mean}", 1)
			c[1] = "model: ring-histogram estimates no mean"
		}
		isRefused(t, text, c[1])
	}
	isRefused(t, strings.Replace(gathering(gatherings[0], "sigma: 1"), "nodes: 20", "graph: star:20", 1), "is no ring")
	isRefused(t, strings.Replace(gathering(gatherings[0], "sigma: 1"), "nodes: 20", "graph: ring:2", 1), "")
}

// Of large rings the mean is bounded by less than a thousandth, the worst pair and every pair
// are exact.
func TestLargeSumsArePriced(t *testing.T) {
	const n = 9000
	s := prepared(t, strings.Replace(gathering("kind: ring-sum, clip: 1, rounds: 2, spread: true", "sigma: 9, release: final, metric: {renyi: 2}"), "nodes: 20", "nodes: 9000", 1))
	ring, own := (sums.Ring{Nodes: n, Rounds: 2, Spread: true, Final: true, Sealed: true}), s.Accounting.Accounts[0]
	exact := func(u, v int) float64 { return privacy.GaussianLoss(ring.Energy(u, v), 9, privacy.Metric{Order: 2}) }
	mean, worst := 0.0, 0.0
	for v := range n {
		if before := v; before > 0 {
			x := exact(0, v)
			mean, worst = mean+x*float64(before)/n/(n-1), max(worst, x)
		}
		if after := n - 1 - v; after > 0 {
			x := exact(n-1, v)
			mean, worst = mean+x*float64(after)/n/(n-1), max(worst, x)
		}
	}
	if got := float64(own.Mean); got < mean*(1-1e-9) || got > mean*1.001 || math.Abs(float64(own.Max)/worst-1) > 1e-9 {
		t.Errorf("mean %g, exactly %g, worst %g, exactly %g", got, mean, float64(own.Max), worst)
	}
	for _, pair := range [][2]int{{0, 1}, {17, 5000}, {5000, 17}, {n - 1, n - 2}} {
		if got, want := own.At(pair[0], pair[1]), exact(pair[0], pair[1]); got != want || own.At(pair[0], pair[1]) != want {
			t.Errorf("pair %v loses %g, want %g", pair, got, want)
		}
	}
}

// Of records every pair loses what its law says, mean and worst are those of all pairs,
// calibration meets its target, one row a node is a participant, and nodes with more rows
// lose less.
func TestSumsProtectRecords(t *testing.T) {
	for _, what := range gatherings[:5] {
		if testing.Short() && strings.Contains(what, "complete-sum") {
			continue
		}
		one := prepared(t, gathering(what, "sigma: 0.9, unit: record")).Accounting.Accounts[0]
		participant := prepared(t, gathering(what, "sigma: 0.9")).Accounting.Accounts[0]
		if got, want := float64(one.Max), float64(participant.Max); !(math.Abs(got/want-1) < 1e-5) {
			t.Errorf("%s: one row is the participant: %g and %g", what, got, want)
		}
		many := prepared(t, uneven(t, what, "sigma: 0.9, unit: record"))
		all := many.Accounting.Accounts[0]
		mean, worst := 0.0, 0.0
		for u := range 20 {
			for v := range 20 {
				if u != v {
					mean, worst = mean+all.At(u, v)/380, max(worst, all.At(u, v))
				}
			}
		}
		if math.Abs(mean/float64(all.Mean)-1) > 1e-9 || math.Abs(worst/float64(all.Max)-1) > 1e-9 || all.Status != report.Sound || !strings.Contains(all.Assumptions[0], "record") {
			t.Errorf("%s: mean %g and worst %g of all pairs, stated %+v", what, mean, worst, all.Accounted)
		}
		holdings := many.Algorithm.Of()
		for u := range 19 {
			if fewer, more := holdings.Rows(u), holdings.Rows(u+1); fewer < more && !strings.Contains(what, "ring") && !(all.At(u+1, 19-u) < all.At(u, 19-u)) {
				t.Errorf("%s: of %d rows one loses %g, of %d %g", what, fewer, all.At(u, 19-u), more, all.At(u+1, 19-u))
			}
		}
		for _, pair := range [][2]int{{0, 1}, {3, 17}, {17, 3}, {19, 18}} {
			laws, err := many.Algorithm.Towards(t.Context(), pair[0])
			if err != nil {
				t.Fatal(err)
			}
			got, want := laws[pair[1]].Epsilon(1e-6, 0.9), all.At(pair[0], pair[1])
			if !strings.Contains(what, "complete-sum") && math.Abs(got/want-1) > 1e-9 { // priced by renewal, explained by path
				t.Errorf("%s: the law of pair %v says %g, the account %g", what, pair, got, want)
			}
		}
		if strings.Contains(what, "complete-sum") { // another test's
			continue
		}
		if own := prepared(t, uneven(t, what, "calibrate: {max: 1}, unit: record, accountant: sound")).Accounting.Accounts[0]; !(own.Max <= 1) || own.Max < 0.95 {
			t.Errorf("%s: calibrated to %g", what, float64(own.Max))
		}
	}
}

// uneven is a gathering whose nodes have two or three rows.
func uneven(t *testing.T, what, how string) string {
	var rows strings.Builder
	rows.WriteString("x,y,state\n")
	for i := range 50 {
		fmt.Fprintf(&rows, "%g,%g,%s\n", float64(i%7)/7, float64(i%5)/5, []string{"no", "yes"}[i%2])
	}
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	data := fmt.Sprintf("data: {source: csv, path: %s, target: state, scale: none, test: 0}", path)
	lines := strings.Split(gathering(what, how), "\n")
	lines[1] = data
	return strings.Join(lines, "\n")
}

// Coalitions are priced where anything below the local loss is proved: any two of a sum by a
// walk learn more than one, and those beside a node on a ring all that it adds.
func TestCoalitionsOfSums(t *testing.T) {
	testdata.Sequential(t)
	for _, what := range []string{gatherings[1], gatherings[3], "kind: complete-sgd, steps: 60, step_size: 0.1, clip: 1, contributions: 6"} {
		accountant := map[bool]string{true: "exact", false: "path"}[what == gatherings[1]]
		for _, unit := range []string{"participant", "record"} {
			text := gathering(what, fmt.Sprintf("sigma: 4, accountant: %s, unit: %s, coalition: 3", accountant, unit))
			if strings.Contains(what, "sgd") {
				text = strings.NewReplacer("source: mean, features: 2, centre: 0.4, variance: 0.01", "source: two-gaussians, features: 2, normalise: unit", "kind: mean", "kind: logistic").Replace(text)
			}
			s := prepared(t, text)
			own, c := s.Accounting.Accounts[0], s.Accounting.Coalition
			if c == nil || c.Size != 3 || !(c.Max > own.Max) || !(c.Max >= c.Mean) || c.Status != report.Sound || !strings.Contains(c.Assumptions[0], unit) {
				t.Errorf("%s of a %s: %+v, one alone %g", what, unit, c, float64(own.Max))
			}
		}
	}
	isRefused(t, gathering(gatherings[2], "sigma: 0.5, coalition: 2"), "does not price coalitions")
}
