//go:build unix

package trainer

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// A federation of five learns by gossip what a program computes, ten rows each.
func federation(t *testing.T, p *Trainer, batch int) *sim.Gossip {
	t.Helper()
	g, err := gen.Parse("ring:5", 1)
	if err != nil {
		t.Fatal(err)
	}
	w, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		t.Fatal(err)
	}
	slab := &sim.Slab{Features: 1, Offsets: []int{0}}
	for v := range 5 {
		for i := range 10 {
			slab.X, slab.Y = append(slab.X, float64(10*v+i)), append(slab.Y, 0)
		}
		slab.Offsets = append(slab.Offsets, len(slab.Y))
	}
	return &sim.Gossip{
		Holdings: slab, Seed: 4, Weights: graph.Fixed(w.Sparse()),
		Protocol: &gossip.Protocol{
			Local: descent.Local{Params: fakeParameters, Objective: model.Objective{Model: model.External{Parameters: fakeParameters, Program: p}},
				StepSize: descent.StepSize{Base: 0.5}, Noise: noise.Gaussian{Clip: 1, Multiplier: 0.3}, Batch: batch},
			Nodes: 5, Rounds: 6, TurnsPerRound: 2, Gamma: 1, KeepMean: true,
		},
	}
}

// machines are those of a simulation's nodes.
func machines(run *sim.Gossip) (all []step.Machine, own []*gossip.Machine) {
	for v := range 5 {
		id := step.NodeID(v)
		neighbours := []step.NodeID{(id + 1) % 5, (id + 4) % 5}
		slices.Sort(neighbours)
		kernel := gossip.NewKernel(run.Protocol, noise.NewSimulated(run.Seed), gossip.NewSeeded(run.Seed))
		m := gossip.NewMachine(run.Protocol, id, neighbours, run.Holdings.Examples(id), kernel, run.Weights)
		all, own = append(all, m), append(own, m)
	}
	return all, own
}

// Machines that ask, and are answered late, come to the bits of the simulation, which asks at once; so they do when the program dies in
// the middle, and when a machine is restored while it waits.
func TestMachinesThatAskDoWhatTheSimulationDoes(t *testing.T) {
	for _, batch := range []int{0, 4} {
		for _, mode := range []string{"ok", "dies"} {
			t.Setenv("FAKE_ONCE", "")
			if mode == "dies" {
				t.Setenv("FAKE_ONCE", filepath.Join(t.TempDir(), "once"))
			}
			p := open(t, mode, Options{})
			run := federation(t, p, batch)
			want, err := run.Bulk(context.Background(), sim.GossipWatcher{})
			if err != nil || p.Err() != nil {
				t.Fatal(err, p.Err())
			}
			all, own := machines(run)
			rng, restored := rand.New(rand.NewPCG(1, 2)), 0
			network := sim.Network{Seed: 5, Delay: 40, Duplicate: 0.2, Answer: func(v step.NodeID, asked *step.Ask) ([]float64, error) {
				if rng.IntN(3) == 0 {
					restored++
					again(t, run, v, own[v], asked)
				}
				return run.Protocol.Answer(v, asked)
			}}
			if _, err := network.Run(context.Background(), all, func(step.Release) {}); err != nil {
				t.Fatal(err)
			}
			for v, m := range own {
				if got := m.Model(); !slices.Equal(got, want[v*fakeParameters:(v+1)*fakeParameters]) {
					t.Errorf("batch %d, %s: node %d ends with %v, in bulk %v", batch, mode, v, got, want[v*fakeParameters:(v+1)*fakeParameters])
				}
			}
			if restored == 0 {
				t.Error("no machine was restored")
			}
		}
	}
}

// again restores a machine that waits from its snapshot, which asks the same, and drops answers to what it does not ask.
func again(t *testing.T, run *sim.Gossip, v step.NodeID, m *gossip.Machine, asked *step.Ask) {
	t.Helper()
	_, twins := machines(run)
	twin := twins[v]
	state := m.Snapshot(nil)
	if err := twin.Restore(state); err != nil {
		t.Fatal(err)
	}
	var out step.Out
	twin.Resume(&out)
	if len(out.Asks) != 1 || out.Asks[0].Turn != asked.Turn || !slices.Equal(out.Asks[0].Rows, asked.Rows) || !slices.Equal(out.Asks[0].Theta, asked.Theta) {
		t.Fatalf("it asks %+v instead of %+v", out.Asks, asked)
	}
	out.Reset()
	twin.Answer(asked.Turn+1, 0, make([]float64, fakeParameters), &out)
	twin.Answer(asked.Turn, 1, make([]float64, fakeParameters), &out)
	twin.Answer(asked.Turn, 0, make([]float64, 1), &out)
	if len(out.Releases)+len(out.Msgs)+len(out.Asks) != 0 {
		t.Fatalf("it took an answer to another question: %+v", out)
	}
	twin.Answer(asked.Turn, 0, make([]float64, fakeParameters), &out)
	if len(out.Releases) == 0 {
		t.Fatal("it did not take the answer")
	}
	released := len(out.Releases)
	twin.Answer(asked.Turn, 0, make([]float64, fakeParameters), &out)
	if len(out.Releases) != released {
		t.Fatal("it took the answer twice")
	}
}
