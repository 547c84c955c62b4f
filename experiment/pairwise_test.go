package experiment

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/family/gossipfamily"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/pairwise"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// pairwiseChange makes the flow spec one of noise that cancels.
var pairwiseChange = []string{"steps: 20", "steps: 20, gossip_steps: 3, pairwise: 10", "accountant: flow", "", "max_beyond_neighbours", "max"}

func cancelling(t *testing.T, changes ...string) string {
	text := altered(t, pairwiseChange...)
	for i := 0; i < len(changes); i += 2 {
		if !strings.Contains(text, changes[i]) {
			t.Fatalf("the spec has no %q", changes[i])
		}
	}
	return strings.NewReplacer(changes...).Replace(text)
}

// A spec with noise that cancels relies on its accountant unasked, which prices the run as it
// does the same problem written down by hand: pair by pair, and for coalitions.
func TestPairwisePricesLearningByGossip(t *testing.T) {
	testdata.Sequential(t)
	for _, graph := range []string{"hypercube:5", "er:n=32,p=0.2,seed=4"} {
		s := prepared(t, cancelling(t, "hypercube:5", graph))
		own := s.Accounting.Accounts[0]
		if own.Accountant != "pairwise" || own.Status != report.Sound || math.Abs(float64(own.Max)-1) > 1e-6 || float64(own.Max) > 1 {
			t.Fatalf("%s is %s, at most %v", own.Accountant, own.Status, own.Max)
		}
		sigma := s.Accounting.Sigma
		byHand, err := pairwise.New(pairwise.Problem{Pairs: gossipOf(s).Transition.Sparse(), Own: sigma, Pair: 10 * sigma, Contributions: 20})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []int{1, 9} {
			energies, err := byHand.Energies([]int{v}, 1)
			if err != nil {
				t.Fatal(err)
			}
			want := privacy.Metric{Delta: 1e-6}.GaussianView(energies[0])
			if got := own.At(0, v); math.Abs(got/want-1) > 1e-6 {
				t.Errorf("%s: 0 towards %d loses %g, by hand %g", graph, v, got, want)
			}
			e, err := s.Explain(0, v)
			if err != nil || e.Accountant != "pairwise" || math.Abs(e.Epsilon/want-1) > 1e-6 {
				t.Errorf("%s: 0 towards %d is explained as %+v, %v", graph, v, e, err)
			}
		}
		if local := accountOf(t, s, "local"); float64(local.Max) < 2*float64(own.Max) {
			t.Errorf("local loss %v, pairwise %v", local.Max, own.Max)
		}
	}
}

// After the turns of averaging that a plan says, no more of what partners share is left in models than of the noise of the
// mean of all: with the polynomial of the averaging, exactly.
func TestWhatPartnersShareCancelsInTheTurnsThatPlansSay(t *testing.T) {
	testdata.Sequential(t)
	said := regexp.MustCompile(`after (\d+) turns of averaging`)
	for _, change := range []string{"star:6|regular:3", "line:9|complete", "hypercube:4|edges", "ring:8|regular:2, acceleration: none", "er:n=20,p=0.3,seed=3|regular:4"} {
		graph, secrets, _ := strings.Cut(change, "|")
		a := gossipOf(prepared(t, cancelling(t, "nodes: 32", "", "hypercube:5", graph, "pairwise: 10", "pairwise: 10, secrets: "+secrets)))
		found := said.FindStringSubmatch(strings.Join(a.Notes(), "\n"))
		if found == nil {
			t.Fatalf("%s: no turns are said", change)
		}
		turns, err := strconv.Atoi(found[1])
		if err != nil {
			t.Fatal(err)
		}
		if enough, few := shareLeft(a, turns), shareLeft(a, turns/4); enough > 1 || !(few > 1) {
			t.Errorf("%s: %g is left after %d turns, %g after a quarter of them", change, enough, turns, few)
		}
	}
}

// shareLeft is the root mean square over nodes of what partners share in their models after so many turns, over the noise of
// the mean.
func shareLeft(a *gossipfamily.Algorithm, turns int) float64 {
	n, p := a.Protocol.Nodes, *a.Protocol
	p.TurnsPerRound = turns + 1
	energy := 0.0
	for u := range n {
		for _, v := range a.Secrets().Neighbours(u) {
			if int(v) < u {
				continue
			}
			x, before := make([]float64, n), make([]float64, n)
			x[u], x[v] = p.Pairwise, -p.Pairwise
			for turn := range step.Turn(turns) {
				by, old := p.Coefficients(turn)
				next := make([]float64, n)
				for i := range next {
					next[i] = old * before[i]
					for j := range n {
						next[i] += by * a.Transition.At(i, j) * x[j]
					}
				}
				x, before = next, x
			}
			for _, xi := range x {
				energy += xi * xi
			}
		}
	}
	return math.Sqrt(energy/float64(n)) * math.Sqrt(float64(n))
}

// A secrets graph of its own is priced as the same problem by hand, whatever the graph of messages is: a leaf decides
// nothing, and results, resolved specs and copies of them in other folders name the graph.
func TestSecretsOfTheirOwn(t *testing.T) {
	testdata.Sequential(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "secrets.edges"), []byte("0 1\n1 2\n2 3\n3 4\n4 5\n5 0\n0 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for how, degrees := range map[string][2]int{"edges": {1, 5}, "regular:3": {3, 3}, "complete": {5, 5}, filepath.Join(dir, "secrets.edges"): {2, 3}} {
		s := prepared(t, cancelling(t, "nodes: 32", "", "hypercube:5", "star:6", "pairwise: 10", "pairwise: 10, secrets: "+how))
		facts := s.graphFacts().Secrets
		if facts == nil || facts.Name != filepath.Base(how) && how != "regular:3" && how != "complete" || facts.MinPartners != degrees[0] || facts.MaxPartners != degrees[1] {
			t.Fatalf("%s: %+v", how, facts)
		}
		partners := s.Algorithm.(family.Sharer).Secrets()
		dense := make([]float64, 36)
		for u := range 6 {
			for _, v := range partners.Neighbours(u) {
				dense[6*u+int(v)] = 1
			}
		}
		byHand, err := pairwise.New(pairwise.Problem{Pairs: sparse.FromDense(6, dense), Own: s.Accounting.Sigma, Pair: 10 * s.Accounting.Sigma, Contributions: 20})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []int{1, 5} {
			energies, err := byHand.Energies([]int{v}, 1)
			if err != nil {
				t.Fatal(err)
			}
			want := privacy.Metric{Delta: 1e-6}.GaussianView(energies[3])
			if got := s.Accounting.Accounts[0].At(3, v); math.Abs(got/want-1) > 1e-6 {
				t.Errorf("%s: 3 towards %d loses %g, by hand %g", how, v, got, want)
			}
			if e, err := s.Explain(3, v); err != nil || e.Why.Partners != partners.HasEdge(3, v) {
				t.Errorf("%s: 3 towards %d is explained as %+v, %v", how, v, e, err)
			}
		}
		if moved := RelativeTo(s.Spec, dir); strings.Contains(how, "secrets.edges") && OwnFile(moved) != "secrets.edges" {
			t.Errorf("%s is named %s from its own folder", how, OwnFile(moved))
		}
	}
	for says, changes := range map[string][]string{
		"no noise follows":      {"pairwise: 10", "secrets: complete"},
		"both are odd":          {"pairwise: 10", "pairwise: 10, secrets: regular:3", "nodes: 32", "", "hypercube:5", "ring:7"},
		"not drawn by":          {"pairwise: 10", "pairwise: 10, secrets: ring:32"},
		"cannot open":           {"pairwise: 10", "pairwise: 10, secrets: " + dir},
		"no node of":            {"pairwise: 10", "pairwise: 10, secrets: " + filepath.Join(dir, "secrets.edges"), "nodes: 32", "", "hypercube:5", "ring:4"},
		"no number of partners": {"pairwise: 10", "pairwise: 10, secrets: regular:32"},
	} {
		isRefused(t, cancelling(t, changes...), says)
	}
}

// With a coalition, a largest loss is kept towards every coalition of that size.
func TestPairwiseKeepsCoalitions(t *testing.T) {
	testdata.Sequential(t)
	s := prepared(t, cancelling(t, "hypercube:5", "complete:6", "nodes: 32", "nodes: 6", "privacy: {", "privacy: {coalition: 2, "))
	c := s.Accounting.Coalition
	if c == nil || c.Size != 2 || c.Status != report.Sound || math.Abs(float64(c.Max)-1) > 1e-6 || float64(c.Max) > 1 {
		t.Fatalf("coalitions of two: %+v", c)
	}
	if alone := float64(s.Accounting.Accounts[0].Max); !(alone < 0.99) {
		t.Errorf("alone one learns %g, two together %v", alone, c.Max)
	}
}

// The example is what it says: calibrated on every pair, by the pairwise accountant.
func TestPairwiseExample(t *testing.T) {
	s, err := Load("../examples/pairwise.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if p := s.Privacy; p.Accountant != "pairwise" || p.Calibrate.Max != 1 || s.Nodes != 2048 {
		t.Errorf("%+v", p)
	}
}

// So is that of noise in time.
func TestInTimeExample(t *testing.T) {
	s, err := Load("../examples/in-time.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if p := s.Privacy; p.Accountant != "pairwise" || p.Calibrate.Max != 0.1 || !s.Records() || s.Algorithm.Steps != 320 {
		t.Errorf("%+v", p)
	}
}

// What does not cancel, or is not priced, is refused with a way out.
func TestPairwiseRefusals(t *testing.T) {
	for _, c := range []struct {
		says    string
		changes []string
	}{
		{"algorithm.pairwise", []string{"pairwise: 10", "pairwise: -1"}},
		{"algorithm.pairwise", []string{"pairwise: 10", "pairwise: 1e7"}},
		{"algorithm.pairwise", []string{"pairwise: 10", "pairwise: 10, dropout: 0.1"}},
		{"algorithm.pairwise", []string{"pairwise: 10", "pairwise: 10, wake: edges"}},
		{"algorithm.pairwise", []string{"pairwise: 10", "pairwise: 10, redraw: 2", "hypercube:5", "regular:n=32,d=4"}},
		{"algorithm.pairwise", []string{"pairwise: 10", "pairwise: 10, noise: turn"}},
		{"this spec has none", []string{"pairwise: 10", "pairwise: 0", "privacy: {", "privacy: {accountant: pairwise, "}},
		{"flow knows no noise that cancels", []string{"privacy: {", "privacy: {accountant: flow, "}},
		{"002 Theorem 6.9", []string{"privacy: {", "privacy: {accountant: published, "}},
		{"pairwise", []string{"kind: gossip-gd", "kind: walk", ", gossip_steps: 3", ""}},
		{"does not price coalitions", []string{"privacy: {", "privacy: {accountant: local, coalition: 2, "}},
	} {
		isRefused(t, cancelling(t, c.changes...), c.says)
	}
	if testing.Short() {
		return // pricing takes long under the race detector
	}
	for _, changes := range [][]string{
		{"gossip-gd", "gossip-sgd"}, {"steps: 20", "steps: 20, contributions: 5"}, {"step_size: 0.5", "step_size: {base: 0.5, power: 0.5}"},
		{"steps: 20", "steps: 20, radius: 3"}, {"privacy: {", "privacy: {accountant: local, "},
	} {
		if s := prepared(t, cancelling(t, changes...)); s.Accounting.Accounts[0].Status != report.Sound {
			t.Errorf("%q: %+v", changes, s.Accounting.Accounts[0].Accounted)
		}
	}
}

// Where one node cuts a few off, noise that cancels hides little of them: the note says so, and at least how much of the
// noise without it is left, which the calibration bears out. Elsewhere there is no note.
func TestNoiseThatCancelsSaysWhereItHidesLittle(t *testing.T) {
	testdata.Sequential(t)
	triangles := filepath.Join(t.TempDir(), "triangles.txt") // two of them, joined by a node between
	if err := os.WriteFile(triangles, []byte("0 1\n1 2\n2 0\n2 3\n3 4\n4 5\n5 6\n6 4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for graph, least := range map[string]float64{"line:6": 1, "star:5": 1, "balanced:r=2,h=2": 1, "complete:2": 1, triangles: 0.7, "ring:6": 0, "hypercube:3": 0, "complete:3": 0} {
		text := cancelling(t, "nodes: 32", "", "hypercube:5", graph)
		s := prepared(t, text)
		notes := strings.Join(s.Algorithm.Notes(), "\n")
		if said := strings.Contains(notes, "hides little"); said != (least > 0) {
			t.Errorf("%s: %s", graph, notes)
			continue
		}
		if want := fmt.Sprintf("at least %.0f %% of the noise", 100*least); least > 0 && !strings.Contains(notes, want) {
			t.Errorf("%s: no %q in %s", graph, want, notes)
		}
		if buys := strings.Contains(strings.Join(s.notes(), "\n"), "buys nothing"); buys != (least == 1) {
			t.Errorf("%s: %s", graph, s.partnersNote())
		}
		without := prepared(t, strings.Replace(text, ", pairwise: 10", "", 1))
		if ratio := s.Accounting.Sigma / without.Accounting.Sigma; least > 0 && ratio < least*(1-1e-6) {
			t.Errorf("%s: %g of the noise is left, and the note says at least %g", graph, ratio, least)
		}
	}
	for size, want := range map[string]bool{"3": true, "2": false} { // all neighbours of a node of the cube
		s := prepared(t, cancelling(t, "nodes: 32", "", "hypercube:5", "hypercube:3", "calibrate: {max: 1}", "coalition: "+size+", calibrate: {max: 1}"))
		if notes := strings.Join(s.Algorithm.Notes(), "\n"); strings.Contains(notes, "hides little") != want {
			t.Errorf("coalitions of %s: %s", size, notes)
		}
	}
}

// Where nodes that few hide have many rows, others decide the largest loss, and the note says no more than the calibration bears out.
func TestNoiseThatCancelsSaysHowLittleItHidesOfRecords(t *testing.T) {
	testdata.Sequential(t)
	var rows []string
	for town, n := range []int{40, 4, 5, 4, 30} {
		for i := range n {
			rows = append(rows, fmt.Sprintf("town %d,%d,%d,m,%d", town, 30+i, 100+2*i, i%2))
		}
	}
	noise := func(cancels, sampling string) (*Priced, float64) {
		s := prepare(t, load(t, map[string]string{"rows.csv": towns(rows), "spec.yaml": "graph: line:5\nmodel: {kind: logistic}\n" +
			"data: {source: csv, path: rows.csv, target: ill, test: 0, scale: ranges, ranges: {age: [0, 100], pressure: [60, 200]}, drop: [sex], partition: column:town}\n" +
			"algorithm: {" + sampling + "steps: 9, step_size: 0.1, clip: 1" + cancels + "}\nprivacy: {unit: record, calibrate: {max: 1}}\n"}))
		return s, s.Accounting.Sigma
	}
	for sampling, want := range map[string]string{"kind: gossip-gd, ": `at least (\d+) % of the noise`, "kind: gossip-sgd, batch: 2, sampling: poisson, ": ""} {
		s, some := noise(", pairwise: 10", sampling)
		notes := strings.Join(s.Algorithm.Notes(), "\n")
		if !strings.Contains(notes, "hides little here") || strings.Contains(notes, "of the noise that it would") != (want != "") {
			t.Errorf("%s: %s", sampling, notes)
			continue
		}
		if want == "" {
			continue
		}
		_, all := noise("", sampling)
		if said := regexp.MustCompile(want).FindStringSubmatch(notes); said == nil {
			t.Errorf("%s", notes)
		} else if least, err := strconv.Atoi(said[1]); err != nil || least < 10 || some < all*float64(least)/100 {
			t.Errorf("%g of %g is left, and the note says at least %d %%", some, all, least)
		}
	}
}

// The secrets that a note names can be had, and the noise then hides more. Where no secrets help none are named.
func TestSecretsThatNotesNameHelp(t *testing.T) {
	testdata.Sequential(t)
	for _, c := range []struct{ graph, coalition, want string }{
		{"complete:2", "0", ""}, {"star:4", "0", "complete"}, {"star:12", "0", "regular:4"}, {"star:12", "4", "regular:6"}, {"star:12", "5", "regular:6"}, {"line:7", "5", "complete"}, {"line:4", "3", ""},
	} {
		changes := []string{"nodes: 32", "", "hypercube:5", c.graph, "privacy: {", "privacy: {coalition: " + c.coalition + ", "}
		notes := strings.Join(prepared(t, cancelling(t, changes...)).Algorithm.Notes(), "\n")
		named := regexp.MustCompile(`algorithm\.secrets: ([a-z]+(:\d+)?)`).FindStringSubmatch(notes)
		if !strings.Contains(notes, "hides little") || (named != nil) != (c.want != "") || named != nil && named[1] != c.want {
			t.Errorf("%+v: %q", c, notes)
			continue
		}
		if named == nil {
			continue
		}
		changes = append(changes, "pairwise: 10", "pairwise: 10, secrets: '"+named[1]+"'")
		if notes := strings.Join(prepared(t, cancelling(t, changes...)).Algorithm.Notes(), "\n"); strings.Contains(notes, "hides little") {
			t.Errorf("%+v with these secrets: %q", c, notes)
		}
	}
}

// What is said of noise that cancels is true of runs in which it does little, or whose numbers do not count on it.
func TestWordsOnNoiseThatCancels(t *testing.T) {
	testdata.Sequential(t)
	star := func(changes ...string) *Priced {
		return prepared(t, cancelling(t, append([]string{"nodes: 32", "", "hypercube:5", "star:6"}, changes...)...))
	}
	if notes := strings.Join(star("privacy: {", "privacy: {accountant: local, ").Algorithm.Notes(), "\n"); strings.Contains(notes, "flow accountant") || !strings.Contains(notes, "pairwise accountant is a bound") {
		t.Errorf("charged locally: %s", notes)
	}
	for changes, travels := range map[string]bool{"": true, ", radius: 2": false} {
		if notes := strings.Join(star("clip: 0.3", "clip: 0.3"+changes).Algorithm.Notes(), "\n"); strings.Contains(notes, "cancels as it travels") != travels {
			t.Errorf("%q: %s", changes, notes)
		}
	}
	s := star("calibrate: {max: 1}", "sigma: 1.0e+7")
	if notes := strings.Join(s.notes(), "\n"); s.Accounting.Accounts[0].Max != 0 || strings.Contains(notes, "NaN") || strings.Contains(notes, "the largest loss is that of") {
		t.Errorf("nobody loses anything: %s", notes)
	}
	s = star()
	for observer, bare := range map[int]bool{0: true, 2: false} {
		e, err := s.Explain(1, observer)
		if err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprint(e.Text); strings.Contains(text, "so that they hide nothing from it") != bare || strings.Contains(text, "sums of many nodes") == bare || (e.Epsilon > 0.99*e.Why.Local) != bare {
			t.Errorf("a leaf towards %d loses %g of %g: %s", observer, e.Epsilon, e.Why.Local, text)
		}
	}
}

// A coalition of more nodes than there are is refused where a graph says how many there are, too.
func TestCoalitionsOfMoreThanThereAreAreRefused(t *testing.T) {
	for _, text := range []string{
		cancelling(t, "nodes: 32", "", "hypercube:5", "complete:4", "privacy: {", "privacy: {coalition: 4, "), altered(t, "nodes: 32", "", "hypercube:5", "complete:4", "privacy: {", "privacy: {coalition: 4, "),
		fmt.Sprintf(testdata.Audited, "hypercube:2", 70, 8, "uniform", 2.0, 1e-5, "none, coalition: 4"),
	} {
		s, err := Parse([]byte(text), "test.yaml")
		if err == nil {
			_, err = Prepare(t.Context(), s, nil)
		}
		if err == nil || !strings.Contains(err.Error(), "privacy.coalition: 4 nodes cannot pool what they see of another, because there are 4 in all") || fault.Hint(err) == "" {
			t.Errorf("%v (%s)", err, fault.Hint(err))
		}
	}
}
