package toytest

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/family/familytest"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

const relay = `
name: relay
data: {source: two-gaussians, rows: 5, features: 3}
graph: ring:6
algorithm: {kind: relay, laps: 4, steps: 1, step_size: 0.1, clip: 0.3}
privacy: {sigma: 3}
`

// kinds are those of the house and the relay: the one line of registering it.
func kinds() spec.Kinds { return family.Kinds(append(experiment.Families(), Family{})...) }

func parsed(t *testing.T, text string) *spec.Spec {
	t.Helper()
	s, err := kinds().Parse([]byte(text), "relay.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A spec reads the relay's own key with its default, refuses it elsewhere, suggests
// it, and writes it out.
func TestASpecKnowsTheKeysOfAFamily(t *testing.T) {
	familytest.UsesAreWhole(t, Family{})
	s := parsed(t, relay)
	text, err := s.YAML()
	if err != nil || !strings.Contains(string(text), "  laps: 4\n") {
		t.Errorf("resolved to\n%s, %v", text, err)
	}
	if again := parsed(t, string(text)); !reflect.DeepEqual(s, again) {
		t.Errorf("reads back as %+v", again)
	}
	if s := parsed(t, strings.Replace(relay, "laps: 4, ", "", 1)); s.Algorithm.Contributions != 1 {
		t.Errorf("without laps %+v", s.Algorithm)
	}
	for change, want := range map[string]string{
		"kind: walk": "walk takes no laps", "laps: -1": "algorithm.laps: -1 is out of range", "laps: 1.5": "not a whole number",
		"laps: 4, lap: 2": `unknown field "lap"`, "accountant: path": "privacy.accountant",
	} {
		key, _, _ := strings.Cut(change, ":")
		bad := strings.NewReplacer(key+": relay", change, key+": 4", change, "sigma: 3", "sigma: 3, "+change).Replace(relay)
		if key != "accountant" {
			bad = strings.Replace(bad, "sigma: 3, "+change, "sigma: 3", 1)
		}
		if _, err := kinds().Parse([]byte(bad), "relay.yaml"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v, want %q", change, err, want)
		}
	}
}

// The relay is planned, priced, run in bulk, explained, and says the same as JSON.
func TestARelayIsPlannedPricedRunAndExplained(t *testing.T) {
	s, err := experiment.Prepare(t.Context(), parsed(t, relay), nil)
	if err != nil {
		t.Fatal(err)
	}
	loss, _, err := privacy.LocalLoss(4, 3, privacy.Metric{Delta: 1e-6})
	if got := s.Accounting.Accounts[0]; err != nil || got.Accountant != "local" || float64(got.Max) != loss {
		t.Errorf("charged %v by %s, want %v (%v)", got.Max, got.Accountant, loss, err)
	}
	plan, err := s.Plan()
	if err != nil || plan.Cost.Hops != 23 {
		t.Errorf("%+v, %v", plan, err)
	}
	bundle, err := s.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(bundle.Result)
	if r := bundle.Result; err != nil || r.Algorithm != "relay" || r.Steps != 24 || len(r.Curve) < 2 || !strings.Contains(string(text), `"laps":4`) {
		t.Errorf("%s, %v", text, err)
	}
	e, err := s.Explain(1, 3)
	if err != nil || e.Epsilon != privacy.EpsilonGaussian(math.Sqrt(4)/3, 1e-6) || !strings.Contains(e.Text[1].Text, "nothing smaller is proved of a relay") {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := experiment.Prepare(t.Context(), parsed(t, strings.Replace(relay, "ring:6", "star:6", 1)), nil); err == nil {
		t.Error("a star is a ring")
	}
}

// A kind that nobody but its author has reviewed is sound only if its runs are what its schedule says; all kinds of the house are
// on the list.
func TestAKindThatNobodyReviewedIsSoundIf(t *testing.T) {
	s, err := experiment.Prepare(t.Context(), parsed(t, relay), nil)
	if err != nil {
		t.Fatal(err)
	}
	why := family.Unreviewed("relay")
	if a := s.Accounting.Accounts[0]; a.Status != report.SoundIf || a.MeanStatus != report.SoundIf || a.Assumptions[0] != why {
		t.Errorf("the relay is %s, mean %s, and assumes %q", a.Status, a.MeanStatus, a.Assumptions)
	}
	e, err := s.Explain(1, 3)
	if err != nil || e.Status != report.SoundIf || !strings.Contains(e.Text[1].Text, "sound if this is true, which nobody has checked: "+why+". Then") {
		t.Errorf("explained as %+v, %v", e, err)
	}
	laws, err := family.Laws(t.Context(), s.Algorithm, 2)
	if err != nil || laws[2] != nil || laws[0].Claim.Status != privacy.SoundIf || laws[0].Claim.If != why {
		t.Errorf("laws %+v, %v", laws, err)
	}
	if _, err := experiment.Prepare(t.Context(), parsed(t, strings.Replace(relay, "privacy: {sigma: 3}", "privacy: {sigma: 3, accountant: sound}", 1)), nil); err == nil {
		t.Error("accountant: sound takes a kind that nobody reviewed")
	}
	for _, kind := range experiment.Kinds() {
		if why := family.Unreviewed(kind.Name); why != "" {
			t.Errorf("%s: %s", kind.Name, why)
		}
	}
}

// Machines on the virtual network come to the bits of the bulk run, release what
// they should, and go on from their snapshots.
func TestARelayOnTheNetworkIsTheRelayInBulk(t *testing.T) {
	s, err := experiment.OpenForPairs(t.Context(), parsed(t, relay), nil)
	if err != nil {
		t.Fatal(err)
	}
	const seed = 7
	want, err := s.Algorithm.Trial(t.Context(), seed, func(int, []float64, float64) {})
	if err != nil {
		t.Fatal(err)
	}
	var machines []family.Machine
	var run []step.Machine
	for v := range s.Spec.Nodes {
		id := step.NodeID(v)
		own := family.Participant{ID: id, Examples: s.Examples.Examples(id), Noise: noise.NewSimulated(seed)}
		m := s.Algorithm.Machine(own)
		if err := s.Algorithm.Machine(own).Restore(m.Snapshot(nil)); err != nil {
			t.Error(err)
		}
		machines, run = append(machines, m), append(run, m.Durable)
	}
	count := 0
	if _, err := (sim.Network{Seed: 3, Delay: 5, Duplicate: 0.3}).Run(t.Context(), run, func(r step.Release) {
		count++
		if math.Abs(r.Multiplier()-3) > 1e-12 || !r.Contributed {
			t.Errorf("release %+v", r)
		}
	}); err != nil {
		t.Fatal(err)
	}
	last := machines[len(machines)-1]
	if !last.Over() || last.Contributions() != 4 || count != 24 || !slices.Equal(last.Model(), want) {
		t.Errorf("%d releases, %v instead of %v", count, last.Model(), want)
	}
}

// Participants of a federation know from the spec alone what they would lose.
func TestARelayIsAFederation(t *testing.T) {
	var list strings.Builder
	for i := range 6 {
		fmt.Fprintf(&list, "  - {name: n%d, key: k%d}\n", i, i)
	}
	s, err := experiment.OpenPublic(t.Context(), parsed(t, "participants:\n"+list.String()+strings.Replace(relay,
		"{source: two-gaussians, rows: 5, features: 3}", "{source: csv, target: ill, classes: [no, yes], ranges: {age: [0, 100]}}", 1)))
	if err != nil {
		t.Fatal(err)
	}
	laws, err := s.Algorithm.Towards(t.Context(), 2)
	if err != nil || laws[2] != nil || laws[0].Most != 4 || s.Algorithm.Local().Noise.Multiplier != 3 {
		t.Errorf("%v, %v", laws, err)
	}
}
