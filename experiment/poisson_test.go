package experiment

import (
	"math"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/pairwise"
	"github.com/hearsay-dp/hearsay/report"
)

// sampledSpec is of four nodes that draw Poisson samples.
const sampledSpec = `graph: ring:4
data: {source: two-gaussians, rows: 30, features: 3, test: 0, split: index, scale: none, normalise: unit}
model: {kind: logistic}
algorithm: {kind: gossip-sgd, steps: 12, step_size: 0.1, clip: 0.5, SAMPLING}
privacy: {unit: record, PRIVACY}
`

func sampledText(sampling, privacy string) string {
	return strings.NewReplacer("SAMPLING", sampling, "PRIVACY", privacy).Replace(sampledSpec)
}

// Samples are charged by their own law wherever everybody sees what is released, under noise that
// cancels too, in run, plan and explanation alike; the flow accountant counts every row in
// every batch.
func TestSamplesArePriced(t *testing.T) {
	testdata.Sequential(t)
	const rate = 0.2
	m := privacy.Metric{Delta: 1e-6, Conversion: privacy.Tightest}
	poisson := privacy.Poisson{Rate: math.Ceil(rate*0x1p53) / 0x1p53, Steps: 12}
	s := prepared(t, sampledText("rate: 0.2", "sigma: 3"))
	want := poisson.Loss(12./9, m)
	local := accountOf(t, s, "local")
	if got := float64(local.Max); math.Abs(got-want) > 1e-9*want || local.Status != report.Sound || local.At(0, 1) != got {
		t.Errorf("local says %v, the law of samples %v", got, want)
	}
	if all := strings.Join(local.Assumptions, "\n"); !strings.Contains(all, "by a coin of its own") || !strings.Contains(all, "unit of privacy: record") {
		t.Errorf("%s", all)
	}
	e, err := s.Explain(0, 1)
	if err != nil || math.Abs(e.Epsilon-want) > 1e-9*want || e.Why.Local != e.Epsilon || e.Rate != poisson.Rate || !strings.Contains(e.Text[2].Text, "with probability 0.2 only") {
		t.Errorf("%+v, %v", e, err)
	}
	if unsampled := privacy.EpsilonGaussian(math.Sqrt(12)/3, 1e-6); !(want < 0.6*unsampled) {
		t.Errorf("%g, unsampled %g", want, unsampled)
	}
	cancels := prepared(t, sampledText("rate: 0.2, pairwise: 10", "sigma: 3"))
	accountant, err := pairwise.New(pairwise.Problem{Pairs: gossipOf(cancels).Transition.Sparse(), Own: 3, Pair: 30, Contributions: 12})
	if err != nil {
		t.Fatal(err)
	}
	energies, err := accountant.Energies([]int{1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	want = poisson.Loss(energies[0], m)
	if got := cancels.Accounting.Accounts[0]; got.Accountant != "pairwise" || math.Abs(got.At(0, 1)/want-1) > 1e-6 {
		t.Errorf("%s says %v, by hand %v", got.Accountant, got.At(0, 1), want)
	}
	if e, err := cancels.Explain(0, 1); err != nil || math.Abs(e.Epsilon/want-1) > 1e-6 {
		t.Errorf("explained as %v, charged %v (%v)", e.Epsilon, want, err)
	}
	flow := accountOf(t, s, "flow")
	if bare := privacy.EpsilonGaussian(math.Sqrt(12)/3, 1e-6); math.Abs(float64(flow.Max)/bare-1) > 1e-5 {
		t.Errorf("flow charges a neighbour %v, all contributions seen bare are %v", flow.Max, bare)
	}
}

// Every target is met, by the least noise, whoever has which rate: batches of one size are
// rarer for a row of a node that has many.
func TestSamplesAreCalibrated(t *testing.T) {
	testdata.Sequential(t)
	for _, sampling := range []string{"rate: 0.2", "sampling: poisson, batch: 4, pairwise: 5"} {
		for target, of := range map[string]func(a float64, b float64) float64{
			"max: 1": math.Max, "mean: 1": nil, "pair: {about: 0, observer: 1, eps: 1}": nil, "observers: {neighbours: 1}": math.Max,
		} {
			text := sampledText(sampling, "calibrate: {"+target+"}")
			s := prepared(t, text)
			own := s.Accounting.Accounts[0]
			got := own.At(0, 1)
			switch {
			case of != nil:
				got = float64(own.Max)
			case strings.HasPrefix(target, "mean"):
				got = float64(own.Mean)
			}
			if got > 1 || got < 0.985 {
				t.Errorf("%s, %s: %v (%s)", sampling, target, got, own.Accountant)
			}
		}
	}
	var towns []string
	for i := range 40 {
		towns = append(towns, []string{"Lille", "Lyon", "Lyon", "Nice", "Nice", "Nice", "Nice"}[i%7]+",30,100,f,"+[]string{"0", "1"}[i%2])
	}
	text := "data: {source: csv, path: rows.csv, target: ill, test: 0, split: index, scale: ranges, ranges: {age: [0, 100], pressure: [60, 200]}, drop: [sex], partition: column:town}\n" +
		"graph: complete:3\nalgorithm: {kind: gossip-sgd, steps: 9, step_size: 0.1, clip: 0.3, sampling: poisson, batch: 4}\n" +
		"privacy: {unit: record, calibrate: {max: 1}}\n"
	s := prepare(t, load(t, map[string]string{"spec.yaml": text, "rows.csv": "town,age,pressure,sex,ill\n" + strings.Join(towns, "\n") + "\n"}))
	if at := s.Accounting.Accounts[0].At; !(at(0, 1) <= 1 && at(0, 1) > 0.999 && at(2, 1) < 0.7*at(0, 1)) {
		t.Errorf("Lille, a batch of which is most of its rows, loses %v, Nice %v", at(0, 1), at(2, 1))
	}
}

// A step that spreads models apart is refused where the accountant counts on its not doing so;
// what everybody sees is charged the same whatever the step.
func TestLargeStepsUnderAccountantsThatAskNothingOfThem(t *testing.T) {
	testdata.Sequential(t)
	whole := func(algorithm, accountant string) string {
		return strings.NewReplacer("kind: gossip-sgd, steps: 12, step_size: 0.1, clip: 0.5, SAMPLING", algorithm, "unit: record, PRIVACY", "sigma: 5, accountant: "+accountant).Replace(sampledSpec)
	}
	for _, fine := range []string{whole("steps: 12, step_size: 9, clip: 0.5, contributions: 3", "local"), whole("kind: gossip-gd, steps: 12, step_size: 9, clip: 0.5", "local"),
		whole("kind: gossip-gd, steps: 12, step_size: 9, clip: 0.5, pairwise: 5", "pairwise"), whole("kind: central, steps: 12, step_size: 9, clip: 0.5", "tight")} {
		s, small := prepared(t, fine), prepared(t, strings.Replace(fine, "step_size: 9", "step_size: 0.1", 1))
		if got, want := s.Accounting.Accounts[0].Max, small.Accounting.Accounts[0].Max; got != want {
			t.Errorf("%s: a large step is charged %v, a small one %v", fine, got, want)
		}
	}
	for _, text := range []string{whole("steps: 12, step_size: 9, clip: 0.5, contributions: 3", "path"), whole("steps: 12, step_size: 9, clip: 0.5, contributions: 3", "published"),
		whole("steps: 12, step_size: 9, clip: 0.5, contributions: 3", "sound")} {
		s, err := Parse([]byte(text), "test.yaml")
		if err == nil {
			_, err = Prepare(t.Context(), s, nil)
		}
		if err == nil || !strings.Contains(err.Error(), "above 2/beta") || !strings.Contains(fault.Hint(err), "local") {
			t.Errorf("%v (%s)", err, fault.Hint(err))
		}
	}
}

// The largest step that the hint names is taken, whatever its digits.
func TestLargestStepOfTheHintIsTaken(t *testing.T) {
	for _, penalty := range []string{"0.01", "0.3", "0.37", "1.1"} {
		text := "seed: 1\ndata: {source: two-gaussians, features: 3, rows: 4, normalise: unit}\ngraph: complete:3\nmodel: {kind: logistic, l2: " + penalty + "}\n" +
			"algorithm: {kind: walk, steps: 6, step_size: 99, clip: 0.5, contributions: 3}\nprivacy: {sigma: 5, accountant: path}\n"
		_, err := Prepare(t.Context(), specOf(t, text), nil)
		_, most, found := strings.Cut(fault.Hint(err), "at most ")
		most, _, _ = strings.Cut(most, ",")
		if !found {
			t.Fatalf("%v (%s)", err, fault.Hint(err))
		}
		prepare(t, specOf(t, strings.Replace(text, "step_size: 99", "step_size: "+most, 1)))
	}
}

// What is no sample is refused, with a way out.
func TestSamplesAreChecked(t *testing.T) {
	for sampling, wanted := range map[string]string{
		"sampling: poisson":                        "either rate",
		"sampling: poisson, rate: 0.1, batch: 2":   "either rate",
		"rate: 0.1, sampling: fixed":               "algorithm.rate",
		"rate: 1.5":                                "no probability",
		"rate: -0.5":                               "no probability",
		"rate: 1.0e-9":                             "no probability",
		"sampling: shuffled, batch: 2":             "sampling",
		"rate: 0.5, noise: turn, acceleration: no": "acceleration",
	} {
		_, err := Parse([]byte(sampledText(sampling, "sigma: 3")), "test.yaml")
		if err == nil || !strings.Contains(err.Error(), wanted) || fault.Hint(err) == "" {
			t.Errorf("%s: %v (%s)", sampling, err, fault.Hint(err))
		}
	}
	participants := strings.Replace(sampledText("rate: 0.5", "sigma: 3"), "unit: record", "unit: participant", 1)
	whole := strings.Replace(sampledText("rate: 0.5", "sigma: 3"), "gossip-sgd", "gossip-gd", 1)
	walks := strings.Replace(sampledText("rate: 0.5", "sigma: 3"), "kind: gossip-sgd", "kind: walk, contributions: 2", 1)
	for text, wanted := range map[string]string{participants: "hides a row", whole: "uses all", walks: "rate"} {
		if _, err := Parse([]byte(text), "test.yaml"); err == nil || !strings.Contains(err.Error(), wanted) || fault.Hint(err) == "" {
			t.Errorf("%v (%s)", err, fault.Hint(err))
		}
	}
	s, err := Parse([]byte(sampledText("rate: 0.5", "sigma: 3")), "test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := s.YAML(); err != nil || !strings.Contains(string(text), "sampling: poisson") {
		t.Errorf("%s, %v", text, err)
	}
}
