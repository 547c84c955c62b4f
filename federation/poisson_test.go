package federation

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/node/secret"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/step"
)

// sampling is terms of gossip on Poisson samples, charged as if every message were public.
const sampling = `data: {source: csv, target: ill, classes: [no, yes], ranges: {age: [0, 100], weight: [40, 140]}, test: 0}
model: {kind: logistic}
algorithm: {kind: gossip-sgd, steps: 12, step_size: 0.1, clip: 0.5, rate: 0.2}
privacy: {sigma: 2, accountant: local}
`

// A plan charges samples by their law on the noise's grid, a trifle more than without one, the
// same to coalitions and to who deviates; noise that cancels too.
func TestPlanOfSamples(t *testing.T) {
	testdata.Sequential(t)
	for _, pairs := range []bool{false, true} {
		terms := sampling
		if pairs {
			terms = strings.NewReplacer("rate: 0.2", "rate: 0.2, pairwise: 10", ", accountant: local", "").Replace(sampling)
		}
		f := open(t, parse(t, records(ringText(t, five, terms), 40, 40, 20, 40, 40)), "lyon")
		p := plan(t, f)
		laws, err := f.setup.Algorithm.Towards(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Towards) != 4 || p.Contributions != 12 || p.Status != privacy.Sound || p.Unit != privacy.Record {
			t.Fatalf("%+v", p)
		}
		m := privacy.Metric{Delta: p.Delta, Conversion: privacy.Tightest}
		own := p.Sigma * 2 // twice as many rows as Paris, whose sensitivity is the largest
		for i, to := range p.Towards {
			energy := laws[i+1].Energies[0]
			smooth := privacy.Poisson{Rate: f.local().Noise.Rate(0), Steps: 12}.Loss(energy/(own*own), m)
			if to.Epsilon < smooth*(1-1e-9) || to.Epsilon > smooth*(1+1e-4) || !(to.Epsilon < 0.7*privacy.EpsilonGaussian(math.Sqrt(energy)/own, p.Delta)) {
				t.Errorf("%s: %g, on no grid %g", to.Name, to.Epsilon, smooth)
			}
			if !pairs && (to.Epsilon != p.Local || to.Deviating != p.Local) || pairs && !(to.Epsilon < p.Local && to.Deviating == to.Epsilon) {
				t.Errorf("%s: %g, %g if it deviates, local %g", to.Name, to.Epsilon, to.Deviating, p.Local)
			}
		}
		if all := strings.Join(p.Assumptions, "\n"); !strings.Contains(all, "by a coin of its own") {
			t.Errorf("assumptions %s", all)
		}
		if fewer := p.local(3, p.Sigma, p.Delta); !(fewer < p.Local) || !(fewer > 0) {
			t.Errorf("3 contributions lose %g, 12 %g", fewer, p.Local)
		}
	}
}

// Batches are drawn from secret randomness: machines on the same rows and next to no noise
// take different steps, the spec's seed notwithstanding, and one that was restored
// from a snapshot goes on from the step that it took.
func TestBatchesOfRealNodesAreSecret(t *testing.T) {
	text := records(ringText(t, five, strings.NewReplacer("sigma: 2", "sigma: 0.005").Replace(sampling)), 40, 40, 40, 40, 40)
	f := open(t, parse(t, text), "lyon")
	ex := model.Examples{Features: 2}
	for i := range 40 {
		ex.X, ex.Y = append(ex.X, float64(i%7)/9, float64(i%5)/9), append(ex.Y, float64(1-i%2*2))
	}
	ex.Norms = model.Norms(f.setup.Objective.Model, ex)
	first := func() (body []float64, snapshot []byte) {
		m := f.machine(ex, identity.Key{}, secret.NewNoise(), secret.NewRouter())
		var out step.Out
		m.Start(&out)
		return out.Msgs[0].Body, m.Snapshot(nil)
	}
	one, snapshot := first()
	apart := 0.0
	for range 30 {
		other, _ := first()
		apart = max(apart, math.Abs(one[0]-other[0]))
	}
	// Of 30 batches of some 8 of 40 rows, each of which moves a step by 0.001 to 0.006, all are so near one
	// another with probability below 1e-20; noise, of 6e-5, keeps them so.
	if apart < 6e-4 {
		t.Errorf("31 machines draw about the same batch: they are within %g of %v", apart, one)
	}
	again := f.machine(ex, identity.Key{}, secret.NewNoise(), secret.NewRouter())
	if err := again.Restore(snapshot); err != nil {
		t.Fatal(err)
	}
	var out step.Out
	again.Resume(&out)
	for range 200 {
		again.Tick(step.Timer{}, &out)
	}
	for _, msg := range out.Msgs {
		if !slices.Equal(msg.Body, one) {
			t.Errorf("after a restart %v is sent, before %v", msg.Body, one)
		}
	}
}

// Three participants on real connections end with a ledger that holds what the plan says.
func TestThreeLearnOnSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("three nodes on real connections")
	}
	base := strings.NewReplacer("rate: 0.2", "batch: 1").Replace(sampling) + "federation: {linger: 3s}\n"
	s := newStageOf(t, []string{"lyon", "nice", "paris"}, "ring:3", base)
	text, err := s.spec.YAML()
	if err != nil {
		t.Fatal(err)
	}
	declared := strings.NewReplacer("unit: participant", "unit: record", "batch: 1\n", "rate: 0.2\n", "split: class\n", "", "fill: true\n", "fill: false\n",
		"- name: ", "- rows: 50\n  name: ").Replace(string(text))
	s.spec, s.unit = parse(t, declared), "unit: record\n"
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, o := range s.all(ctx) {
		if !o.Ended || o.Statement.Contributed != 12 || o.Statement.Alarm != "" || o.Statement.SpentLocal != o.Statement.Local {
			t.Errorf("%s: ended %v, %+v", o.Name, o.Ended, o.Statement)
		}
	}
}
