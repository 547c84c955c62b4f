package sim

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/step"
)

// reborn is a machine whose process dies after every few inputs, six times: it is thrown
// away, made anew, restored from its last snapshot and resumed.
type reborn struct {
	t     *rapid.T
	fresh func() step.Durable
	now   step.Durable
	every int
	count int
	armed map[laneTurn]int // timers that the network holds
}

func (r *reborn) Start(out *step.Out)            { r.now.Start(out); r.live(out) }
func (r *reborn) Step(m step.Msg, out *step.Out) { r.now.Step(m, out); r.live(out) }
func (r *reborn) Tick(timer step.Timer, out *step.Out) {
	r.armed[laneTurn{timer.Lane, timer.Turn}]--
	r.now.Tick(timer, out)
	r.live(out)
}

// A laneTurn is what a timer is for.
type laneTurn struct {
	lane step.Lane
	turn step.Turn
}

const mostDeaths = 6

// live lets the process die now and then: once before what it was asked for was
// carried out, once after.
func (r *reborn) live(out *step.Out) {
	defer r.arm(out)
	r.count++
	if r.count%r.every != 0 || r.count > mostDeaths*r.every {
		return // what is sent again makes inputs, which would make deaths without end
	}
	state := r.now.Snapshot(nil)
	r.now = r.fresh()
	if err := r.now.Restore(state); err != nil {
		r.t.Fatalf("restore: %v", err)
	}
	if again := r.now.Snapshot(nil); !slices.Equal(state, again) {
		r.t.Fatalf("restored to another state:\n%x\n%x", state, again)
	}
	done := out.Done
	if r.count/r.every%2 == 0 { // died before anything was sent
		out.Msgs, out.Timers = out.Msgs[:0], out.Timers[:0]
	}
	r.now.Resume(out)
	out.Done = out.Done || done
}

// arm keeps one timer a turn: the network does not know that timers die with
// the process.
func (r *reborn) arm(out *step.Out) {
	out.Timers = slices.DeleteFunc(out.Timers, func(t step.Timer) bool {
		again := r.armed[laneTurn{t.Lane, t.Turn}] > 0
		if !again {
			r.armed[laneTurn{t.Lane, t.Turn}]++
		}
		return again
	})
}

// Machines that die again and again, before or after sending, end with the
// same values, bit for bit, and release the same.
func TestDurableMachinesSurviveTheirProcesses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		every := rapid.IntRange(1, 9).Draw(t, "dies every")
		if rapid.Bool().Draw(t, "gossip") {
			g := randomGossip(t)
			want, made := bulkGossipRun(rapidT(t), g)
			got := make([]float64, len(want))
			watch := func(v step.NodeID, turn step.Turn, x []float64) {
				if turn == g.Protocol.Turns() {
					copy(got[int(v)*len(x):], x)
				}
			}
			released := runReborn(t, g.Protocol.Nodes, every, g.Seed, func(v step.NodeID) step.Durable {
				return g.Machines(g.everybody, watch)[v].(step.Durable)
			})
			if bits(got) != bits(want) || !slices.Equal(released, made) {
				t.Fatalf("ends with %v and %d releases, want %v and %d", got, len(released), want, len(made))
			}
			return
		}
		w, graph := randomWalk(t)
		want, made := bulk(rapidT(t), w)
		slices.SortFunc(made, byTurn)
		var got []float64
		released := runReborn(t, w.Protocol.Nodes, every, w.Seed, func(v step.NodeID) step.Durable {
			return w.Machines(graph.neighbours, func(_ step.Release, token []float64) { got = slices.Clone(token) })[v].(step.Durable)
		})
		if bits(got) != bits(want) || !slices.Equal(released, made) {
			t.Fatalf("ends with %v and %d releases, want %v and %d", got, len(released), want, len(made))
		}
	})
}

// runReborn runs machines that die on a rough network and returns their
// releases in order.
func runReborn(t *rapid.T, n, every int, seed uint64, fresh func(step.NodeID) step.Durable) (released []step.Release) {
	machines := make([]step.Machine, n)
	for v := range machines {
		make := func() step.Durable { return fresh(step.NodeID(v)) }
		machines[v] = &reborn{t: t, fresh: make, now: make(), every: every, armed: map[laneTurn]int{}}
	}
	if _, err := rough(seed).Run(context.Background(), machines, func(r step.Release) { released = append(released, r) }); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(released, byTurn)
	return released
}

// stops is a network on which nodes die for good at given ticks.
func stops(seed uint64, dead map[step.NodeID]int64) Network {
	return Network{Seed: seed, Delay: 3, Loss: 0.1, MaxEvents: 2_000_000, Dead: func(v step.NodeID, tick int64) bool {
		at, dies := dead[v]
		return dies && tick >= at
	}}
}

// A token whose holder dies for good is succeeded, unless its predecessor, who
// has the only copy, dies as well; the first holder has none. Then everybody who lives hears of
// the end and holds the same model, no node contributes more often than its cap,
// and of each epoch no turn is taken twice.
func TestTokenSurvivesNodesThatDieForGood(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(4, 8).Draw(t, "nodes")
		w := everybodyWalks(t, n)
		w.Protocol.Handover = walk.Handover{Around: 500, Lease: 2000}
		w.Protocol.Announce, w.Protocol.Final = true, true
		dead := map[step.NodeID]int64{}
		if who := step.NodeID(rapid.IntRange(0, n-1).Draw(t, "who")); who != w.Protocol.Start {
			dead[who] = int64(rapid.IntRange(1, 3000).Draw(t, "when"))
		}
		all := w.Choose.(lazyWalk)
		machines := w.Machines(all.neighbours, nil)
		net := stops(w.Seed, dead)
		taken := map[epochTurn]bool{}
		_, err := net.Run(context.Background(), machines, func(r step.Release) {
			at := epochTurn{machines[r.From].(*walk.Machine).Epoch(), r.Turn}
			if taken[at] {
				t.Fatalf("turn %d is taken twice in epoch %d", r.Turn, at.epoch)
			}
			taken[at] = true
		})
		if err != nil {
			t.Fatal(err)
		}
		checkEnd(t, w, machines, dead)
	})
}

type epochTurn struct {
	epoch uint64
	turn  step.Turn
}

// checkEnd holds what must be true once nothing is under way any more.
func checkEnd(t *rapid.T, w *Walk, machines []step.Machine, dead map[step.NodeID]int64) {
	var model []float64
	for v, m := range machines {
		machine := m.(*walk.Machine)
		if machine.Contributions() > w.Protocol.Cap {
			t.Fatalf("node %d contributed %d times, its cap is %d", v, machine.Contributions(), w.Protocol.Cap)
		}
		if _, died := dead[step.NodeID(v)]; died {
			continue
		}
		got, ended := machine.Ended()
		if !ended {
			t.Fatalf("node %d has not heard of the end", v)
		}
		if model == nil {
			model = got
		}
		if bits(got) != bits(model) {
			t.Fatalf("node %d ends with %v, another with %v", v, got, model)
		}
	}
}

// everybodyWalks is a walk on the complete graph.
func everybodyWalks(t *rapid.T, n int) *Walk {
	w, _ := randomWalk(t)
	p := *w.Protocol
	p.Noise.Shares, p.Noise.Clips, p.Importance = nil, nil, nil // of other nodes
	all := make(lazyWalk, n)
	slab := &Slab{Features: 2, Offsets: []int{0}}
	for u := range n {
		for v := range n {
			if u != v {
				all[u] = append(all[u], step.NodeID(v))
			}
		}
		slab.X, slab.Y = append(slab.X, float64(u)/10, 0.5), append(slab.Y, 1)
		slab.Offsets = append(slab.Offsets, u+1)
	}
	p.Nodes, p.Cap, p.Start = n, 5, walk.StartAt(n, w.Seed, 0)
	return &Walk{Protocol: &p, Holdings: slab, Choose: all, Seed: w.Seed}
}
