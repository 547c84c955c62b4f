package walkpath

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// simpleCoalitionLaw enumerates paths: a member's turn is a receipt, whoever it is.
func simpleCoalitionLaw(w Walk, u int, members []int) *Law {
	return enumerated(w, func(path []int) float64 {
		seen := slices.Clone(path)
		for i, x := range seen {
			if slices.Contains(members, x) {
				seen[i] = members[0]
			}
		}
		return pathEnergy(w, seen, u, members[0])
	})
}

// A coalition is charged what all paths say, exactly on short runs and from
// above by renewal; never less than any of its members, and one member as alone.
func TestCoalitionLawBoundsEveryEnumeratedWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, u, v := drawWalk(t)
		w.Final = rapid.Bool().Draw(t, "final")
		members := []int{v}
		for x := range w.Nodes {
			if x != u && x != v && rapid.Bool().Draw(t, "member") {
				members = append(members, x)
			}
		}
		truth := simpleCoalitionLaw(w, u, members)
		law, err := w.CoalitionLaw(u, members)
		if err != nil {
			t.Fatal(err)
		}
		lawsAt(t, "coalition", w, u, v, law, truth, 1e-9)
		lawsAt(t, "truth", w, u, v, truth, law, 1e-9)
		c := w.coalitionChain(u, members)
		lawsAt(t, "renewal", w, u, v, w.boundedLaw(u, v, w.renewalOver(c)), truth, 1e-9)
		own, err := w.Law(u, v)
		if err != nil {
			t.Fatal(err)
		}
		lawsAt(t, "member", w, u, v, law, own, 1e-9)
	})
}

// Long runs: the bound is above simulated paths, far below the local loss for
// members far away, and more for neighbours. The mean energy of 400 paths exceeds
// its expectation by five standard errors with probability 3e-7.
func TestCoalitionOfALongRun(t *testing.T) {
	w, transition := walkOn(t, "hypercube:6")
	w.Turns, w.Cap = 2000, 40
	loss := make(map[string]float64)
	for name, members := range map[string][]int{"far": {62, 63}, "neighbours": {1, 2}} {
		law, err := w.CoalitionLaw(0, members)
		if err != nil {
			t.Fatal(err)
		}
		loss[name] = law.Epsilon(1e-4, 5)
		merged := func(at, _ int, r *rand.Rand) int { return transition.Next(at, r) }
		sample := samplePair(t, Simulation{Walk: w, Next: merged, Paths: 400, Seed: 5}, 0, members[0])
		if sample.Mean() > law.Mean() {
			t.Errorf("%s: mean energy %v towards one, %v towards both", name, sample.Mean(), law.Mean())
		}
	}
	if local := localLaw(40, "").Epsilon(1e-4, 5); !(loss["far"] < loss["neighbours"] && loss["neighbours"] < local) {
		t.Errorf("losses %v, local %v", loss, local)
	}
}

func TestCoalitionsThatAreNone(t *testing.T) {
	w, _ := walkOn(t, "ring:5")
	w.Turns = 9
	for _, members := range [][]int{{}, {0}, {1, 1}, {1, 5}, {1, 0}, {-1}} {
		if _, err := w.CoalitionLaw(0, members); err == nil {
			t.Errorf("%v is taken", members)
		}
	}
}
