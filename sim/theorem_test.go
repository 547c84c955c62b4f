package sim

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// What the theorems of the sound accountants take for granted of a run, and no
// accountant can see in a schedule (docs/PAPERS.md has the list).

// A turn follows from the token that was sent, noise included, how often the node
// has contributed, and nothing else: not from a copy without noise, and not from
// anything remembered of earlier turns, but for the vector that a node keeps where the
// walk has nodes keep one. The first token is public.
func TestConditionATurnFollowsFromTheTokenThatWasSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, _ := randomWalk(t)
		w.Protocol.EdgeCap = 0 // counts by who handed over, which is public as well
		scales, keepers := w.nodes(), w.nodes()
		sent, used := w.Protocol.Begin(), make([]int32, w.Protocol.Nodes)
		_, err := w.Bulk(context.Background(), func(r step.Release, token []float64) {
			ex := w.Holdings.Examples(r.From)
			node := walk.Node{Contributions: used[r.From], Scale: scales[r.From].Scale}
			if w.Protocol.Keeps {
				node = keepers[r.From]
				node.Contributions = used[r.From]
			}
			w.hopper(w.Protocol, nil).Hop(sent, &ex, &node, &r)
			used[r.From] = node.Contributions
			if bits(sent) != bits(token) {
				t.Fatalf("turn %d of node %d makes %v, from what was sent it is %v", r.Turn, r.From, token, sent)
			}
			copy(sent, token)
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// The same of gossip without acceleration: the values of a turn follow from those
// that were sent a turn before, what momentum carries on from those and what the turn began from, and noise from that of
// the node's last rounds, where it has a memory.
func TestConditionARoundFollowsFromTheValuesThatWereSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGossip(t)
		if g.Protocol.Gamma != 1 {
			t.Skip("an accelerated turn remembers the value before")
		}
		p := g.Protocol
		d := p.Params
		sent, used, velocity, past := slices.Repeat(p.Begin(), p.Nodes), make([]int, p.Nodes), make([]float64, p.Nodes*p.Params), make([][]float64, p.Nodes)
		for v := range past {
			past[v] = p.Past()
		}
		_, err := g.Bulk(context.Background(), GossipWatcher{Values: func(turn step.Turn, x []float64) {
			if turn == p.Turns() {
				return
			}
			p.EachBeginner(g.Weights, turn, func(v step.NodeID) {
				ex := g.Holdings.Examples(v)
				node := gossip.Node{Contributions: used[v], Scale: p.ScaleOf(v, ex), Past: past[v]}
				own := sent[int(v)*d : (int(v)+1)*d]
				from, carried := slices.Clone(own), velocity[int(v)*d:(int(v)+1)*d]
				if p.Momentum > 0 {
					node.Velocity = slices.Clone(carried)
				}
				k := g.kernel()
				k.Round(g.Weights, turn)
				k.Begin(own, ex, &node, v, turn)
				used[v] = node.Contributions
				if round := int(turn) / p.TurnsPerRound; p.Momentum > 0 && int(turn)%p.TurnsPerRound == 0 {
					for j := range carried {
						seen := (from[j] - x[int(v)*d+j]) / p.StepSize.At(round)
						if math.Abs(seen-node.Velocity[j]) > 1e-9*(1+math.Abs(seen)) {
							t.Fatalf("turn %d of node %d carries on %v, and from what it began and sent %g is known", turn, v, node.Velocity, seen)
						}
					}
					copy(carried, node.Velocity)
				}
			})
			if bits(sent) != bits(x) {
				t.Fatalf("turn %d sends %v, from what was sent before it is %v", turn, x, sent)
			}
			next := make([]float64, len(x))
			for v := range step.NodeID(p.Nodes) {
				nodes, weights := g.Weights.Row(v, turn)
				own := x[int(v)*d : (int(v)+1)*d]
				copy(next[int(v)*d:], own)
				if active := g.Weights.Active(turn); active != nil && !slices.Contains(active, v) {
					continue
				}
				g.kernel().Average(next[int(v)*d:(int(v)+1)*d], own, nodes, weights, func(u step.NodeID) []float64 {
					return x[int(u)*d : (int(u)+1)*d]
				}, turn)
			}
			copy(sent, next)
		}})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// The path of a token, and who contributes when, is the same whatever the nodes'
// examples say.
func TestConditionPathDoesNotDependOnData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, _ := randomWalk(t)
		_, releases := bulk(rapidT(t), w)
		slab := *w.Holdings.(*Slab)
		slab.X, slab.Y, slab.Norms = slices.Clone(slab.X), slices.Clone(slab.Y), nil
		for i := range slab.X {
			slab.X[i] = math.Sin(7 * float64(i))
		}
		for i := range slab.Y {
			slab.Y[i] = -slab.Y[i]
		}
		other := *w
		other.Holdings = &slab
		if _, again := bulk(rapidT(t), &other); !slices.Equal(releases, again) {
			t.Fatalf("released\n%v\nof other data\n%v", releases, again)
		}
	})
}

// counted counts the draws of every key.
type counted struct {
	noise.Source
	draws map[[2]int64]int
}

func (c counted) Add(dst []float64, std float64, node step.NodeID, t step.Turn, lane step.Lane) {
	if std > 0 {
		c.draws[[2]int64{int64(node), int64(t)}]++
	}
	c.Source.Add(dst, std, node, t, lane)
}

// AddShared counts what a node draws with a neighbour under both their numbers.
func (c counted) AddShared(dst []float64, std float64, node, peer step.NodeID, t step.Turn, lane step.Lane) {
	if std > 0 {
		c.draws[[2]int64{int64(node+1)<<32 | int64(peer), int64(t)}]++
	}
	c.Source.(noise.Shared).AddShared(dst, std, node, peer, t, lane)
}

func (c counted) once(t *rapid.T) {
	for key, draws := range c.draws {
		if draws != 1 {
			t.Fatalf("node %d drew the noise of turn %d %d times", key[0], key[1], draws)
		}
	}
}

// A key of the noise serves one release: on a network that loses, repeats and
// reorders what is sent, no node draws the same noise twice.
func TestConditionAKeyOfTheNoiseServesOneRelease(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, graph := randomWalk(t)
		source := counted{noise.NewSimulated(w.Seed), map[[2]int64]int{}}
		var machines []step.Machine
		for id := range step.NodeID(w.Protocol.Nodes) {
			hopper := walk.NewHopper(w.Protocol, source, walk.NewSeeded(w.Choose, w.Seed))
			machines = append(machines, walk.NewMachine(w.Protocol, id, graph.neighbours(id), w.Holdings.Examples(id), hopper))
		}
		if _, err := rough(w.Seed).Run(context.Background(), machines, func(step.Release) {}); err != nil {
			t.Fatal(err)
		}
		source.once(t)

		g := randomGossip(t)
		source = counted{noise.NewSimulated(g.Seed), map[[2]int64]int{}}
		machines = nil
		for id := range step.NodeID(g.Protocol.Nodes) {
			kernel := gossip.NewKernel(g.Protocol, source, gossip.NewSeeded(g.Seed))
			machines = append(machines, gossip.NewMachine(g.Protocol, id, g.everybody(id), g.Holdings.Examples(id), kernel, g.Weights))
		}
		if _, err := rough(g.Seed).Run(context.Background(), machines, func(step.Release) {}); err != nil {
			t.Fatal(err)
		}
		source.once(t)
	})
}

// Every message that somebody is sent has noise that no other turn's has, whoever
// holds no rows, has made its last contribution or was away: with one turn a round,
// or noise each turn.
func TestConditionEveryMessageHasFreshNoise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGossip(t)
		p := g.Protocol
		p.Noise.Multiplier = 1.5
		if p.TurnsPerRound > 1 {
			p.Memory = nil
			p.NoiseEachTurn = true
		}
		source := counted{noise.NewSimulated(g.Seed), map[[2]int64]int{}}
		var machines []step.Machine
		for id := range step.NodeID(p.Nodes) {
			kernel := gossip.NewKernel(p, source, gossip.NewSeeded(g.Seed))
			machines = append(machines, gossip.NewMachine(p, id, g.everybody(id), g.Holdings.Examples(id), kernel, g.Weights))
		}
		_, err := Network{}.Run(context.Background(), machines, func(r step.Release) {
			if !(r.NoiseStd >= p.Noise.Std()) || source.draws[[2]int64{int64(r.From), int64(r.Turn)}] != 1 {
				t.Fatalf("%+v after %d draws", r, source.draws[[2]int64{int64(r.From), int64(r.Turn)}])
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// What a protocol's schedule says of its updates is what the model guarantees:
// nothing is asserted, and a step above 2/smoothness, or a penalty that pushes
// models apart, is not hidden.
func TestConditionUpdatesAreTheModels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, _ := randomWalk(t)
		p := w.Protocol
		p.StepSize.Base = rapid.Float64Range(0.1, 10).Draw(t, "step")
		p.MaxScale = rapid.Float64Range(1, 10).Draw(t, "largest scale")
		g := p.Objective.Guarantees(math.Sqrt2)
		u := p.Schedule(nil, g).Update
		scale := 1.0
		if p.Fill {
			scale = p.MaxScale
		}
		far := p.StepSize.Base*(scale*g.LossSmoothness()+p.Objective.L2) > 2*(1+1e-12)
		safe := g.ClipSafe() || g.Lipschitz() <= p.Noise.LeastClip()
		switch {
		case p.Proximal: // proximal points come no further apart at any step
			far, safe = false, g.ClipSafe()
		case p.Importance != nil && p.StepSize.Power > 0: // nothing limits the factors where no law counts on small steps
			scale = max(1, slices.Max(p.Importance))
			far = p.StepSize.Base*(scale*g.LossSmoothness()+p.Objective.L2) > 2*(1+1e-12)
		case p.Importance != nil: // each node's loss is scaled down to what the step allows
			far, safe = p.StepSize.Base*p.Objective.L2 >= 2, g.ClipSafe()
		}
		expansive := far || !g.Convex() || !safe
		if u.IsAsserted() != "" || (u.Expansive() != "") != expansive || u.Sensitivity() != 2*p.Noise.Clip {
			t.Fatalf("%+v of %+v: expansive %q, sensitivity %g", u, p.Local, u.Expansive(), u.Sensitivity())
		}
	})
}

// A node that falls silent changes no weights but holds its neighbours up: nobody who
// averages with it gets past the turn, and once it is heard all end where they would
// have. Who is away by dropout was drawn before, from the public seed.
func TestConditionASilentNodeChangesNoWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGossip(t)
		want, _ := bulkGossipRun(rapidT(t), g)
		silent := step.NodeID(rapid.IntRange(0, g.Protocol.Nodes-1).Draw(t, "silent"))
		from := step.Turn(rapid.Int64Range(0, int64(g.Protocol.Turns())-1).Draw(t, "from turn"))
		machines := g.Machines(g.everybody, nil)
		var held []step.Msg
		mute := true
		carry(machines, nil, func(m step.Msg) bool {
			if mute && m.Kind == gossip.Value && m.From == silent && m.Turn >= from {
				held = append(held, m)
				return false
			}
			return true
		})
		for v, m := range machines {
			for turn := from; turn < m.(*gossip.Machine).Turn(); turn++ {
				nodes, _ := g.Weights.Row(step.NodeID(v), turn)
				active := g.Weights.Active(turn)
				if step.NodeID(v) != silent && slices.Contains(nodes, int32(silent)) && (active == nil || slices.Contains(active, step.NodeID(v))) {
					t.Fatalf("node %d went on from turn %d without node %d", v, turn, silent)
				}
			}
		}
		mute = false
		carry(machines, append([]step.Msg{}, held...), func(step.Msg) bool { return true })
		var got []float64
		for _, m := range machines {
			got = append(got, m.(*gossip.Machine).Model()...)
		}
		if bits(got) != bits(want) {
			t.Fatalf("after silence all end with %v, else with %v", got, want)
		}
	})
}

// carry starts machines, or hands them messages if there are some, and delivers what
// they send for as long as there is anything that passes.
func carry(machines []step.Machine, queue []step.Msg, passes func(step.Msg) bool) {
	var out step.Out
	if queue == nil {
		for _, m := range machines {
			m.Start(&out)
		}
		queue = slices.Clone(out.Msgs)
	}
	for len(queue) > 0 {
		msg := queue[0]
		queue = queue[1:]
		if !passes(msg) {
			continue
		}
		out = step.Out{}
		machines[msg.To].Step(msg, &out)
		queue = append(queue, out.Msgs...)
	}
}
