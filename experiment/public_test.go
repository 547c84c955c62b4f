package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/report"
)

// assumed reports whether every account of a run lists something that begins so.
func assumed(s *Priced, begins string) bool {
	for _, a := range s.Accounting.Accounts {
		if !slices.ContainsFunc(a.Assumptions, func(said string) bool { return strings.HasPrefix(said, begins) }) {
			return false
		}
	}
	return true
}

// Whatever looked at everybody's rows is an assumption of every number.
func TestWhatIsFittedOnDataIsAssumedPublic(t *testing.T) {
	testdata.Sequential(t)
	file := filepath.Join(t.TempDir(), "rows.csv")
	rows := "a,b,y\n"
	for i := range 100 {
		rows += fmt.Sprintf("%d,%d,%d\n", i%7, i%11, i%2)
	}
	if err := os.WriteFile(file, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	fromFile := func(key string) []string {
		return []string{"{source: two-gaussians, rows: 5, features: 4}", "{source: csv, path: " + file + ", target: y, scale: none, " + key + "}",
			"hypercube:4", "complete:4", "steps: 250", "steps: 9"}
	}
	for name, c := range map[string]struct {
		changes []string
		begins  string
		want    bool
	}{
		"nothing fitted": {nil, "preprocessing is public", false},
		"standardised": {[]string{"features: 4", "features: 4, scale: standardise", "hypercube:4", "complete:4", "steps: 250", "steps: 9"},
			"preprocessing is public: means and deviations of the features were", true},
		"label too": {[]string{"two-gaussians", "sparse-regression", "features: 4", "features: 4, support: 2, scale: standardise", "graph:",
			"model: {kind: ridge}\ngraph:", "hypercube:4", "complete:4", "steps: 250", "steps: 9"},
			"preprocessing is public: means and deviations of the features and of the label", true},
		"by label":         {fromFile("partition: position"), "who holds which rows is public: partition position", true},
		"by label's split": {fromFile("test: 0.2"), "the split is public", true},
		"no split":         {fromFile("test: 0"), "the split is public", false},
		"a file's columns": {fromFile("test: 0"), "which columns, classes and rows there are is public", true},
		"unit":             {nil, "unit of privacy: participant; neighbouring data sets differ in all the data of one participant", true},
	} {
		s := prepare(t, variant(t, c.changes...))
		if got := assumed(s, c.begins); got != c.want {
			t.Errorf("%s: %q assumed: %v, want %v", name, c.begins, got, c.want)
		}
		plan, err := s.Plan()
		if err != nil || plan.Privacy.Unit != "participant" {
			t.Errorf("%s: unit %q, %v", name, plan.Privacy.Unit, err)
		}
	}
}

// The largest loss beyond neighbours is over pairs that no edge joins: all but the
// adjacent ones, and null on a complete graph.
func TestMaxBeyondNeighboursSkipsEdges(t *testing.T) {
	testdata.Sequential(t)
	s := prepare(t, variant(t, "hypercube:4", "line:5", "steps: 250", "steps: 9", "contributions: 20", "contributions: 3", "features: 4",
		"features: 4, normalise: unit", "accountant: local", "accountant: path"))
	path, local := s.Accounting.Accounts[0], s.Accounting.Accounts[1]
	worst := 0.0
	for u := range 5 {
		for v := range 5 {
			if u-v > 1 || v-u > 1 {
				worst = max(worst, path.At(u, v))
			}
		}
	}
	if *path.MaxBeyondNeighbours != report.Number(worst) || !(worst < float64(path.Max)) || *local.MaxBeyondNeighbours != local.Max {
		t.Errorf("%v beyond neighbours, want %v below %v; local %v", *path.MaxBeyondNeighbours, worst, path.Max, *local.MaxBeyondNeighbours)
	}
	complete := prepare(t, variant(t, "hypercube:4", "complete:4", "steps: 250", "steps: 9", "features: 4", "features: 4, normalise: unit",
		"accountant: local", "accountant: path"))
	if beyond := complete.Accounting.Accounts[0].MaxBeyondNeighbours; beyond != nil {
		t.Errorf("%v beyond the neighbours of a complete graph", *beyond)
	}
}

// The model of a run is charged where everybody may see it at the stated loss, by each account for itself.
func TestModelIsChargedWhereItIsReleased(t *testing.T) {
	testdata.Sequential(t)
	small := []string{"hypercube:4", "complete:4", "steps: 250", "steps: 9", "features: 4", "features: 4, normalise: unit"}
	for name, c := range map[string]struct {
		changes []string
		want    bool
	}{
		"path, not released": {append(small, "accountant: local", "accountant: path"), false},
		"path, released":     {append(small, "accountant: local", "accountant: path, release: final"), true},
		"a mean of iterates": {append(small, "accountant: local", "accountant: path, release: final", "clip: 0.3", "clip: 0.3, average: half"), false},
		"all public":         {nil, true},
		"no noise":           {[]string{"calibrate: {mean: 2}", "sigma: 0"}, false},
	} {
		s := prepare(t, variant(t, c.changes...))
		if got := s.privacy().ModelCharged; got != c.want {
			t.Errorf("%s: charged %v, want %v", name, got, c.want)
		}
		for _, a := range s.Accounting.Accounts { // each says of itself whether the model must not be shown
			said := slices.ContainsFunc(a.Assumptions, func(said string) bool {
				return strings.Contains(said, "and not the model that the simulation writes down")
			})
			if said == a.ModelCharged {
				t.Errorf("%s, %s: charged %v, and the assumptions are %q", name, a.Accountant, a.ModelCharged, a.Assumptions)
			}
		}
	}
}
