package walkpath

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/privacy"
)

// skippedLaw enumerates the paths of one token and which turns of u are skipped: the
// deliberately simple second implementation.
func skippedLaw(w Walk, u, v int) *Law {
	weights := map[float64]float64{}
	paths := enumeratedPaths(w)
	for _, p := range paths {
		turns := 0
		for _, x := range p.path {
			if x == u {
				turns++
			}
		}
		for skipped := range 1 << turns {
			chance := p.weight
			path, k := slices.Clone(p.path), 0
			for i, x := range path {
				if x != u {
					continue
				}
				if skipped>>k&1 == 1 {
					chance *= w.Skip
					path[i] = -1 // somebody who is neither
				} else {
					chance *= 1 - w.Skip
				}
				k++
			}
			weights[pathEnergy(w, path, u, v)] += chance
		}
	}
	return w.exactly(weights)
}

type weightedPath struct {
	path   []int
	weight float64
}

// enumeratedPaths are all paths with their probabilities.
func enumeratedPaths(w Walk) (all []weightedPath) {
	var extend func(path []int, p float64)
	extend = func(path []int, p float64) {
		if len(path) == w.BurnIn+w.Turns {
			all = append(all, weightedPath{slices.Clone(path[w.BurnIn:]), p})
			return
		}
		for x := range w.Nodes {
			q := 1 / float64(w.Nodes)
			switch {
			case len(path) == 0 && w.Start != AnyStart:
				q = 0
				if x == w.Start {
					q = 1
				}
			case len(path) > 0 && w.W != nil:
				q = w.W.At(path[len(path)-1], x)
			}
			if q > 0 {
				extend(append(path, x), p*q)
			}
		}
	}
	extend(nil, 1)
	return all
}

// summed is the law of the sum of two independent energies, one by one.
func summed(a, b *Law, most int) *Law {
	l := &Law{Most: most, exact: true}
	for i, x := range a.Energies {
		for j, y := range b.Energies {
			l.Energies, l.Weights = append(l.Energies, x+y), append(l.Weights, a.Weights[i]*b.Weights[j])
		}
	}
	return l
}

// sameLosses fails where two laws differ in any loss.
func sameLosses(t *rapid.T, what string, got, want *Law) {
	for _, sigma := range []float64{0.7, 2, 9} {
		if a, b := got.RDP(3, sigma), want.RDP(3, sigma); math.Abs(a-b) > 1e-9*(b+1e-9) {
			t.Fatalf("%s: divergence %v, of all paths %v", what, a, b)
		}
		for _, eps := range []float64{0, 0.4, 3} {
			if a, b := got.Delta(eps, sigma), want.Delta(eps, sigma); math.Abs(a-b) > 1e-9*(b+1e-12) {
				t.Fatalf("%s: delta %v at eps %v, of all paths %v", what, a, eps, b)
			}
		}
	}
}

// drawTokens is a short walk of some tokens, whose holders may skip.
func drawTokens(t *rapid.T) Walk {
	transition := transitionOf(t, rapid.SampledFrom([]string{"ring:3", "line:3", "star:4", "complete:3"}).Draw(t, "graph"))
	var w Walk
	w.Update, w.W = amplified, transition.Sparse()
	w.Nodes, w.Tokens = w.W.N, rapid.IntRange(1, 3).Draw(t, "tokens")
	w.Turns, w.BurnIn = rapid.IntRange(1, 5).Draw(t, "turns"), rapid.IntRange(0, 1).Draw(t, "burn-in")
	if w.Start = AnyStart; rapid.Bool().Draw(t, "known start") {
		w.Start = rapid.IntRange(0, w.Nodes-1).Draw(t, "start")
	}
	if rapid.Bool().Draw(t, "starts of their own") {
		for range w.AllTokens() {
			w.Starts = append(w.Starts, rapid.IntRange(-1, w.Nodes-1).Draw(t, "start"))
		}
	}
	if rapid.Bool().Draw(t, "capped") {
		w.Cap = rapid.IntRange(w.Tokens, 2*w.Tokens+1).Draw(t, "cap")
	}
	w.Skip, w.Final = rapid.SampledFrom([]float64{0, 0, 0.3, 0.8}).Draw(t, "skip"), rapid.Bool().Draw(t, "final")
	return w
}

// The law of several tokens, some of whose holders skip, is that of all paths of all of
// them, for one observer, in all pairs at once, and written down and read back.
func TestLawOfTokensIsThatOfAllPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawTokens(t)
		u := rapid.IntRange(0, w.Nodes-1).Draw(t, "u")
		v := (u + rapid.IntRange(1, w.Nodes-1).Draw(t, "v")) % w.Nodes
		want := w.exactly(map[float64]float64{0: 1})
		for k := range w.Tokens {
			want = summed(want, skippedLaw(w.token(k), u, v), w.Most())
		}
		got, err := w.Law(u, v)
		if err != nil {
			t.Fatal(err)
		}
		sameLosses(t, "law", got, want)
		laws, err := w.Laws(EveryPair(w.Nodes), 2)
		if err != nil {
			t.Fatal(err)
		}
		sameLosses(t, "all laws", laws.Law(u, v), want)
		losses, err := laws.Losses(2, privacy.Metric{Order: 3})
		if err != nil || math.Abs(losses.At(u, v)-want.RDP(3, 2)) > 1e-9 {
			t.Fatalf("the loss is %v (%v), of all paths %v", losses.At(u, v), err, want.RDP(3, 2))
		}
		text, err := got.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var again Law
		if err := again.UnmarshalBinary(text); err != nil || again.RDP(3, 2) != got.RDP(3, 2) || again.Delta(0.4, 2) != got.Delta(0.4, 2) {
			t.Fatalf("read back: %v, divergence %v, was %v", err, again.RDP(3, 2), got.RDP(3, 2))
		}
	})
}

// On runs that cannot be listed the law of several tokens is above what simulated paths
// show and below K times what one token costs, for pairs that have it from a class as
// for those that are asked for alone. The mean of 600 runs may exceed its expectation
// by five standard errors with probability 3e-7 each.
func TestLawOfTokensBoundsSimulatedRuns(t *testing.T) {
	for _, c := range []struct {
		graph  string
		class  PairClass
		starts []int
		skip   float64
		final  bool
	}{
		{"ring:8", RingClass(8), nil, 0, false},
		{"ring:8", RingClass(8), nil, 0.4, true},
		{"ring:8", RingClass(8), []int{0, 3, 0}, 0.2, true},
		{"er:n=6,p=0.6,seed=3,connected=true", EveryPair(6), nil, 0.3, false},
	} {
		t.Run(fmt.Sprintf("%s,%v,%v", c.graph, c.starts, c.skip), func(t *testing.T) {
			w, transition := walkOn(t, c.graph)
			w.Turns, w.Cap, w.Tokens, w.Starts, w.Skip, w.Final = 68, 7, 3, c.starts, c.skip, c.final
			laws, err := w.Laws(c.class, 2)
			if err != nil {
				t.Fatal(err)
			}
			pairs := []Pair{{0, 4}, {2, 1}, {5, 0}}
			samples, err := Simulation{Walk: w, Next: hops(transition), Paths: 600, Seed: 4}.Sample(pairs, 2)
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range pairs {
				law, err := w.Law(p.U, p.V)
				if err != nil {
					t.Fatal(err)
				}
				for _, sigma := range []float64{1, 4} {
					f := func(energy float64) float64 { return gaussianDelta(energy, 0.3, sigma) }
					mean, variance := samples[i].moments(f)
					shown := mean - 5*math.Sqrt(variance/600)
					for what, l := range map[string]*Law{"alone": law, "in all": laws.Law(p.U, p.V)} {
						if bound := l.Delta(0.3, sigma); bound < shown || !c.final && bound > 4*mean+1e-3 {
							t.Errorf("%v %s: delta %v, simulated %v", p, what, bound, mean)
						}
					}
					one, err := w.token(0).law(p.U, p.V)
					if err != nil {
						t.Fatal(err)
					}
					if c.starts == nil && law.RDP(2, sigma) > 3*one.RDP(2, sigma)*(1+1e-12) {
						t.Errorf("%v: three tokens lose %v, one %v", p, law.RDP(2, sigma), one.RDP(2, sigma))
					}
				}
			}
		})
	}
}

// Skipping never costs more than the cap alone does, and what u never contributes
// costs nothing; nonsense is refused.
func TestSkippingAndTokensAreChecked(t *testing.T) {
	w, _ := walkOn(t, "ring:5")
	w.Turns, w.Tokens = 80, 2
	often, err := w.Law(0, 2)
	if err != nil {
		t.Fatal(err)
	}
	w.Skip = 0.9
	rarely, err := w.Law(0, 2)
	if err != nil || rarely.RDP(2, 3) > 0.2*often.RDP(2, 3) {
		t.Errorf("%v when nine of ten turns are skipped, %v without (%v)", rarely.RDP(2, 3), often.RDP(2, 3), err)
	}
	for what, change := range map[string]func(*Walk){
		"always":          func(w *Walk) { w.Skip = 1 },
		"no number":       func(w *Walk) { w.Skip = math.NaN() },
		"a start too few": func(w *Walk) { w.Starts = []int{1} },
		"no such start":   func(w *Walk) { w.Starts = []int{1, 5} },
		"too small a cap": func(w *Walk) { w.Cap = 1 },
	} {
		w := w
		change(&w)
		if _, err := w.Law(0, 1); err == nil {
			t.Errorf("%s is taken", what)
		}
		if _, err := w.Laws(RingClass(5), 1); err == nil {
			t.Errorf("%s is taken for all pairs", what)
		}
	}
}

// Moments of all pairs bound those of all paths of several tokens, and means add up.
func TestMomentsOfTokensBoundEveryPath(t *testing.T) {
	for _, c := range []struct {
		graph       string
		turns, cap  int
		tokens      int
		start, u, v int
		starts      []int
	}{
		{"line:3", 5, 2, 2, AnyStart, 0, 2, nil},
		{"ring:3", 4, 5, 3, 1, 0, 1, nil},
		{"star:4", 5, 5, 2, 0, 3, 1, []int{AnyStart, 3}},
		{"line:3", 3, 4, 1, 0, 1, 0, []int{2}},
	} {
		w, _ := walkOn(t, c.graph)
		w.Turns, w.Cap, w.Tokens, w.Start, w.Starts = c.turns, c.cap, c.tokens, c.start, c.starts
		all, err := w.Moments(2)
		if err != nil {
			t.Fatal(err)
		}
		truth, means := w.exactly(map[float64]float64{0: 1}), 0.0
		for k := range w.Tokens {
			truth = summed(truth, skippedLaw(w.token(k), c.u, c.v), w.Most())
			one, err := w.token(k).Moments(1)
			if err != nil {
				t.Fatal(err)
			}
			means += one.Pair(c.u, c.v)[0]
		}
		if mean := all.Pair(c.u, c.v)[0]; math.Abs(mean-means) > 1e-5*means {
			t.Errorf("%s: the mean of the sum is %v, the sum of means %v", c.graph, mean, means)
		}
		for k, bound := range all.Pair(c.u, c.v) {
			moment := 0.0
			for i, e := range truth.Energies {
				moment += truth.Weights[i] * math.Pow(e, float64(k+1))
			}
			if !(bound >= moment*(1-1e-9)) {
				t.Errorf("%s: moment %d is bounded by %v, of all paths it is %v", c.graph, k+1, bound, moment)
			}
		}
		for _, metric := range []privacy.Metric{{Delta: 1e-5}, {Order: 4}} {
			loss, err := all.Loss(c.u, c.v, 1.5, metric)
			if want := truth.loss(1.5, metric); err != nil || loss < want*(1-1e-9) {
				t.Errorf("%s, %v: loss %v (%v), of all paths %v", c.graph, metric, loss, err, want)
			}
		}
	}
}
