package sim

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/node/pairing"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// drawn is a node's own noise, simulated, and what it shares as real nodes do.
type drawn struct {
	noise.Source
	*pairing.Noise
}

func (d drawn) Add(dst []float64, std float64, node step.NodeID, t step.Turn, lane step.Lane) {
	d.Source.Add(dst, std, node, t, lane)
}
func (drawn) Simulated() bool { return true }

// agreeing is gossip with noise that cancels on a fixed graph.
func agreeing(t *rapid.T) *Gossip {
	g := randomGossip(t)
	p := g.Protocol
	p.Pairwise, p.Pairs, p.Asynchronous, p.Noise.Multiplier = 10, g.Weights.Matrix(0), false, 2
	if g.Weights.Active(0) != nil {
		t.Skip("nodes are away")
	}
	return g
}

// machine makes node v's machine with a key from bytes of its number and life.
func (g *Gossip) machine(v step.NodeID, life byte, watch func(v step.NodeID, t step.Turn, x []float64)) *gossip.Machine {
	shared, err := pairing.New(bytes.NewReader(bytes.Repeat([]byte{byte(8 * v), life}, 16)), [32]byte{1}, 0, v)
	if err != nil {
		panic(err)
	}
	kernel := gossip.NewKernel(g.Protocol, drawn{noise.NewSimulated(g.Seed), shared}, gossip.NewSeeded(g.Seed))
	m := gossip.NewMachine(g.Protocol, v, g.everybody(v), g.Holdings.Examples(v), kernel, g.Weights)
	m.Agree(shared)
	m.Watch = func(t step.Turn, x []float64) { watch(v, t, x) }
	return m
}

// Machines that agree on what they share first end with the same values, bit for bit, and release
// the same on a perfect network and on a rough one on which their processes die again and again.
func TestAgreedNoiseSurvivesNetworksAndProcesses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := agreeing(t)
		into := func(values []float64) func(v step.NodeID, turn step.Turn, x []float64) {
			return func(v step.NodeID, turn step.Turn, x []float64) {
				if turn == g.Protocol.Turns() {
					copy(values[int(v)*len(x):], x)
				}
			}
		}
		size := g.Protocol.Nodes * g.Protocol.Params
		want, got := make([]float64, size), make([]float64, size)
		var machines []step.Machine
		for v := range step.NodeID(g.Protocol.Nodes) {
			machines = append(machines, g.machine(v, 1, into(want)))
		}
		var made []step.Release
		if _, err := (Network{}).Run(context.Background(), machines, func(r step.Release) { made = append(made, r) }); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(made, byTurn)
		lives := map[step.NodeID]byte{}
		released := runReborn(t, g.Protocol.Nodes, rapid.IntRange(1, 9).Draw(t, "dies every"), g.Seed, func(v step.NodeID) step.Durable {
			lives[v]++
			return g.machine(v, lives[v], into(got))
		})
		if bits(got) != bits(want) || !slices.Equal(released, made) {
			t.Fatalf("ends with %v and %d releases, want %v and %d", got, len(released), want, len(made))
		}
	})
}

// Once a neighbour's key is agreed on, another one in its name changes nothing; neither does one
// from who shares no noise with a node, or of another turn, lane or epoch.
func TestForgedKeysChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := agreeing(t)
		watch := func(step.NodeID, step.Turn, []float64) {}
		m := g.machine(0, 1, watch)
		var out step.Out
		m.Start(&out)
		for _, u := range g.everybody(0) {
			var theirs step.Out
			g.machine(u, 1, watch).Start(&theirs)
			for _, msg := range theirs.Msgs {
				if msg.To == 0 && msg.Kind == gossip.Key {
					m.Step(msg, &out)
				}
			}
		}
		before := m.Snapshot(nil)
		for _, u := range g.everybody(0) {
			var forged step.Out
			g.machine(u, 2, watch).Start(&forged)
			for _, msg := range forged.Msgs {
				if msg.Kind != gossip.Key {
					continue
				}
				msg.To = 0
				switch rapid.IntRange(0, 3).Draw(t, "how") {
				case 1:
					msg.Turn++
				case 2:
					msg.Lane++
				case 3:
					msg.Epoch++
				}
				m.Step(msg, &out)
			}
		}
		if !slices.Equal(m.Snapshot(nil), before) {
			t.Fatal("a forged key changes a machine")
		}
	})
}
