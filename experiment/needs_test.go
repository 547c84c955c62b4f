package experiment

import (
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/family/baseline"
	"github.com/hearsay-dp/hearsay/internal/family/familytest"
	"regexp"

	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/spec"
)

// Every key of algorithm and privacy has a line in each family's table of what
// accountants need, so that a new key cannot break a proof unseen.
func TestEveryKeyHasItsUses(t *testing.T) {
	for _, f := range Families() {
		familytest.UsesAreWhole(t, f)
	}
}

// central is the baseline on the small spec, with changes.
func central(t *testing.T, accountant string, changes ...string) *spec.Spec {
	t.Helper()
	return variant(t, append([]string{"calibrate: {mean: 2}", "calibrate: {max: 3}", "graph: hypercube:4", "nodes: 16",
		"contributions: 20", "kind: central", "steps: 250", "steps: 60", "accountant: local", "accountant: " + accountant}, changes...)...)
}

// A curator's draws hide nobody if one of them is public, or if they depend on
// those before: refused, whoever calibrates.
func TestCentralIsRefusedWithoutSecretUniformDraws(t *testing.T) {
	testdata.Sequential(t)
	for _, accountant := range []string{"tight", "published"} {
		for _, c := range [][2]string{{"start: 0", "start"}, {"start: 3, burn_in: 5", "start"}, {"contributions: 4", "contributions"}} {
			s := central(t, accountant, "kind: central", "kind: central, "+c[0])
			_, err := Prepare(t.Context(), s, nil)
			if err == nil || !strings.Contains(err.Error(), "algorithm."+c[1]) || fault.Hint(err) == "" {
				t.Errorf("%s with %s: %v", accountant, c[0], err)
			}
		}
		prepare(t, central(t, accountant))
	}
}

// A baseline without a graph takes its number of nodes from the graph that the spec
// names, and loses what it loses where the number is given.
func TestBaselinesCountTheNodesOfTheGraph(t *testing.T) {
	testdata.Sequential(t)
	counted, given := prepare(t, central(t, "tight", "nodes: 16", "graph: hypercube:4")), prepare(t, central(t, "tight"))
	if counted.Spec.Nodes != 16 || counted.Spec.Graph != given.Spec.Graph || counted.Accounting.Sigma != given.Accounting.Sigma {
		t.Errorf("%d nodes, graph %s, sigma %v instead of 16, %s, %v", counted.Spec.Nodes, counted.Spec.Graph, counted.Accounting.Sigma,
			given.Spec.Graph, given.Accounting.Sigma)
	}
	_, err := Prepare(t.Context(), central(t, "tight", "nodes: 16", "graph: no-such-file"), nil)
	if err == nil || fault.Hint(err) == "" {
		t.Errorf("a graph that does not exist: %v", err)
	}
}

// What the table calls free changes no number of a baseline.
func TestWhatIsFreeChangesNoNumber(t *testing.T) {
	testdata.Sequential(t)
	baselines := map[string][]string{
		"tight": {"calibrate: {mean: 2}", "sigma: 2", "graph: hypercube:4", "nodes: 16", "contributions: 20", "kind: central", "accountant: local",
			"accountant: tight"},
		"local": {"calibrate: {mean: 2}", "sigma: 2", "graph: hypercube:4", "nodes: 16", "contributions: 20", "contributions: 20, kind: local"},
	}
	changes := map[string]string{
		"step_size": "step_size: {power: 0.5, base: 0.2}", "clip": "clip: 0.11", "average": "kind: KIND, average: half", "fill": "kind: KIND, fill: false",
		"burn_in": "kind: KIND, burn_in: 9", "radius": "kind: KIND, radius: 0.3", "start": "kind: KIND, start: 3", "steps": "steps: 500",
	}
	current := map[string]string{"step_size": "step_size: 0.1", "clip": "clip: 0.3", "steps": "steps: 250"}
	for name, base := range baselines {
		before := prepare(t, variant(t, base...))
		for key, change := range changes {
			kind := "kind: " + before.Spec.Algorithm.Kind
			old, ok := current[key]
			if !ok {
				old = kind
			}
			if use := (baseline.Family{}).Uses().Of(key, name); use != family.Free {
				continue
			}
			after := prepare(t, variant(t, append(base, old, strings.ReplaceAll(change, "kind: KIND", kind))...))
			if got, want := after.Accounting.Accounts[0].Mean, before.Accounting.Accounts[0].Mean; got != want || after.Accounting.Sigma != before.Accounting.Sigma {
				t.Errorf("%s: %s changes the loss from %v to %v", name, key, want, got)
			}
		}
	}
}

// The clip that an error offers is accepted, rows of any norm, and so is the bound itself.
func TestTheClipThatIsOfferedIsAccepted(t *testing.T) {
	testdata.Sequential(t)
	for _, change := range [][]string{
		{"graph: hyp", "model: {kind: multinomial, intercept: true}\ngraph: hyp"}, {"graph: hyp", "model: {kind: multinomial}\ngraph: hyp"},
		{"graph: hyp", "model: {kind: multinomial, intercept: true, class_weights: {around +mu: 7.003}}\ngraph: hyp"},
		{"graph: hyp", "model: {kind: multinomial, class_weights: {around +mu: 12345.678}}\ngraph: hyp"},
	} {
		change = append(change, "features: 4", "features: 4, normalise: unit", "accountant: local", "accountant: path", "step_size: 0.1", "step_size: 0.00001")
		_, err := Prepare(t.Context(), variant(t, change...), nil)
		offered := regexp.MustCompile(`of at least ([0-9.e+-]+)`).FindStringSubmatch(fault.Hint(err))
		if offered == nil {
			t.Fatalf("%v: %v", change, err)
		}
		if _, err := Prepare(t.Context(), variant(t, append(change, "clip: 0.3", "clip: "+offered[1])...), nil); err != nil {
			t.Errorf("%v: a clip of %s is offered and refused: %v", change, offered[1], err)
		}
	}
}
