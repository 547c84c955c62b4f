package pairwise

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/internal/drawntest"
	"github.com/hearsay-dp/hearsay/privacy"
)

// byRound is what the theorem of missing nodes says of the world's u: of every round that it does not miss, the energy towards F
// and whoever misses the round.
func (w *world) byRound(t interface{ Fatal(...any) }) (energy float64) {
	a := accountant(t, Problem{Pairs: edgesOf(w.n, w.secrets), Own: w.own, Pair: w.pair, Contributions: 1, Sensitivity: w.clips})
	for round := range w.rounds {
		if w.misses(w.u, round) {
			continue
		}
		energies, err := a.Energies(slices.Concat(w.coalition, w.away[round]), 1)
		if err != nil {
			t.Fatal(err)
		}
		energy += energies[w.u]
	}
	return energy
}

// Whoever sees all messages, and the noise that partners of missing nodes reveal, attains the sum over rounds of what it would
// learn together with those who miss them, and that is at most what the accountant charges for so many.
func TestMissingNodesAreChargedAsColluders(t *testing.T) {
	missed, draws := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		most := rapid.IntRange(0, w.n-1-len(w.coalition)).Draw(t, "most")
		for round := range w.rounds {
			var away []int
			for v := range w.n {
				if len(away) < most && !slices.Contains(w.coalition, v) && rapid.IntRange(0, 2).Draw(t, "misses") == 0 {
					away = append(away, v)
				}
			}
			w.away = append(w.away, away)
			if draws++; slices.ContainsFunc(w.secrets, func(e [2]int) bool {
				return !w.misses(w.u, round) && (w.misses(e[0], round) || w.misses(e[1], round))
			}) {
				missed++
			}
		}
		want := w.byRound(t)
		if got := attained(w.view()); math.Abs(got-want) > 1e-7*(1+want) {
			t.Fatalf("attained %.12g, the theorem says %.12g: %+v", got, want, *w)
		}
		a := accountant(t, Problem{Pairs: edgesOf(w.n, w.secrets), Own: w.own, Pair: w.pair, Contributions: w.rounds, Sensitivity: w.clips, Absent: most})
		charged, _, err := a.Beside(w.coalition, 1)
		if err != nil || want > charged[w.u]*(1+1e-9) {
			t.Fatalf("the theorem says %.12g, charged is %.12g (%v): %+v", want, charged[w.u], err, *w)
		}
		if one, _, _, err := a.WorstOf(w.u, 1, 1); len(w.coalition) == 1 && (err != nil || charged[w.u] > one*(1+1e-9)) {
			t.Fatalf("charged is %.12g, and towards anybody %.12g (%v): %+v", charged[w.u], one, err, *w)
		}
		for v, towards := range each(t, a, w.u) {
			if slices.Equal(w.coalition, []int{v}) && math.Abs(towards-charged[w.u]) > 1e-9*charged[w.u] {
				t.Fatalf("charged is %.12g, and by itself %.12g: %+v", charged[w.u], towards, *w)
			}
		}
		if bound := a.kept(w.coalition, most)[w.u] * a.unit(w.u); bound < charged[w.u]*(1-1e-9) {
			t.Fatalf("bound %g below %g: %+v", bound, charged[w.u], *w)
		}
	})
	drawntest.Often(t, "noise of somebody else is revealed in a round", missed, draws, 0.15)
}

// each returns the energies of u towards every node, which Towards and Every agree on.
func each(t *rapid.T, a *Accountant, u int) []float64 {
	energies, _, err := a.Towards(u, 1)
	if err != nil {
		t.Fatal(err)
	}
	pairs := a.Every(1)
	for v, energy := range energies {
		if other := pairs.At(u, v); math.Abs(other-energy) > 1e-9*(1+energy) {
			t.Fatalf("energy %g from %d towards %d, among all pairs %g", energy, u, v, other)
		}
	}
	return energies
}

// Each condition is needed: without it an attack attains more than is charged for one missing node.
func TestConditionsOfMissingNodesAreNeeded(t *testing.T) {
	all := [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}
	for _, c := range []struct {
		broken string
		w      world
	}{
		{"a message of a node that missed its round reaches nobody", world{away: [][]int{{0}, {0}}, tardy: true}},
		{"at most so many miss a round", world{away: [][]int{{1, 2}, {1, 2}}}},
		{"revealed noise is used in no other round", world{away: [][]int{{1}, {2}}, reuse: true}},
	} {
		w := c.w
		w.n, w.rounds, w.turns, w.secrets, w.coalition = 4, 2, 1, all, []int{3}
		w.messages, w.own, w.pair, w.feedback, w.shift = path(4), 1, 3, make([]float64, 4), []float64{1, 1}
		a := accountant(t, Problem{Pairs: edgesOf(4, all), Own: 1, Pair: 3, Contributions: 2, Absent: 1})
		charged, _, err := a.Beside(w.coalition, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := attained(w.view()); !(got > charged[0]*1.02) {
			t.Errorf("%s: attained %g, charged %g: no counterexample", c.broken, got, charged[0])
		} else {
			t.Logf("%s: attained %g, charged %g", c.broken, got, charged[0])
		}
	}
}

// The own noise that up to three missing nodes ask for, everybody at epsilon 1 in 50 rounds towards any single participant.
func TestOwnNoiseOfMissingNodes(t *testing.T) {
	var edges [][2]int
	for u := range 16 {
		for v := range u {
			edges = append(edges, [2]int{u, v})
		}
	}
	problem := Problem{Pairs: edgesOf(16, edges), Own: 1, Pair: 10, Contributions: 50}
	whole := accountant(t, problem)
	for absent, want := range []float64{7.75, 8.02, 8.32, 8.66} {
		worst, _, err := whole.Worst(1+absent, 2)
		if err != nil {
			t.Fatal(err)
		}
		problem.Absent = absent
		a := accountant(t, problem)
		beside, claim, err := a.Beside([]int{3}, 2)
		if err != nil || math.Abs(beside[0]/worst[0]-1) > 1e-9 || !math.IsNaN(beside[3]) || (absent > 0) != (len(claim.Assumptions) > len(whole.Claim().Assumptions)) {
			t.Errorf("%d missing: %g towards one and those, any %d %g (%v)", absent, beside[0], 1+absent, worst[0], err)
		}
		found := ownNoise(t, a, 1)
		if math.Abs(found-want) > 0.03 {
			t.Errorf("%d missing: own noise %.3f, want %.2f", absent, found, want)
		}
	}
	for _, bad := range []int{-1, 16} {
		problem.Absent = bad
		if _, err := New(problem); err == nil {
			t.Errorf("%d missing are taken", bad)
		}
	}
	problem.Absent, problem.Energy, problem.Rounds = 1, 3, 50
	if _, err := New(problem); err == nil {
		t.Error("nodes that miss a round are taken beside noise in time")
	}
}

// ownNoise is the own noise at which any size others learn epsilon 1 at most.
func ownNoise(t *testing.T, a *Accountant, size int) float64 {
	found, _, err := a.Calibrate(size, 1, privacy.Metric{Delta: 1e-6}, 2)
	if err != nil {
		t.Fatal(err)
	}
	return found.Sigma
}

// A bound for all coalitions says that it is one, also for one node and in the claim of an observer who has a coalition beside it.
func TestBoundsForAllMissingNodesSaySo(t *testing.T) {
	var all [][2]int
	for u := range 40 {
		for v := range u {
			all = append(all, [2]int{v, u})
		}
	}
	for absent, want := range map[int]bool{0: false, 1: false, 9: true} {
		a := accountant(t, Problem{Pairs: edgesOf(40, all), Own: 1, Pair: 2, Contributions: 3, Absent: absent})
		_, towards, err := a.Towards(0, 1)
		if err != nil {
			t.Fatal(err)
		}
		_, beside, err := a.Beside([]int{1}, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, claim := range []privacy.Claim{towards, beside} {
			if strings.Contains(strings.Join(claim.Assumptions, "\n"), "too many coalitions") != want {
				t.Errorf("%d may miss a round: %q", absent, claim.Assumptions)
			}
		}
	}
}
