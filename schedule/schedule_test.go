package schedule_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// path draws a way of a token over so many nodes.
func path(t *rapid.T, nodes, turns int) schedule.Path {
	holders := rapid.SliceOfN(rapid.IntRange(0, nodes-1), turns+1, turns+1).Draw(t, "holders")
	return schedule.Path{Start: step.NodeID(holders[0]), Next: func(_ step.NodeID, t step.Turn, _ step.Lane) step.NodeID { return step.NodeID(holders[t+1]) }}
}

// No node contributes more often than the caps say, and Most bounds them all; what
// is no contribution has noise, or is passed on unchanged where the schedule says
// so; before the updates there is neither.
func TestWalkReleasesKeepTheCaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := schedule.Walk{
			Nodes: rapid.IntRange(1, 4).Draw(t, "nodes"), Turns: rapid.IntRange(1, 40).Draw(t, "turns"), BurnIn: rapid.IntRange(0, 4).Draw(t, "burn-in"),
			Cap: rapid.IntRange(0, 5).Draw(t, "cap"), EdgeCap: rapid.IntRange(0, 3).Draw(t, "edge cap"), Forward: rapid.Bool().Draw(t, "forward"),
			Sensitivity: 2, Noise: 3,
		}
		p := path(t, w.Nodes, w.BurnIn+w.Turns)
		used, over := map[step.NodeID]int{}, map[[2]step.NodeID]int{}
		from, turns := p.Start, 0
		for r := range w.Releases(p) {
			if r.Turn != step.Turn(turns) {
				t.Fatalf("turn %d, want %d", r.Turn, turns)
			}
			if r.Contributed {
				used[r.From]++
				over[[2]step.NodeID{from, r.From}]++
			}
			noisy := turns >= w.BurnIn && (r.Contributed || !w.Forward)
			if (r.NoiseStd == 3 && r.Sensitivity == 2) != noisy || !noisy && (r.NoiseStd != 0 || r.Contributed) {
				t.Fatalf("%+v", r)
			}
			from, turns = r.From, turns+1
		}
		if turns != w.BurnIn+w.Turns {
			t.Fatalf("%d turns", turns)
		}
		for v, k := range used {
			if k > w.Most() || w.Cap > 0 && k > w.Cap {
				t.Fatalf("node %d contributes %d times", v, k)
			}
		}
		for edge, k := range over {
			if w.EdgeCap > 0 && k > w.EdgeCap {
				t.Fatalf("%d contributions over %v", k, edge)
			}
		}
	})
}

// Contributions are what the releases of gossip say of each node, round by round,
// and with NoiseAlways every message that begins a round has fresh noise.
func TestGossipContributionsAreThoseOfItsReleases(t *testing.T) {
	w := &sparse.Matrix{N: 2, Offsets: []int{0, 2, 4}, Columns: []int32{0, 1, 0, 1}, Values: []float64{.5, .5, .5, .5}}
	rapid.Check(t, func(t *rapid.T) {
		g := schedule.Gossip{
			Nodes: 2, W: w, Rounds: rapid.IntRange(1, 8).Draw(t, "rounds"), TurnsPerRound: rapid.IntRange(1, 3).Draw(t, "turns"),
			Cap: rapid.IntRange(0, 4).Draw(t, "cap"), Every: rapid.IntRange(0, 3).Draw(t, "every"), NoiseAlways: rapid.Bool().Draw(t, "noise always"),
			Sensitivity: 2, Noise: 3,
		}
		got, sum := make([]float64, g.Rounds), 0
		for r := range g.Releases(nil) {
			round, first := int(r.Turn)/g.TurnsPerRound, int(r.Turn)%g.TurnsPerRound == 0
			if r.From == 1 && r.Contributed {
				got[round]++
				sum++
			}
			if fresh := first && (r.Contributed || g.NoiseAlways); (r.NoiseStd == 3) != fresh || r.Contributed && !first {
				t.Fatalf("%+v", r)
			}
		}
		if want := g.Contributions(1); !slices.Equal(got, want) || sum != g.Most() {
			t.Fatalf("releases say %v, contributions %v, at most %d", got, want, g.Most())
		}
	})
}

// No row is in more contributions than OfUnit says, whichever rounds its node misses, and some way through the run attains it.
func TestRowsThatTakeTurnsWhereNodesMissRounds(t *testing.T) {
	for _, g := range []schedule.Gossip{{Rounds: 7, Epoch: 3}, {Rounds: 7, Epoch: 3, Cap: 2, Absent: 1}, {Rounds: 6, Epoch: 2, Cap: 4, Asynchronous: true}, {Rounds: 5, Epoch: 9, Absent: 2}} {
		g.Records = true
		most := make([]int, g.Rounds+1) // by contributions so far
		for missed := range 1 << g.Rounds {
			used, rows := 0, make([]int, g.Epoch)
			for round := range g.Rounds {
				if g.Contributes(round, used) && (missed>>round&1 == 0 || g.Absent == 0 && !g.Asynchronous) {
					used++
					rows[round%g.Epoch]++
					most[used] = max(most[used], rows[round%g.Epoch])
				}
			}
		}
		for used := range g.Most() {
			if got := g.OfUnit(used + 1); got != most[used+1] {
				t.Errorf("%+v: a row is in %d of %d contributions, and OfUnit says %d", g, most[used+1], used+1, got)
			}
		}
		if g.MostOfUnit() != most[g.Most()] {
			t.Errorf("%+v: a row is in %d contributions, and MostOfUnit says %d", g, most[g.Most()], g.MostOfUnit())
		}
	}
}
