package sums

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/schedule"
)

// randomRing draws a small ring of any kind.
func randomRing(t *rapid.T) Ring {
	return Ring{
		Nodes: rapid.IntRange(3, 9).Draw(t, "nodes"), Rounds: rapid.IntRange(1, 12).Draw(t, "rounds"),
		Spread: rapid.Bool().Draw(t, "spread"), Final: rapid.Bool().Draw(t, "final"), Sealed: rapid.Bool().Draw(t, "sealed"),
	}
}

func near(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-9*math.Abs(b) }

// The closed forms equal following the token turn by turn, and the noise of the
// accountant is that of the schedule that runs.
func TestRingEnergiesInClosedForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := randomRing(t)
		all, worst := make([]float64, r.Nodes), 0.0
		for v := range r.Nodes {
			if err := r.Energies(all, v); err != nil {
				t.Fatal(err)
			}
			for u, want := range all {
				if got := r.Energy(u, v); u != v && !near(got, want) {
					t.Fatalf("%+v: %d learns %g about %d, step by step %g", r, v, got, u, want)
				}
				worst = max(worst, want)
			}
		}
		if got, _ := r.Worst(); !near(got, worst) {
			t.Fatalf("%+v: worst %g, of all pairs %g", r, got, worst)
		}
		u := rapid.IntRange(0, r.Nodes-1).Draw(t, "about")
		beside := []int{(u + r.Nodes - 1) % r.Nodes, (u + 1) % r.Nodes}
		r.Final = true // the part after the last turn of u is then seen too
		if err := r.Energies(all, beside...); err != nil {
			t.Fatal(err)
		}
		if alone := r.Alone(u); !near(alone, all[u]) {
			t.Fatalf("%+v: all of %d alone is %g, those beside it see %g", r, u, alone, all[u])
		}
		s := schedule.Ring{Nodes: r.Nodes, Rounds: r.Rounds, Spread: r.Spread, Final: r.Final, Sealed: r.Sealed}
		total := 0.0
		for turn := range r.Nodes * r.Rounds {
			share := s.Share(turn)
			total += share * share
			if !near(share*share, r.variance(turn)) {
				t.Fatalf("%+v: turn %d adds %g, the accountant counts %g", r, turn, share*share, r.variance(turn))
			}
		}
		if !near(total, r.NoiseVariance()) || RingOf(s) != r {
			t.Fatalf("%+v: noise of variance %g, NoiseVariance %g", r, total, r.NoiseVariance())
		}
	})
}

// The losses of pairs on a ring's histogram are never above that of the worst one, which
// is one of them, and fall as answers become more random.
func TestRingHistogramPairs(t *testing.T) {
	for _, of := range [][2]bool{{false, false}, {true, false}, {true, true}} {
		final, sealed := of[0], of[1]
		h := RingHistogram{Nodes: 60, Rounds: 3, Response: RandomResponse{4, 0.5}, Final: final, Sealed: sealed}
		worst, err := h.Sound(1e-6)
		if err != nil {
			t.Fatal(err)
		}
		pairs, err := h.Pairs(1e-6)
		if err != nil {
			t.Fatal(err)
		}
		h.Response.Gamma = 0.6
		fewer, err := h.Pairs(1e-6)
		if err != nil {
			t.Fatal(err)
		}
		most := 0.0
		for u := range h.Nodes {
			for v := range h.Nodes {
				if u != v {
					most = max(most, pairs.At(u, v))
				}
				if u != v && fewer.At(u, v) > pairs.At(u, v) {
					t.Fatalf("%d towards %d: more random answers lose %g, fewer %g", u, v, fewer.At(u, v), pairs.At(u, v))
				}
			}
		}
		// Sound charges the start to all; numbers of answers are rounded down here.
		if most > worst.Epsilon*1.05 || most < worst.Epsilon*0.9 {
			t.Errorf("final %v: pairs up to %g, worst %g", final, most, worst.Epsilon)
		}
	}
}
