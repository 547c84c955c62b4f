package admmview

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/schedule"
)

func completeWalk(nodes, turns, most int) Walk {
	return Walk{Step: Step{Lambda: 0.5}, Walk: schedule.Walk{Nodes: nodes, Start: schedule.AnyStart, Turns: turns, Cap: most}, AtCap: Stays}
}

// The mean over all paths of three nodes and five turns, counted one by one, is that of a sample, but for five
// standard errors (a chance below 1e-6, and the seed is fixed). So are the workers' shares.
func TestASampleStandsForAllPaths(t *testing.T) {
	const turns = 5
	w := completeWalk(3, turns, 2)
	w.Final = true
	mean, square := 0.0, 0.0
	for code := range 243 {
		visits, used := []Visit(nil), make([]int32, 3)
		for k, rest := 0, code; k < turns; k, rest = k+1, rest/3 {
			visits = append(visits, w.visit(rest%3, used, nil))
		}
		e := w.Energy(visits, 0, func(node int) bool { return node == 1 })
		mean, square = mean+e/243, square+e*e/243
	}
	pairs := []walkpath.Pair{{U: 0, V: 1}, {U: 2, V: 0}}
	const runs = 5000
	samples, err := w.Sample(Drawing{Runs: runs, Seed: 1, Workers: 3}, pairs)
	if err != nil {
		t.Fatal(err)
	}
	if error := math.Sqrt((square - mean*mean) / runs); math.Abs(samples[0].Mean()-mean) > 5*error+mean/128 {
		t.Errorf("mean %g, sampled %g", mean, samples[0].Mean())
	}
	again, err := w.Sample(Drawing{Runs: runs, Seed: 1, Workers: 1}, pairs)
	if err != nil || again[1].Mean() != samples[1].Mean() {
		t.Error("a sample depends on its workers", err)
	}
}

// All pairs of one path are priced each by itself.
func TestEnergiesOfAPath(t *testing.T) {
	w := completeWalk(6, 60, 0)
	visits := w.Path(rand.New(rand.NewPCG(1, 4)))
	var pairs []walkpath.Pair
	for u := range 6 {
		for v := range 6 {
			if u != v {
				pairs = append(pairs, walkpath.Pair{U: u, V: v})
			}
		}
	}
	energies, err := w.Energies(visits, pairs, 3)
	for k, p := range pairs {
		if want := w.Energy(visits, p.U, func(node int) bool { return node == p.V }); err != nil || energies[k] != want || !(want > 0) {
			t.Errorf("%+v: %g, by itself %g (%v)", p, energies[k], want, err)
		}
	}
}

// No attack leaks more than its charge, on any drawn path, with caps, skipped turns and nodes without data.
func TestNoAttackIsAboveAWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := draws(t)
		w := completeWalk(2+r.IntN(4), 1+r.IntN(14), r.IntN(4))
		w.AtCap, w.Skip, w.Forward, w.Final = []How{Drifts, Stays}[r.IntN(2)], 0.3*float64(r.IntN(2)), r.IntN(3) == 0, r.IntN(2) == 0
		w.Holds = func(node int) bool { return node != 2 }
		visits := w.Path(r)
		a := attack{nodes: w.Nodes, step: w.Step}
		for _, v := range visits {
			switch {
			case v.Holder == 1: // who subtracts the known effect of its own turn
				a.acts = append(a.acts, act{look: true})
			case !v.Idle:
				a.acts = append(a.acts, act{holder: v.Holder, how: v.How, start: true})
			}
		}
		if w.Final {
			a.acts = append(a.acts, act{look: true})
		}
		for i := range a.acts {
			a.change(i, r)
		}
		charged := w.Energy(visits, 0, func(node int) bool { return node == 1 })
		if len(a.acts) == 0 {
			return
		}
		if leaks := a.worsened(20, r); leaks > charged*(1+1e-8)+1e-12 {
			t.Fatalf("%+v: leaks %g, charged %g", visits, leaks, charged)
		}
	})
}

// A sample of 30 nodes is an upper bound of an epsilon, far below that of public updates, and it refuses a delta that it cannot know.
func TestASampleIsALoss(t *testing.T) {
	w := completeWalk(30, 180, 6)
	samples, err := w.Sample(Drawing{Runs: 400, Seed: 2, Workers: 2}, []walkpath.Pair{{U: 3, V: 5}})
	if err != nil {
		t.Fatal(err)
	}
	s := samples[0]
	if s.Status != privacy.SoundIf || s.Most != 6 || s.UnitOrParticipant() != privacy.Participant {
		t.Errorf("%v", s.Claim)
	}
	sample, local := s.RDP(2, 5, 1e-3), privacy.GaussianLoss(6, 5, privacy.Metric{Order: 2})
	if !(sample > 0 && sample < local/2) {
		t.Errorf("a loss of %g, public %g", sample, local)
	}
	if _, err := s.Epsilon(1e-9, 5); err == nil {
		t.Error("400 paths certified a delta of 1e-9")
	}
	w.Source = "losses of a margin are convex"
	if claim := w.Claim(); claim.Status != privacy.Sound {
		t.Error(claim)
	}
}

// Sums of m updates cost about 4/(m+3) of a public one each, and all together as much as Curated or little more.
func TestSecureSums(t *testing.T) {
	s, d := Step{Lambda: 0.5}, Drawing{Runs: 50, Seed: 3}
	some, err := Federated{someADMM, 40, 10, 100}.Sums(s, d)
	if err != nil || some.Most != 40 || !(some.Mean() < 0.45*4) {
		t.Errorf("4 contributions cost %g (%v)", some.Mean(), err)
	}
	all, err := Federated{someADMM, 10, 30, 30}.Sums(s, d)
	curated, other := Curated{s, 30, 10}.Energy()
	if err != nil || other != nil || all.Mean() < 0.5*curated || all.Mean() > 1.1*curated {
		t.Errorf("all in every round: %g, curated %g (%v, %v)", all.Mean(), curated, err, other)
	}
	one, err := Federated{someADMM, 30, 1, 4}.Sums(s, d)
	if err != nil || math.Abs(one.Mean()-7.5) > 5*math.Sqrt(30*3.0/16/50)+0.1 {
		t.Errorf("alone in a round: %g (%v)", one.Mean(), err)
	}
}

func TestWalksAndSumsRefuseNonsense(t *testing.T) {
	pair, d := []walkpath.Pair{{U: 0, V: 1}}, Drawing{Runs: 5}
	for what, change := range map[string]func(*Walk){
		"no turns":         func(w *Walk) { w.Turns = 0 },
		"a start beyond":   func(w *Walk) { w.Start = 9 },
		"two tokens":       func(w *Walk) { w.Tokens = 2 },
		"falling steps":    func(w *Walk) { w.Power = 0.5 },
		"a cap per edge":   func(w *Walk) { w.EdgeCap = 1 },
		"updates at a cap": func(w *Walk) { w.AtCap = Updates },
		"no lambda":        func(w *Walk) { w.Lambda = 0 },
	} {
		w := completeWalk(4, 9, 4)
		change(&w)
		if _, err := w.Sample(d, pair); err == nil {
			t.Error(what, "was accepted")
		}
	}
	w := completeWalk(4, 9, 2)
	if _, err := w.Sample(d, []walkpath.Pair{{U: 0, V: 0}}); err == nil {
		t.Error("an observer of itself was accepted")
	}
	if _, err := w.Sample(Drawing{Runs: 1}, pair); err == nil {
		t.Error("one run was accepted")
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if _, err := w.Sample(Drawing{Runs: 5, Context: ended}, pair); err == nil {
		t.Error("a run that was ended went on")
	}
	if _, err := (Federated{someADMM, 1, 5, 4}).Sums(Step{Lambda: 0.5}, d); err == nil {
		t.Error("five of four users were accepted")
	}
	if _, err := (Federated{someADMM, 1, 3, 4}).Sums(Step{Lambda: 2}, d); err == nil {
		t.Error("lambda of 2 was accepted")
	}
}

func BenchmarkSecureSums(b *testing.B) {
	f, r := Federated{someADMM, 100, 30, 300}, rand.New(rand.NewPCG(1, 1))
	for range b.N {
		f.drawn(Step{Lambda: 0.5}, r)
	}
}
