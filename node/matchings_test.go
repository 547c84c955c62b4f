package node

import (
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// changingOf is gossip whose participants derive from a public seed whom they talk to
// in a turn; anybody may meet.
func changingOf(t testing.TB, n, rounds int, weights func() graph.Sequence) *federation {
	t.Helper()
	everybody := func(v step.NodeID) (others []step.NodeID) {
		for u := range step.NodeID(n) {
			if u != v {
				others = append(others, u)
			}
		}
		return others
	}
	p := &gossip.Protocol{Local: local(3), Nodes: n, Rounds: rounds, TurnsPerRound: 1, Gamma: 1, Cap: rounds / 2}
	g := func() *sim.Gossip {
		return &sim.Gossip{Protocol: p, Holdings: slab(n, 2), Weights: weights(), Seed: 7}
	}
	f := &federation{n: n, params: p.Params, turns: p.Turns(), neighbours: everybody}
	f.machine = func(v step.NodeID) step.Durable { return g().Machines(everybody, nil)[v].(step.Durable) }
	f.want = make([][]float64, n)
	f.simulate(t, g().Machines(everybody, func(v step.NodeID, at step.Turn, x []float64) {
		if at == p.Turns() {
			f.want[v] = slices.Clone(x)
		}
	}))
	return f
}

// Real participants who derive their partners of each turn, of random matchings and of
// random regular graphs drawn anew, end with the simulator's models bit for bit, and
// release what it releases: on a rough network, and where each is killed three times,
// waited for by those who have to meet it, and goes on from its ledger.
func TestDerivedPartnersAgreeWithTheSimulator(t *testing.T) {
	for name, weights := range map[string]func() graph.Sequence{
		"matchings": func() graph.Sequence { return graph.NewMatchings(5, 9) },
		"regular": func() graph.Sequence {
			redrawn, err := gen.Redrawn("regular:n=6,d=2", "hamilton", 1, 9)
			if err != nil {
				t.Fatal(err)
			}
			return redrawn
		},
	} {
		f := changingOf(t, weights().Len(), 10, weights)
		for what, k := range map[string]*killer{"rough": nil, "killed": {place: FailAfterCommit, every: 3, lives: 3, kills: map[step.NodeID]int{}}} {
			t.Run(name+"/"+what, func(t *testing.T) {
				ignore := goleak.IgnoreCurrent()
				network := rough
				if k != nil {
					network = transport.Faults{}
				}
				w := newWorld(t, f, network)
				if k != nil {
					w.edit = k.edit
				}
				w.run()
				w.check()
				if k != nil {
					w.checkKills(k)
				}
				goleak.VerifyNone(t, ignore)
			})
		}
	}
}
