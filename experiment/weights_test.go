package experiment

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/spec"
)

// Matrices on a ring of six: one that goes on more than back, is doubly stochastic and not
// symmetric; a symmetric one; one whose columns do not sum to 1; one that alternates.
const (
	onward    = "0.5,0.3,0,0,0,0.2\n0.2,0.5,0.3,0,0,0\n0,0.2,0.5,0.3,0,0\n0,0,0.2,0.5,0.3,0\n0,0,0,0.2,0.5,0.3\n0.3,0,0,0,0.2,0.5\n"
	even      = "0.5,0.25,0,0,0,0.25\n0.25,0.5,0.25,0,0,0\n0,0.25,0.5,0.25,0,0\n0,0,0.25,0.5,0.25,0\n0,0,0,0.25,0.5,0.25\n0.25,0,0,0,0.25,0.5\n"
	lopsided  = "0.5,0.25,0,0,0,0.25\n0.1,0.8,0.1,0,0,0\n0,0.25,0.5,0.25,0,0\n0,0,0.25,0.5,0.25,0\n0,0,0,0.25,0.5,0.25\n0.25,0,0,0,0.25,0.5\n"
	alternate = "0,0.5,0,0,0,0.5\n0.5,0,0.5,0,0,0\n0,0.5,0,0.5,0,0\n0,0,0.5,0,0.5,0\n0,0,0,0.5,0,0.5\n0.5,0,0,0,0.5,0\n"
	chord     = "0.5,0.3,0,0.1,0,0.1\n0.2,0.5,0.3,0,0,0\n0,0.2,0.5,0.3,0,0\n0,0,0.2,0.5,0.3,0\n0,0,0,0.2,0.5,0.3\n0.3,0,0,0,0.2,0.5\n"
)

const ownWalk = `
data: {source: two-gaussians, rows: 5, features: 4, normalise: unit}
graph: ring:6
weights: w.csv
algorithm: {kind: walk, steps: 24, step_size: 0.1, clip: 0.3, contributions: 4}
privacy: {sigma: 4}
`

const ownGossip = `
data: {source: mean}
graph: ring:6
weights: w.csv
model: {kind: mean}
algorithm: {kind: gossip, clip: 1, steps: 5, acceleration: none}
privacy: {sigma: 4}
`

const ownDescent = `
data: {source: two-gaussians, rows: 5, features: 4, normalise: unit}
graph: ring:6
weights: w.csv
algorithm: {kind: gossip-gd, steps: 4, step_size: 0.1, clip: 0.3}
privacy: {sigma: 4}
`

func openOwn(t *testing.T, text, matrix string) (*Priced, error) {
	t.Helper()
	return Prepare(t.Context(), load(t, map[string]string{"spec.yaml": text, "w.csv": matrix}), nil)
}

// Every accountant refuses a matrix that its theorem does not cover, by the name of the property,
// its own and the first entry.
func TestWeightsThatAnAccountantDoesNotCover(t *testing.T) {
	swap := func(text string, changes ...string) string { return strings.NewReplacer(changes...).Replace(text) }
	for name, c := range map[string]struct{ text, matrix, words string }{
		"published walk, symmetric": {swap(ownWalk, "sigma: 4", "sigma: 4, accountant: published"), onward,
			"published (000 Theorem 3) needs a symmetric matrix, but weights w.csv have 0.3 from node 0 to node 1 and 0.2 back"},
		"published averaging, symmetric": {swap(ownGossip, "sigma: 4", "sigma: 4, accountant: published"), onward, "6.9) needs a symmetric matrix, but weights w.csv have 0.3 from node 0"},
		"published gossip, symmetric":    {swap(ownDescent, "sigma: 4", "sigma: 4, accountant: published"), onward, "6.9) needs a symmetric matrix, but weights w.csv have 0.3 from node 0"},
		"acceleration, symmetric":        {swap(ownGossip, "acceleration: none", "acceleration: chebyshev"), onward, "chebyshev needs a symmetric matrix"},
		"waking edges, symmetric":        {swap(ownGossip, "acceleration: none", "wake: edges"), onward, "algorithm.wake: edges needs a symmetric matrix"},
		"stopping time, spectral gap":    {swap(ownGossip, "steps: 5, ", ""), onward, "spectral gap"},
		"averaging, doubly stochastic":   {ownGossip, lopsided, "needs a doubly stochastic matrix, but the column of node 0 in weights w.csv sums to 0.85"},
		"descent, doubly stochastic":     {ownDescent, lopsided, "needs a doubly stochastic matrix"},
		"walk, mixes":                    {ownWalk, alternate, "never mixes"},
		"walk, edges":                    {ownWalk, chord, "0.1 from node 0 to node 3, and the graph ring:6 has no such edge"},
		"matchings":                      {swap(ownGossip, "acceleration: none", "wake: matchings"), even, "wake: matchings"},
		"dropout":                        {swap(ownGossip, "acceleration: none", "dropout: 0.1"), even, "algorithm.dropout"},
		"theory step, symmetric":         {swap(ownWalk, "step_size: 0.1", "step_size: theory", "normalise: unit}", "normalise: unit}\nmodel: {kind: logistic, l2: 0.5}"), onward, "Theorem 2 needs a symmetric matrix"},
		"other kinds":                    {swap(ownWalk, "kind: walk", "kind: weighted-walk, constants: {mechanism: laplace, least: 1, most: 6, epsilon: 1}"), even, "kind: weighted-walk takes none"},
		"no graph":                       {swap(ownWalk, "kind: walk, ", "kind: local, ", "graph: ring:6", "nodes: 6"), even, "kind: local takes none"},
		"no file":                        {swap(ownWalk, "w.csv", "v.csv"), even, "no file v.csv"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := openOwn(t, c.text, c.matrix)
			if err == nil || !strings.Contains(err.Error(), c.words) || fault.Hint(err) == "" {
				t.Errorf("%v (hint %q), not %q", err, fault.Hint(err), c.words)
			}
		})
	}
}

// What asks nothing of symmetry prices a matrix that has none, from what runs.
func TestAsymmetricWeightsArePriced(t *testing.T) {
	testdata.Sequential(t)
	for text, want := range map[string][]string{ownWalk: {"path", "local"}, ownGossip: {"exact", "local"}, ownDescent: {"flow", "local"},
		strings.Replace(ownWalk, "kind: walk", "kind: proximal-walk", 1): {"path", "local"}} {
		for _, name := range want {
			p, err := openOwn(t, strings.Replace(text, "sigma: 4", "sigma: 4, accountant: "+name, 1), onward)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if a := p.Accounting.Accounts[0]; a.Accountant != name || !(a.Max > 0) {
				t.Errorf("%s: %s says %v", name, a.Accountant, a.Max)
			}
			if w := matrixOf(p); w.At(0, 1) != 0.3 || w.At(1, 0) != 0.2 {
				t.Errorf("%s: prices %v and %v", name, w.At(0, 1), w.At(1, 0))
			}
		}
	}
}

func matrixOf(p *Priced) interface{ At(i, j int) float64 } {
	switch s := p.Algorithm.Schedule().(type) {
	case schedule.Walk:
		return s.W
	case *schedule.Gossip:
		return s.W
	}
	return nil
}

// On a ring a walk that goes on more than back shows the next node more than the one before: the
// ring's symmetries are not used.
func TestOnwardWalkIsNotTheRingsWalk(t *testing.T) {
	p, err := openOwn(t, strings.Replace(ownWalk, "sigma: 4", "sigma: 4, accountant: path", 1), onward)
	if err != nil {
		t.Fatal(err)
	}
	at := p.Accounting.Accounts[0].At
	if next, before := at(0, 1), at(0, 5); !(next > 1.01*before) {
		t.Errorf("the next node learns %v, the one before %v", next, before)
	}
}

// The file of a rule's numbers is priced as the rule is.
func TestWeightsOfARuleArePricedAsTheRule(t *testing.T) {
	testdata.Sequential(t)
	lazy := strings.Replace(ownWalk, "w.csv", "lazy:0.5,uniform", 1)
	for _, accountant := range []string{"path", "local", "published"} {
		name := "sigma: 4, accountant: " + accountant
		file, err := openOwn(t, strings.Replace(ownWalk, "sigma: 4", name, 1), even)
		if err != nil {
			t.Fatal(err)
		}
		rule, err := openOwn(t, strings.Replace(lazy, "sigma: 4", name, 1), even)
		if err != nil {
			t.Fatal(err)
		}
		for v := 1; v < 6; v++ {
			if x, y := file.Accounting.Accounts[0].At(0, v), rule.Accounting.Accounts[0].At(0, v); math.Abs(x-y) > 1e-9*y {
				t.Errorf("%s: node %d learns %v by the file, %v by the rule", accountant, v, x, y)
			}
		}
	}
}

// What is published has the name of the file, not where it is, and runs are those of the matrix.
func TestWeightsArePublishedByName(t *testing.T) {
	testdata.Sequential(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "w.csv")
	if err := os.WriteFile(path, []byte(onward), 0o600); err != nil {
		t.Fatal(err)
	}
	s := load(t, map[string]string{"spec.yaml": strings.Replace(ownWalk, "w.csv", path, 1)})
	p, err := Prepare(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, out := runSetup(t, p), filepath.Join(dir, "out")
	if err := report.WriteDir(t.Context(), out, b); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), dir) {
			t.Errorf("%s names the folder of the matrix, or %v", file, err)
		}
	}
	if resolved, err := Load(filepath.Join(out, "spec.yaml")); err != nil || resolved.Weights != "../w.csv" || b.Result.Graph.Weights != "w.csv" {
		t.Errorf("the resolved spec names its weights %q, the result %q, or %v", resolved.Weights, b.Result.Graph.Weights, err)
	}
	if again, err := Prepare(t.Context(), p.Spec, nil); err != nil || again.Accounting.Accounts[0].Max != p.Accounting.Accounts[0].Max {
		t.Errorf("opened again: %v", err)
	}
}

// Participants might have different copies of a file.
func TestFederationsTakeNoWeightsFile(t *testing.T) {
	s := load(t, map[string]string{"spec.yaml": ownWalk, "w.csv": even})
	s.Participants = make([]spec.Participant, 2)
	if err := checkOwnWeights(s); err == nil || !strings.Contains(err.Error(), "different copies") {
		t.Error(err)
	}
}
