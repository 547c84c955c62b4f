package walkpath

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
)

// hops routes along a transition matrix.
func hops(transition *graph.Transition) func(at, turn int, r *rand.Rand) int {
	return func(at, _ int, r *rand.Rand) int { return transition.Next(at, r) }
}

// samplePair draws the paths of one pair.
func samplePair(t testing.TB, s Simulation, u, v int) *Sample {
	t.Helper()
	samples, err := s.Sample([]Pair{{u, v}}, 2)
	if err != nil {
		t.Fatal(err)
	}
	return samples[0]
}

// The sample mean of delta lies within five standard errors of the exact one,
// and the upper bound above it, for capped, burnt-in and released walks. Ten
// means are compared: a false alarm has probability 6e-6, plus 10 times 1e-6
// for the bounds.
func TestSampledEnergiesAgreeWithAllPaths(t *testing.T) {
	transitions := map[string]*graph.Transition{}
	for _, c := range []struct {
		expression string
		change     func(w *Walk)
	}{
		{"ring:5", func(w *Walk) {}},
		{"ring:5", func(w *Walk) { w.Cap = 2 }},
		{"line:4", func(w *Walk) { w.Start, w.BurnIn = 3, 2 }},
		{"star:5", func(w *Walk) { w.Final = true }},
		{"complete:4", func(w *Walk) { w.Final, w.Start = true, 2 }},
	} {
		w, transition := walkOn(t, c.expression)
		transitions[c.expression] = transition
		w.Turns = 9
		c.change(&w)
		for _, audit := range []bool{false, true} {
			s := Simulation{Walk: w, Next: hops(transition), Paths: 20000, Seed: 7, Audit: audit}
			sample := samplePair(t, s, 0, 2)
			exact := w.exactLaw(0, 2, audit)
			mean, variance := sample.moments(func(v float64) float64 { return gaussianDelta(v, 0.5, 1.5) })
			want := exact.Delta(0.5, 1.5)
			if math.Abs(mean-want) > 5*math.Sqrt(variance/float64(s.Paths)) {
				t.Errorf("%s audit=%v: mean delta %v, all paths give %v", c.expression, audit, mean, want)
			}
			bound := sample.Delta(0.5, 1.5, 1e-6)
			if audit && bound > want || !audit && bound < want {
				t.Errorf("%s audit=%v: bound %v, the truth is %v", c.expression, audit, bound, want)
			}
		}
	}
}

// The same seed gives the same energies on any number of workers.
func TestSampleDoesNotDependOnWorkers(t *testing.T) {
	w, transition := walkOn(t, "grid:3x3")
	w.Turns, w.Cap, w.Tokens = 200, 4, 2
	s := Simulation{Walk: w, Next: hops(transition), Paths: 300, Seed: 11}
	pairs := []Pair{{0, 8}, {8, 0}, {3, 4}, {0, 1}}
	one, err := s.Sample(pairs, 1)
	if err != nil {
		t.Fatal(err)
	}
	three, err := s.Sample(pairs, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i := range pairs {
		if !slices.Equal(one[i].Energies, three[i].Energies) || !slices.Equal(one[i].Counts, three[i].Counts) {
			t.Errorf("pair %v differs", pairs[i])
		}
		if one[i].Delta(1, 1, 1e-3) != three[i].Delta(1, 1, 1e-3) {
			t.Errorf("delta of pair %v differs", pairs[i])
		}
	}
}

// The law without sampling is above what simulated paths show, on runs too long
// to enumerate, with and without a cap. The mean energy of 1500 paths may
// exceed its expectation, which the law bounds, by five standard errors with
// probability 3e-7 each.
func TestPathLawBoundsSimulatedRuns(t *testing.T) {
	for _, c := range []struct {
		expression string
		v, turns   int
		cap        int
		final      bool
	}{
		{"ring:20", 10, 500, 12, false}, {"ring:8", 1, 300, 0, false}, {"grid:5x5", 24, 500, 6, false},
		{"hypercube:4", 15, 400, 0, false}, {"complete:8", 1, 100, 40, false}, {"star:6", 3, 300, 5, false},
		{"hypercube:4", 3, 400, 8, true}, {"ring:8", 4, 300, 0, true},
	} {
		w, transition := walkOn(t, c.expression)
		w.Turns, w.Cap, w.Final = c.turns, c.cap, c.final
		sample := samplePair(t, Simulation{Walk: w, Next: hops(transition), Paths: 1500, Seed: 3}, 0, c.v)
		law, err := w.Law(0, c.v)
		if err != nil {
			t.Fatal(err)
		}
		mean, variance := sample.moments(func(v float64) float64 { return v })
		if mean > law.Mean()+5*math.Sqrt(variance/1500) {
			t.Errorf("%+v: mean energy %v, bounded by %v", c, mean, law.Mean())
		}
		for _, eps := range []float64{0.1, 1} {
			at, spread := sample.moments(func(v float64) float64 { return gaussianDelta(v, eps, 4) })
			if bound := law.Delta(eps, 4); at > bound+5*math.Sqrt(spread/1500) {
				t.Errorf("%+v: delta %v at eps %v, bounded by %v", c, at, eps, bound)
			}
		}
	}
}

// The path accountant is not loose: its mean energy, and its Renyi loss at order
// 2 for sigma^2 from 4 to 64, are within twice those of the audit m^2/l of the
// revealed path on the same 1500 paths.
func TestPathIsWithinTwiceTheRevealedPathAudit(t *testing.T) {
	for _, expression := range []string{"ring:20", "grid:5x5", "hypercube:4", "complete:8"} {
		w, transition := walkOn(t, expression)
		w.Turns = 400
		pairs := []Pair{{0, 1}, {0, w.Nodes / 2}, {0, w.Nodes - 1}}
		s := Simulation{Walk: w, Next: hops(transition), Paths: 1500, Seed: 5}
		path, err := s.Sample(pairs, 2)
		if err != nil {
			t.Fatal(err)
		}
		s.Audit = true
		audit, err := s.Sample(pairs, 2)
		if err != nil {
			t.Fatal(err)
		}
		for i, pair := range pairs {
			if p, a := path[i].Mean(), audit[i].Mean(); p > 2*a || p < a {
				t.Errorf("%s %v: mean energy %v, audit %v", expression, pair, p, a)
			}
			for _, sigma2 := range []float64{16, 64} {
				renyi := func(e *Sample) float64 {
					m, _ := e.moments(func(v float64) float64 { return math.Exp(v / sigma2) })
					return math.Log(m)
				}
				if p, a := renyi(path[i]), renyi(audit[i]); p > 2*a || p < a {
					t.Errorf("%s %v sigma^2=%v: RDP %v, audit %v", expression, pair, sigma2, p, a)
				}
			}
		}
	}
}

// Each token has its share of the cap, and closes its own excursions: with a cap of one
// contribution to each, no run of three tokens has more energy than 3.
func TestTokensShareTheCap(t *testing.T) {
	w, transition := walkOn(t, "ring:4")
	w.Turns, w.Cap, w.Final, w.Tokens = 50, 3, true, 3
	s := Simulation{Walk: w, Next: hops(transition), Paths: 500, Seed: 1}
	one := samplePair(t, s, 0, 1)
	if most := one.Energies[len(one.Energies)-1]; most > 3 || one.Most != 3 {
		t.Errorf("energy %v, most %v", most, one.Most)
	}
	s.Walk.Cap = 0
	if more := samplePair(t, s, 0, 1); more.Mean() < 1.5*one.Mean() || more.Most != 150 {
		t.Errorf("mean %v without a cap, %v with; most %v", more.Mean(), one.Mean(), more.Most)
	}
}

// The empirical Bernstein bound fails no more often than it says: over 2000
// samples of 200 draws at failure 0.05 the bound is below the mean fewer than
// 150 times. Were the rate exactly 0.05, 150 or more would have probability
// 2e-7.
func TestSampleBoundsFailAsRarelyAsStated(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	failures := 0
	for range 2000 {
		counts := tally{}
		for range 200 {
			v := 0.0
			if r.Float64() < 0.1 {
				v = 1
			}
			counts.add(v)
		}
		s := counts.sample(Simulation{Walk: Walk{Walk: schedule.Walk{Turns: 1}}, Paths: 200})
		if s.bound(func(v float64) float64 { return v }, 0.05) < 0.1 {
			failures++
		}
	}
	if failures >= 150 {
		t.Errorf("%d of 2000 bounds are below the mean", failures)
	}
}

// Few paths certify no small delta; the error says how many would, and with
// that many the bound is worth more than the local one.
func TestTooFewPathsAreRefusedWithTheNumberNeeded(t *testing.T) {
	w := Walk{Walk: schedule.Walk{Update: amplified, Nodes: 8, Start: AnyStart, Turns: 100, Cap: 4}}
	s := Simulation{Walk: w, Paths: 200, Seed: 2}
	few := samplePair(t, s, 0, 1)
	const delta, sigma = 1e-3, 4
	_, err := few.Epsilon(delta, sigma)
	if err == nil || !strings.Contains(err.Error(), "200 paths cannot certify") || !strings.Contains(fault.Hint(err), "paths") {
		t.Fatalf("error %v, hint %q", err, fault.Hint(err))
	}
	s.Paths = int(few.needed(delta, sigma)) + 1
	if s.Paths < 1000 || s.Paths > 1000000 {
		t.Fatalf("%d paths are said to be needed", s.Paths)
	}
	eps, err := samplePair(t, s, 0, 1).Epsilon(delta, sigma)
	law, _ := w.Law(0, 1)
	if err != nil || eps >= privacy.EpsilonGaussian(2.0/sigma, delta) || eps < law.Epsilon(delta, sigma)*0.7 {
		t.Errorf("eps %v, %v; the law without sampling has %v", eps, err, law.Epsilon(delta, sigma))
	}
}

// Energies are rounded up, by less than a millionth.
func TestTalliesRoundUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := math.Exp(rapid.Float64Range(-20, 8).Draw(t, "ln v"))
		counts := tally{}
		counts.add(v)
		for up := range counts {
			if up < v || up > v*(1+1e-6) {
				t.Fatalf("%v became %v", v, up)
			}
		}
	})
}

// claimed has the updates be those of somebody's claims.
func claimed(c model.Claims, step float64) func(w *Walk) {
	return func(w *Walk) { w.Update = model.Assert(c).Update(model.Descent{Step: step, Clip: 1}) }
}

func TestExpansiveUpdatesGetTheLocalLossAndTheReason(t *testing.T) {
	for reason, change := range map[string]func(w *Walk){
		"not convex":       claimed(model.Claims{Loss: "x", Smoothness: 1, ClipSafe: true}, 1),
		"clipping":         claimed(model.Claims{Loss: "x", Smoothness: 1, Convex: true, Lipschitz: math.Inf(1)}, 1),
		"without noise":    func(w *Walk) { w.Forward = true },
		"failures":         func(w *Walk) { w.Reroutes = true },
		"smoothness":       claimed(model.Claims{Loss: "x", Smoothness: math.Inf(1), Convex: true, ClipSafe: true}, 1),
		"above 2":          claimed(model.Claims{Loss: "x", Smoothness: 0.25, Convex: true, ClipSafe: true}, 8.1),
		"nothing is known": func(w *Walk) { w.Update = model.Update{} },
		"by a factor of 2": func(w *Walk) { w.Update = model.Asserted(2, "somebody says so") },
	} {
		w := Walk{Walk: schedule.Walk{Update: amplified, Nodes: 8, Start: AnyStart, Turns: 100, Cap: 4}}
		change(&w)
		laws, err := w.Laws(CompleteClass, 1)
		if err != nil {
			t.Fatal(err)
		}
		losses, err := laws.Losses(2, privacy.Metric{Order: 3})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := losses.At(1, 2), 3*4/(2*4.0); math.Abs(got-want) > 1e-12 || losses.Mean() != got {
			t.Errorf("%s: loss %v, mean %v, want %v", reason, got, losses.Mean(), want)
		}
		if claim := laws.String(); laws.Status != privacy.Sound || !strings.Contains(claim, reason) {
			t.Errorf("%s: claim %q", reason, claim)
		}
		if _, err := (Simulation{Walk: w, Paths: 2}).Sample([]Pair{{0, 1}}, 1); err == nil {
			t.Errorf("%s: simulated", reason)
		}
	}
}

// benchmarkHops measures hops a second of one worker.
func benchmarkHops(b *testing.B, s Simulation, pairs []Pair) {
	s.Paths = 100
	for b.Loop() {
		if _, err := s.Sample(pairs, 1); err != nil {
			b.Fatal(err)
		}
	}
	hops := float64(b.N) * float64(s.Paths) * float64(s.Walk.Turns)
	b.ReportMetric(hops/b.Elapsed().Seconds()/1e6, "Mhops/s")
}

func BenchmarkPathSimulationOfAPair(b *testing.B) {
	cube, transition := walkOn(b, "hypercube:11")
	cube.Turns, cube.Cap = 20000, 12
	complete := Walk{Walk: schedule.Walk{Update: amplified, Nodes: 2048, Start: AnyStart, Turns: 20000, Cap: 12}}
	b.Run("hypercube-2048", func(b *testing.B) {
		benchmarkHops(b, Simulation{Walk: cube, Next: hops(transition)}, []Pair{{0, 1}})
	})
	b.Run("complete-2048", func(b *testing.B) {
		benchmarkHops(b, Simulation{Walk: complete}, []Pair{{0, 1}})
	})
}

func BenchmarkPathSimulationOfAllPairs(b *testing.B) {
	w, transition := walkOn(b, "ring:20")
	w.Turns = 2000
	var pairs []Pair
	for u := range 20 {
		for v := range 20 {
			if u != v {
				pairs = append(pairs, Pair{u, v})
			}
		}
	}
	benchmarkHops(b, Simulation{Walk: w, Next: hops(transition)}, pairs)
}
