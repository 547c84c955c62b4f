package sim

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// transcript is all that a watcher of g sees, to the bit, with the values at the end.
func transcript(t testing.TB, g *Gossip) string {
	var seen strings.Builder
	note := func(what string, at any, x []float64) { fmt.Fprintln(&seen, what, at, bits(x)) }
	last, err := g.Bulk(context.Background(), GossipWatcher{
		Released: func(r step.Release) { fmt.Fprintln(&seen, r) },
		Values:   func(t step.Turn, x []float64) { note("values", t, x) },
		Rounds:   func(done int, x []float64) { note("round", done, x) },
		Means:    func(means []float64) { note("means", "", means) },
	})
	if err != nil {
		t.Fatal(err)
	}
	note("last", "", last)
	return seen.String()
}

// Where nodes stand in memory is nobody's business.
func TestContractGossipPlacesAreNotSeen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGossip(t)
		w := gossip.Constant(g.Weights)
		if w == nil {
			return
		}
		g.layout = nil
		want := transcript(rapidT(t), g)
		g.layout, g.Workers = sparse.NewLayout(w), rapid.IntRange(1, 3).Draw(t, "workers")
		if got := transcript(rapidT(t), g); got != want {
			t.Fatalf("by places\n%s\nby names\n%s", got, want)
		}
	})
}

// A large torus whose nodes are numbered at random is averaged at other places, to the bits of a run that takes them
// as they are; one that is numbered row by row, weights that change, and few turns are left alone.
func TestAveragingALargeGraphFindsPlaces(t *testing.T) {
	const params, side = 8, 26
	torus, err := gen.Parse(fmt.Sprintf("torus:%dx%dx%d", side, side, side), 1)
	if err != nil {
		t.Fatal(err)
	}
	n := torus.Len()
	name := rand.New(rand.NewPCG(1, 2)).Perm(n)
	var edges [][2]int
	for u := range n {
		for _, v := range torus.Neighbours(u) {
			edges = append(edges, [2]int{name[u], name[v]})
		}
	}
	shuffled, err := graph.FromEdges("shuffled", n, edges)
	if err != nil {
		t.Fatal(err)
	}
	run := func(g *graph.Graph, turns int) *Gossip {
		w, err := graph.NewTransition(g, "")
		if err != nil {
			t.Fatal(err)
		}
		return &Gossip{
			Protocol: &gossip.Protocol{Local: averaging(params), Nodes: n, Rounds: 1, TurnsPerRound: turns, Gamma: 1.5},
			Holdings: values(n, params), Weights: graph.Fixed(w.Sparse()), Seed: 1,
		}
	}
	changing := run(shuffled, 60)
	changing.Weights = graph.Dropout(changing.Weights.(graph.Sequence), 0.1, 1)
	for what, g := range map[string]*Gossip{"in order": run(torus, 60), "few turns": run(shuffled, 3), "changing": changing} {
		if g.betterLayout() != nil {
			t.Errorf("a graph gets places: %s", what)
		}
	}
	g := run(shuffled, 60)
	if g.betterLayout() == nil {
		t.Fatal("a large graph with names at random is taken as it is")
	}
	as := *g
	as.Weights = asTheyAre{g.Weights}
	placed, err := g.Bulk(context.Background(), GossipWatcher{})
	if err != nil {
		t.Fatal(err)
	}
	if want, err := as.Bulk(context.Background(), GossipWatcher{}); err != nil || bits(placed) != bits(want) {
		t.Fatalf("places change the values (%v)", err)
	}
}

// asTheyAre hides that weights are constant.
type asTheyAre struct{ gossip.Weights }
