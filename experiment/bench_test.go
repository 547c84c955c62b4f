package experiment

import (
	"math"
	"runtime"
	"testing"
	"time"
)

// The shapes of the Houses run (2048 nodes on a hypercube, rows of 8 features), scored as
// often as it is, without files and with the fastest accountant.
var timed = map[string]string{
	"walk": `
data: {source: two-gaussians, rows: 10, features: 8, normalise: unit}
nodes: 2048
graph: hypercube:11
model: {kind: logistic, intercept: true}
algorithm: {kind: walk, steps: 20000, step_size: 0.003, clip: 0.3, average: half, contributions: 12}
privacy: {sigma: 8, accountant: local}
report: {every: 100}
`,
	"gossip-gd": `
data: {source: two-gaussians, rows: 10, features: 8, normalise: unit}
nodes: 2048
graph: hypercube:11
model: {kind: logistic, intercept: true}
algorithm: {kind: gossip-gd, steps: 100, step_size: 0.1, clip: 0.3}
privacy: {sigma: 8, accountant: local}
report: {every: 1}
`,
	"network": `
data: {source: two-gaussians, rows: 2000, features: 100, normalise: unit}
nodes: 10
graph: complete:10
model: {kind: mlp, hidden: [32], intercept: true}
algorithm: {kind: gossip-gd, steps: 5, step_size: 0.1, clip: 1}
privacy: {sigma: 1, accountant: local}
report: {every: 1}
`,
}

// What a run takes beside its steps: one trial with its curve and the same without, in
// turn, the fastest of each. Steps are taken on one core; another, if there is one, scores. steps/s and kernel-steps/s are of the two, and
// share is the first over the second: 1 is a curve that costs nothing.
func BenchmarkRun(b *testing.B) {
	for name, text := range timed {
		b.Run(name, func(b *testing.B) {
			s := prepared(b, text)
			scorer := newScorer(s.Algorithm)
			bare, scored := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
			for b.Loop() {
				began := time.Now()
				if _, err := s.Algorithm.Trial(b.Context(), TrialSeed(1, 0), func(int, []float64, float64) {}); err != nil {
					b.Fatal(err)
				}
				between := time.Now()
				if _, err := trial(b.Context(), s.Algorithm, scorer, 0, runtime.GOMAXPROCS(0), func(score) {}); err != nil {
					b.Fatal(err)
				}
				bare, scored = min(bare, between.Sub(began)), min(scored, time.Since(between))
			}
			steps := float64(s.Spec.Algorithm.Steps)
			b.ReportMetric(steps/scored.Seconds(), "steps/s")
			b.ReportMetric(steps/bare.Seconds(), "kernel-steps/s")
			b.ReportMetric(bare.Seconds()/scored.Seconds(), "share")
		})
	}
}
