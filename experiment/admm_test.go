package experiment

import (
	"math"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/admmview"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

const inRounds = `
name: rounds
seed: 3
data: {source: two-gaussians, features: 3, rows: 4, normalise: unit}
nodes: 12
model: {kind: logistic}
algorithm: {kind: admm-federated, steps: 6, clip: 0.3}
privacy: {sigma: 4}
`

// roundsOf is inRounds with changes, priced.
func roundsOf(t *testing.T, changes ...string) *Priced {
	t.Helper()
	s, err := parseRounds(changes...)
	if err != nil {
		t.Fatal(err)
	}
	return prepare(t, s)
}

func parseRounds(changes ...string) (*spec.Spec, error) {
	return Parse([]byte(strings.NewReplacer(changes...).Replace(inRounds)), "rounds")
}

// Of an observer who sees means alone the loss is that of docs/ADMM.md among the variables
// that it does not know; the one who sums sees everything unless sums are secure; and a
// curator hides everybody behind all.
func TestMeansOfRounds(t *testing.T) {
	testdata.Sequential(t)
	m := privacy.Metric{Delta: 1e-6, Conversion: privacy.Tightest}
	bare := privacy.GaussianLoss(6, 4, m)
	among := func(nodes int) float64 {
		// gamma is 1/beta, so that a proximal step passes on half of a difference.
		energy, err := admmview.Curated{Step: admmview.Step{Lambda: 0.5, Memory: 0.5}, Nodes: nodes, Rounds: 6}.Energy()
		if err != nil {
			t.Fatal(err)
		}
		return privacy.GaussianLoss(energy, 4, m)
	}
	for name, c := range map[string]struct {
		change         []string
		server, others float64
	}{
		"bare":    {nil, bare, among(11)},
		"secure":  {[]string{"clip: 0.3", "clip: 0.3, secure_sum: true"}, among(11), among(11)},
		"curator": {[]string{"admm-federated", "admm-central"}, among(12), among(12)},
		"named":   {[]string{"clip: 0.3", `clip: 0.3, server: "node 7"`}, among(11), among(11)},
	} {
		s := roundsOf(t, c.change...)
		a := s.Accounting.Accounts[0]
		if a.Accountant != "means" || a.Status != report.Sound {
			t.Fatalf("%s: %s is %s", name, a.Accountant, a.Status)
		}
		near := func(got, want float64) bool { return got >= want*(1-1e-9) && got <= want*(1+1e-2) } // proximal points are off by a little
		if got := a.At(3, 0); !near(got, c.server) {
			t.Errorf("%s: towards node 0 %g, want %g", name, got, c.server)
		}
		if got := a.At(3, 5); !near(got, c.others) {
			t.Errorf("%s: towards node 5 %g, want %g", name, got, c.others)
		}
		mean, most := 0.0, 0.0
		for u := range 12 {
			for v := range 12 {
				if u != v {
					mean, most = mean+a.At(u, v)/132, max(most, a.At(u, v))
				}
			}
		}
		if math.Abs(mean-float64(a.Mean)) > 1e-9 || most != float64(a.Max) {
			t.Errorf("%s: mean %g and worst %g, stated are %g and %g", name, mean, most, a.Mean, a.Max)
		}
		if name == "curator" {
			continue
		}
		for _, observer := range []int{0, 5} {
			e, err := s.Explain(3, observer)
			if err != nil || math.Abs(e.Epsilon-a.At(3, observer)) > 1e-9 {
				t.Errorf("%s: explained towards %d is %+v (%v), priced %g", name, observer, e, err, a.At(3, observer))
			}
		}
	}
	if s := roundsOf(t, "clip: 0.3", `clip: 0.3, server: "node 7"`); !(s.Accounting.Accounts[0].At(3, 7) == bare) {
		t.Error("node 7 sums and does not see every change")
	}
}

// Where not all take part in every round, the seed says who, and what means show is planned for:
// of every pair more than if all took part as often, and less than what is public.
func TestRoundsOfSome(t *testing.T) {
	testdata.Sequential(t)
	s := roundsOf(t, "clip: 0.3", "clip: 0.3, sampled: 4")
	if a := s.Accounting.Accounts[0]; a.Accountant != report.LocalAccountant || s.Spec.Algorithm.Contributions != 3 {
		t.Errorf("%s at %d contributions", a.Accountant, s.Spec.Algorithm.Contributions)
	}
	public := privacy.GaussianLoss(3, 4, privacy.Metric{Delta: 1e-6, Conversion: privacy.Tightest})
	for name, change := range map[string][]string{
		"bare": {"clip: 0.3", "clip: 0.3, sampled: 4", "sigma: 4", "sigma: 4, accountant: means"}, "curator": {"admm-federated", "admm-central, sampled: 4"},
		"secure": {"clip: 0.3", "clip: 0.3, sampled: 4, secure_sum: true"},
	} {
		s := roundsOf(t, change...)
		a := s.Accounting.Accounts[0]
		if a.Accountant != "means" || a.Status != report.Sound {
			t.Fatalf("%s: %s is %s", name, a.Accountant, a.Status)
		}
		if says := strings.Join(a.Assumptions, "\n"); strings.Contains(says, "in every round") || !strings.Contains(says, "the seed says") {
			t.Errorf("%s assumes\n%s", name, says)
		}
		mean, most := 0.0, 0.0
		for u := range 12 {
			for v := range 12 {
				if u != v {
					mean, most = mean+a.At(u, v)/132, max(most, a.At(u, v))
					if x := a.At(u, v); x > public*(1+1e-9) || !(x >= 0) {
						t.Errorf("%s: %d loses %g towards %d, in public %g", name, u, x, v, public)
					}
				}
			}
		}
		if math.Abs(mean-float64(a.Mean)) > 1e-9 || most != float64(a.Max) {
			t.Errorf("%s: mean %g and worst %g, stated are %g and %g", name, mean, most, a.Mean, a.Max)
		}
		if name != "bare" && !(mean < 0.9*public) {
			t.Errorf("%s: %g in the mean, in public %g", name, mean, public)
		}
	}
}

// One record of several: less is at stake, and means are priced for it too.
func TestRecordsInRounds(t *testing.T) {
	whole, one := roundsOf(t), roundsOf(t, "sigma: 4", "sigma: 4, unit: record")
	if a, b := whole.Accounting.Accounts[0], one.Accounting.Accounts[0]; b.Status != report.Sound || !(b.At(1, 2) > 0) || b.At(1, 2) > 2*a.At(1, 2) {
		t.Errorf("a record loses %g, a participant %g, in units of their own", b.At(1, 2), a.At(1, 2))
	}
}

// What rounds cannot be is refused with a way out.
func TestRoundsRefuse(t *testing.T) {
	for change, want := range map[string]string{
		"clip: 0.3, step_size: 0.1":                       "algorithm.step_size",
		"clip: 0.3, server: nobody":                       "algorithm.server",
		"clip: 0.3, server: uniform":                      "algorithm.server",
		"clip: 0.3, server: 12":                           "algorithm.server",
		"clip: 0.3, sampled: 13":                          "algorithm.sampled",
		"clip: 0.3, radius: 2":                            "algorithm.radius",
		"clip: 0.3, average: half":                        "algorithm.average",
		"clip: 0.3, lambda: 1.5":                          "algorithm.lambda",
		"clip: 0.3, tokens: 2":                            "algorithm.tokens",
		"clip: 0.3, kind: admm-central, server: 1":        "algorithm.server",
		"clip: 0.3, kind: admm-central, secure_sum: true": "algorithm.secure_sum",
		"clip: 0.3, start: 3":                             "algorithm.start",
	} {
		kind := "kind: admm-federated, "
		if strings.Contains(change, "kind:") {
			kind = ""
		}
		s, err := parseRounds("kind: admm-federated, steps: 6, clip: 0.3", kind+"steps: 6, "+change)
		if err == nil {
			_, err = Prepare(t.Context(), s, nil)
		}
		if err == nil || !strings.Contains(err.Error(), want) || fault.Hint(err) == "" {
			t.Errorf("%s: %v", change, err)
		}
	}
}

// 002 Corollaries 8.8 and 8.11 in numbers: the distance that the plan promises at the noise of an epsilon falls as epsilon grows,
// and is smaller at the noise of Theorems 8.7 and 8.9, which is no bound of the loss, than at sound noise.
func TestCorollary88InNumbers(t *testing.T) {
	testdata.Sequential(t)
	for kind, sound := range map[string]string{"admm-central": "means", "admm-federated": "local"} {
		last := map[string]float64{}
		for _, eps := range []string{"0.5", "2", "8"} {
			for _, accountant := range []string{"published", sound} {
				u := roundsOf(t, "kind: admm-federated", "kind: "+kind, "steps: 6", "steps: 40", "model: {kind: logistic}", "model: {kind: logistic, l2: 0.1}",
					"{sigma: 4}", "{calibrate: {max: "+eps+"}, accountant: "+accountant+"}").Algorithm.Utility()
				if u.Distance2 == nil {
					t.Fatal(kind, accountant, u.Why)
				}
				if before, known := last[accountant]; known && *u.Distance2 >= before {
					t.Errorf("%s, %s: epsilon %s promises %g after %g", kind, accountant, eps, *u.Distance2, before)
				}
				last[accountant] = *u.Distance2
			}
			if last["published"] >= last[sound] {
				t.Errorf("%s, epsilon %s: published noise promises %g, sound noise %g", kind, eps, last["published"], last[sound])
			}
		}
	}
}
