package experiment

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// drawnSpec is one of a walk or gossip on a graph without symmetry whose nodes have
// names, with edges one way or both, of participants or records.
func drawnSpec(t *rapid.T, folder string) *spec.Spec {
	n := rapid.IntRange(4, 6).Draw(t, "nodes")
	name := func(v int) string { return fmt.Sprintf("house %c", 'z'-v) }
	kind := rapid.SampledFrom([]string{"walk", "walk", "gossip-gd", "gossip"}).Draw(t, "kind")
	directed := kind == "walk" && rapid.Bool().Draw(t, "directed")
	if kind == "walk" && rapid.IntRange(0, 9).Draw(t, "many") == 0 {
		n = 13 // whose pairs are charged by moments
	}
	var edges strings.Builder
	for v := range n { // a cycle, which every node can leave and reach, and chords
		fmt.Fprintf(&edges, "  edge [ source %d target %d ]\n", v, (v+1)%n)
	}
	for range rapid.IntRange(1, 3).Draw(t, "chords") {
		u := rapid.IntRange(0, n-1).Draw(t, "from")
		v := (u + rapid.IntRange(2, n-2).Draw(t, "over")) % n
		fmt.Fprintf(&edges, "  edge [ source %d target %d ]\n", u, v)
	}
	var nodes strings.Builder
	for v := range n {
		fmt.Fprintf(&nodes, "  node [ id %d label %q ]\n", v, name(v))
	}
	one := map[bool]int{true: 1}[directed]
	file := filepath.Join(folder, "houses.gml")
	if err := os.WriteFile(file, fmt.Appendf(nil, "graph [\n  directed %d\n%s%s]\n", one, nodes.String(), edges.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	data, model, algorithm := "{source: two-gaussians, rows: 40, features: 2, normalise: unit}", "{kind: logistic}", ""
	accountants, metric := []string{"local", "sound"}, rapid.SampledFrom([]string{"{epsilon_at_delta: 1.0e-5}", "{renyi: 2}"}).Draw(t, "metric")
	switch kind {
	case "walk":
		algorithm = fmt.Sprintf("steps: %d, step_size: 0.1, clip: 0.3, contributions: %d", rapid.SampledFrom([]int{9, 70}).Draw(t, "steps"), rapid.IntRange(1, 3).Draw(t, "cap"))
		accountants = append(accountants, "path", "published")
	case "gossip-gd":
		algorithm = fmt.Sprintf("steps: %d, step_size: 0.1, clip: 0.3", rapid.IntRange(1, 4).Draw(t, "rounds"))
		accountants = append(accountants, "flow", "published")
	default:
		data, model, algorithm = "{source: mean, features: 2, centre: 0.5, variance: 0.1}", "{kind: mean}", "steps: 3, clip: 1"
		accountants = append(accountants, "exact")
	}
	accountant, unit := rapid.SampledFrom(accountants).Draw(t, "accountant"), "participant"
	if kind != "gossip" && accountant != "published" && rapid.Bool().Draw(t, "records") {
		unit = "record"
	}
	noise := rapid.SampledFrom([]string{"sigma: 2", "calibrate: {max: 2}", "calibrate: {mean: 1}"}).Draw(t, "noise")
	s, err := Parse(fmt.Appendf(nil, "data: %s\nmodel: %s\ngraph: %s\nalgorithm: {kind: %s, %s}\nprivacy: {%s, accountant: %s, metric: %s, unit: %s}\n",
		data, model, file, kind, algorithm, noise, accountant, metric, unit), "drawn.yaml")
	if err != nil {
		t.Skip(err)
	}
	return s
}

// Whatever prints the loss of a pair prints the same: the matrix, the table of pairs and
// of distances, nodes, brackets, the largest of all, and the explanation, whether all
// pairs were to be priced or it was asked for alone.
func TestOneNumberForOnePair(t *testing.T) {
	if testing.Short() {
		t.Skip("prices many pairs")
	}
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		s := drawnSpec(t, folder)
		setup, err := Prepare(t.Context(), s, nil)
		if err != nil {
			t.Skip(err)
		}
		privacy := setup.privacy()
		checkSummaries(t, setup, &privacy)
		about, n := 0, setup.Spec.Nodes
		about = rapid.IntRange(0, n-1).Draw(t, "about")
		observer := (about + rapid.IntRange(1, n-1).Draw(t, "observer")) % n
		if setup.Algorithm.Pairs() != nil {
			return
		}
		asked := setup
		if rapid.Bool().Draw(t, "asked alone") {
			if asked, err = OpenForPairs(t.Context(), s, nil); err != nil {
				t.Fatal(err)
			}
		}
		e, err := asked.Explain(about, observer)
		if err != nil {
			t.Fatal(err)
		}
		checkExplained(t, setup, e)
	})
}

// checkExplained compares an explanation with the account of its accountant.
func checkExplained(t *rapid.T, s *Priced, e *family.Explanation) {
	account := s.shown(e.Accountant)
	if account == nil {
		t.Fatalf("explained by %s, of %+v", e.Accountant, s.Accounting.Accounts)
	}
	if s.Spec.Privacy.Metric.Order != 0 {
		return
	}
	if first := &s.Accounting.Accounts[0]; first.Part != nil { // the least of several is what everybody is told first
		account = first
	}
	if want := account.At(e.About, e.Observer); e.Epsilon != want {
		t.Fatalf("%s of %d towards %d: %v, explained as %v", e.Accountant, e.About, e.Observer, want, e.Epsilon)
	}
	if e.Alone != nil && !(*e.Alone < e.Epsilon) {
		t.Fatalf("alone it is %v, and %v is said", *e.Alone, e.Epsilon)
	}
}

// checkSummaries compares what is said of many pairs with what is said of each.
func checkSummaries(t *rapid.T, s *Priced, p *report.Privacy) {
	n, all, plan := s.Spec.Nodes, p.All(), s.byDistance()
	for k, l := range s.losses() {
		total, worst, beyond := 0.0, 0.0, math.Inf(-1)
		for u := range n {
			for v := range n {
				loss := s.Accounting.Accounts[k].Bound(u, v)
				if u == v || math.IsNaN(loss) {
					continue
				}
				if at := l.At(u, v); at != loss && !l.Partial {
					t.Fatalf("%s of %d towards %d: %v and %v", l.Accountant, u, v, at, loss)
				}
				total, worst = total+loss, max(worst, loss)
				if !s.Graph.HasEdge(u, v) && !s.Graph.HasEdge(v, u) {
					beyond = max(beyond, loss)
				}
			}
		}
		const rounding = 1e-9
		near := func(what string, got report.Number, want float64) {
			if math.Abs(float64(got)-want) > rounding*(1+want) {
				t.Fatalf("%s: %s %v, of all pairs %v", l.Accountant, what, got, want)
			}
		}
		near("worst", all[k].Max, worst)
		if l.Status != report.Audit {
			near("mean", all[k].Mean, total/float64(n*(n-1)))
		}
		if far := all[k].MaxBeyondNeighbours; far != nil {
			near("worst beyond neighbours", *far, beyond)
		}
		largest := report.Number(0)
		for _, d := range plan {
			if d.Accountant == l.Accountant && d.Status == l.Status {
				largest = max(largest, d.Max)
			}
		}
		near("worst by distance", largest, worst)
	}
	lead := s.Accounting.Leading()
	for u, one := range p.Nodes.Each {
		if float64(one.Loses) != lead.At(u, one.Towards) || float64(one.Learns) != lead.At(one.About, u) || p.Nodes.Accountant != lead.Accountant {
			t.Fatalf("%+v by %s", one, p.Nodes.Accountant)
		}
	}
	for _, b := range p.Brackets {
		if a := s.shown(b.Accountant); a == nil || float64(b.Sound) != a.At(b.About, b.Observer) {
			t.Fatalf("bracket %+v", b)
		}
	}
}

// The files of a run have the numbers of the matrix, in the digits that they have.
func TestFilesHaveTheNumbersOfTheMatrix(t *testing.T) {
	testdata.Sequential(t)
	s := specOf(t, "data: {source: two-gaussians, rows: 12, features: 2, normalise: unit}\ngraph: er:n=8,p=0.4,seed=3,connected\n"+
		"algorithm: {steps: 60, step_size: 0.1, clip: 0.3, contributions: 3}\nprivacy: {sigma: 2}\n")
	setup := prepare(t, s)
	out := filepath.Join(t.TempDir(), "out")
	if err := report.WriteDir(t.Context(), out, runSetup(t, setup)); err != nil {
		t.Fatal(err)
	}
	text, err := os.Open(filepath.Join(out, "privacy.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	rows, err := csv.NewReader(text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for _, row := range rows[1:] {
		var x [4]float64
		for i, cell := range []string{row[0], row[1], row[3], row[4]} {
			if x[i], err = strconv.ParseFloat(cell, 64); err != nil {
				t.Fatal(err)
			}
		}
		for k, got := range x[2:] {
			if want := setup.Accounting.Accounts[k].At(int(x[0]), int(x[1])); got < want || got > want*(1+1e-6) {
				t.Errorf("line %v has %v, the matrix %v", row, got, want)
			}
		}
		worst = max(worst, x[2])
	}
	var result report.Result
	data, err := os.ReadFile(filepath.Join(out, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &result); err != nil {
		t.Fatal(err)
	}
	if got := float64(result.Privacy.Max); got > worst || got < worst*(1-1e-6) {
		t.Errorf("result.json has the worst %v, privacy.csv %v", got, worst)
	}
	for u, one := range result.Privacy.Nodes.Each {
		if loss := setup.Accounting.Accounts[0].At(u, one.Towards); float64(one.Loses) != loss {
			t.Errorf("result.json says of node %d %+v, the matrix %v", u, one, loss)
		}
	}
}

// The noise that a target asks for depends neither on the seed nor on what the nodes are
// called and in which order they are listed, beyond rounding.
func TestCalibrationKnowsNoNamesAndSeeds(t *testing.T) {
	if testing.Short() {
		t.Skip("prices many pairs")
	}
	edges := [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, 8}, {8, 9}, {9, 10}, {10, 11}, {11, 12}, {12, 0}, {0, 5}, {2, 9}, {3, 11}, {6, 12}}
	folder := t.TempDir()
	sigma := func(name func(v int) string, seed int) float64 {
		t.Helper()
		var text strings.Builder
		for _, e := range edges {
			fmt.Fprintf(&text, "%s %s\n", name(e[0]), name(e[1]))
		}
		file := filepath.Join(folder, "g.txt")
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		s := specOf(t, fmt.Sprintf("seed: %d\ndata: {source: two-gaussians, rows: 20, features: 2, normalise: unit}\ngraph: %s\n"+
			"algorithm: {steps: 150, step_size: 0.1, clip: 0.3, contributions: 3}\nprivacy: {calibrate: {mean: 1}, accountant: path}\n", seed, file))
		return prepare(t, s).Accounting.Sigma
	}
	plain, renamed := func(v int) string { return fmt.Sprintf("a%02d", v) }, func(v int) string { return fmt.Sprintf("house%02d", (v*5+3)%13) }
	first := sigma(plain, 1)
	if other := sigma(plain, 2); other != first {
		t.Errorf("sigma %v with one seed, %v with another", first, other)
	}
	if other := sigma(renamed, 1); math.Abs(other-first) > 1e-5*first {
		t.Errorf("sigma %v by one set of names, %v by another", first, other)
	}
}
