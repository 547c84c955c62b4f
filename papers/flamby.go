package papers

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/family/gossipfamily"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/spec"
)

//go:embed specs/flamby-heart.yaml
var flambyHeart []byte

// besideFLamby reproduces the benchmark of federated learning among hospitals (Ogier du Terrail et
// al. 2022, Fed-Heart-Disease). It computes the true privacy loss of the benchmark's private
// training, and the accuracy of ours at sound losses.
func besideFLamby() Study {
	return Study{
		ID: "flamby-heart", Title: "Fed-Heart-Disease: true epsilons of the benchmark, and ours beside them",
		Source: "FLamby (Ogier du Terrail et al. 2022), dp_example", Data: "heart", base: flambyHeart,
		compute: besideBenchmark{splits: 100, claims: flambyPrivate}.run,
		quick:   besideBenchmark{splits: 8, claims: flambyPrivate[1:2]}.run,
	}
}

// A besideBenchmark trains on a number of splits at each epsilon, and prices some claims.
type besideBenchmark struct {
	splits int
	claims []flambyClaim
}

// A flambyClaim is an epsilon that the benchmark claims, and the accuracy that it reports.
type flambyClaim struct{ epsilon, accuracy float64 }

// Accuracies that the benchmark reports, as means of its four test sets. The private ones are at
// delta 1e-3, means of five runs on one split.
const (
	flambyPooled    = 0.735
	flambyFederated = 0.731 // the best strategy
	flambyNoiseless = 0.712 // trained like the private ones, without noise
)

var flambyPrivate = []flambyClaim{{10, 0.698}, {1, 0.702}, {0.1, 0.629}}

// Epsilons and deltas of our training.
var (
	oursEpsilons = []float64{10, 1, 0.5, 0.1}
	oursDeltas   = []float64{flambyDelta, 1e-6}
)

// Observers towards whom the epsilon holds.
const (
	allTogether = "all others together"
	eachOfThem  = "each other hospital"
)

// An ours is the result of training at an epsilon: the mean of the four hospitals' test accuracies,
// and the accuracy on all test rows. Towards allTogether all messages are effectively public.
// Towards eachOfThem, who also sees every message, noise cancels between the hospitals.
type ours struct {
	towards               string
	epsilon, delta, sigma float64
	byHospital, byRow     spread
}

func (b besideBenchmark) run(ctx context.Context, data string, say func(string)) (*Findings, error) {
	costs, err := flambyCosts(b.claims)
	if err != nil {
		return nil, err
	}
	for _, c := range costs {
		say(c.String())
	}
	all := []ours{}
	for _, towards := range []string{allTogether, eachOfThem} {
		for _, delta := range oursDeltas {
			for _, epsilon := range oursEpsilons {
				all = append(all, ours{towards: towards, epsilon: epsilon, delta: delta})
			}
		}
	}
	all = append(all, ours{towards: "nobody, without noise"})
	for i := range all {
		if err := b.train(ctx, data, &all[i]); err != nil {
			return nil, err
		}
		say(all[i].String())
	}
	f := &Findings{Tables: []Table{oursTable(all), costsTable(costs)}}
	both := struct {
		costs []cost
		ours  []ours
	}{costs, all}
	f.judge(&both, func() []Check { return judgeFLamby(b.claims, both.costs, both.ours) })
	return f, nil
}

// train computes the means over splits. At epsilon 0 it trains without noise.
func (b besideBenchmark) train(ctx context.Context, data string, o *ours) error {
	hospitals, rows, sigmas := make([]float64, b.splits), make([]float64, b.splits), make([]float64, b.splits)
	err := sim.Each(ctx, b.splits, workers(), func(ctx context.Context, i int) error {
		s, err := besideFLamby().Spec(Variant{Name: o.String(), change: func(s *spec.Spec) { o.ask(s, uint64(1+i)) }}, data)
		if err == nil {
			hospitals[i], rows[i], sigmas[i], err = trainOnce(ctx, s)
		}
		return err
	})
	o.byHospital, o.byRow, o.sigma = spreadOf(hospitals), spreadOf(rows), sigmas[0]
	return err
}

// sharedNoise is the standard deviation of the noise shared by two hospitals, over that of their own
// noise.
const sharedNoise = 10

// ask sets the spec of one split.
func (o *ours) ask(s *spec.Spec, seed uint64) {
	s.Seed = seed
	if o.epsilon == 0 {
		without(s)
		return
	}
	s.Privacy.Calibrate.Max, s.Privacy.Metric.Delta = o.epsilon, o.delta
	if o.towards == eachOfThem {
		gossipfamily.KeysOf(s).Pairwise, s.Privacy.Accountant = sharedNoise, "pairwise"
	}
}

// trainOnce scores the final model of all hospitals. On the complete graph each ends with the mean
// of all models.
func trainOnce(ctx context.Context, s *spec.Spec) (byHospital, byRow, sigma float64, err error) {
	p, err := experiment.Prepare(ctx, s, nil)
	if err != nil {
		return 0, 0, 0, err
	}
	theta, err := p.Algorithm.Trial(ctx, experiment.TrialSeed(s.Seed, 0), func(int, []float64, float64) {})
	if err != nil {
		return 0, 0, 0, err
	}
	h := p.Algorithm.Of()
	tests := testsByGroup(h)
	for _, test := range tests {
		_, one := h.Objective.Score(theta, test)
		byHospital += one / float64(len(tests))
	}
	_, byRow = h.Objective.Score(theta, h.Test)
	return byHospital, byRow, p.Algorithm.Local().Noise.Multiplier, nil
}

// testsByGroup returns the test rows of each natural group.
func testsByGroup(h *family.Holdings) []model.Examples {
	tests := make([]model.Examples, len(h.Federation.Holders))
	for i, g := range h.Federation.TestGroups {
		t, d := &tests[g], h.Test.Features
		t.Features, t.X, t.Y = d, append(t.X, h.Test.X[i*d:(i+1)*d]...), append(t.Y, h.Test.Y[i])
	}
	return tests
}

// String returns a progress line.
func (o ours) String() string {
	return fmt.Sprintf("epsilon %g at delta %g towards %s: %.4f +- %.4f on the four hospitals, %.4f on all rows",
		o.epsilon, o.delta, o.towards, o.byHospital.mean, o.byHospital.std, o.byRow.mean)
}

// oursTable returns a row for each epsilon.
func oursTable(all []ours) Table {
	t := Table{Name: "accuracy", Header: []string{
		"towards", "epsilon", "delta", "accuracy", "std", "accuracy_all_rows", "sigma", "benchmark_accuracy",
	}}
	for _, o := range all {
		published := flambyNoiseless
		if o.epsilon > 0 {
			published = 0
			for _, p := range flambyPrivate {
				if p.epsilon == o.epsilon && o.delta == flambyDelta {
					published = p.accuracy
				}
			}
		}
		t.Rows = append(t.Rows, []string{o.towards, decimal(o.epsilon), decimal(o.delta),
			decimal(o.byHospital.mean), decimal(o.byHospital.std), decimal(o.byRow.mean), decimal(o.sigma), decimal(published)})
	}
	return t
}
