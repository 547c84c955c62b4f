// Package admmfamily implements private consensus ADMM in rounds: with a curator (002 Algorithm 8.2), and federated, where one
// node sums (Algorithm 8.3).
package admmfamily

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/hearsay-dp/hearsay/algo/admm"
	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// An Algorithm is ADMM over the nodes of one run.
type Algorithm struct {
	family.Holdings
	Protocol *admm.Protocol
	keys     *Keys // the spec's keys with defaults filled in
	scales   []float64
	alike    []class
	turns    []int  // number of updates of each node
	found    *found // results cached by accountants of this protocol; they do not depend on the noise
}

// found caches results that are computed once.
type found struct{ seen *seen }

// Prepare implements family.Family.
func (Family) Prepare(ctx context.Context, h family.Holdings) (family.Algorithm, error) {
	server, err := serverOf(&h)
	if err != nil {
		return nil, err
	}
	h = h.WithSpec(func(s *spec.Spec) {
		k := *KeysOf(s)
		if k.Sampled == 0 {
			k.Sampled = s.Nodes
		}
		if server >= 0 {
			k.Server = spec.Start{Node: int(server)}
		}
		s.Algorithm.Own = &k
		if s.Algorithm.Contributions == 0 {
			s.Algorithm.Contributions = usualCap(s.Algorithm.Steps, k.Sampled, s.Nodes)
		}
		s.Algorithm.Contributions = min(s.Algorithm.Contributions, s.Algorithm.Steps)
	})
	a := &Algorithm{Holdings: h, keys: KeysOf(h.Spec), found: &found{}}
	if k := a.keys; float64(h.Spec.Algorithm.Steps)*float64(k.Sampled) > mostDraws && k.Sampled < h.Spec.Nodes {
		return nil, fault.New(fmt.Sprintf("algorithm.sampled: %d nodes in %d rounds are too many to list", k.Sampled, h.Spec.Algorithm.Steps), "draw fewer, or all")
	} else if k.Sampled > h.Spec.Nodes {
		return nil, fault.New(fmt.Sprintf("algorithm.sampled: %d of %d nodes cannot be drawn", k.Sampled, h.Spec.Nodes), "draw at most all, or leave it out")
	}
	l, err := h.Step()
	if err != nil {
		return nil, err
	}
	own, err := a.keys.step().Local(&h, l)
	if err != nil {
		return nil, err
	}
	a.keys.Gamma, a.keys.Tolerance = own.Gamma, own.Tolerance
	a.Protocol = &admm.Protocol{
		Local: own, Nodes: h.Spec.Nodes, Rounds: h.Spec.Algorithm.Steps, Server: server,
		Rota: admm.NewRota(h.Spec.Nodes, h.Spec.Algorithm.Steps, a.keys.Sampled, h.Spec.Algorithm.Contributions, h.Spec.Seed),
	}
	a.turns = a.schedule().Turns()
	a.alike = a.classes()
	a.scales, err = h.Scales(ctx, a.Local())
	return a, err
}

// mostDraws is the largest number of draws of nodes in all rounds together.
const mostDraws = 1e8

// usualCap returns the cap on a node's draws where the spec gives none. It is a fifth above the mean, so that few draws are
// lost, and at most the number of rounds.
func usualCap(rounds, sampled, nodes int) int {
	return min(rounds, int(math.Ceil(1.2*float64(rounds)*float64(sampled)/float64(nodes))))
}

// serverOf returns the node that sums, which exchanges messages with all others. It returns admm.Nobody for a curator.
func serverOf(h *family.Holdings) (step.NodeID, error) {
	if h.Spec.Algorithm.Kind == central {
		return admm.Nobody, nil
	}
	if h.Spec.Nodes < 2 {
		return 0, fault.New(fmt.Sprintf("nodes: %d", h.Spec.Nodes), "use at least 2: one of them sums")
	}
	server := KeysOf(h.Spec).Server
	if server.Name != "" {
		node, err := h.Find(server.Name)
		if err != nil {
			return 0, fault.Wrap(err, "algorithm.server", fault.Hint(err))
		}
		server.Node = node
	}
	if server.Node >= h.Spec.Nodes {
		return 0, fault.New(fmt.Sprintf("algorithm.server: there is no node %d among %d", server.Node, h.Spec.Nodes), "number nodes from 0, put a name that is a number in quotes")
	}
	if h.Graph == nil {
		return step.NodeID(server.Node), nil
	}
	for v := range h.Spec.Nodes {
		if v != server.Node && !(h.Graph.HasEdge(v, server.Node) && h.Graph.HasEdge(server.Node, v)) {
			return 0, fault.New(fmt.Sprintf("graph: there is no edge between %s and %s, who sums for all", h.Name(v), h.Name(server.Node)),
				fmt.Sprintf("leave graph and edges out, use graph: star:%d or complete:%d, or name another algorithm.server", h.Spec.Nodes, h.Spec.Nodes))
		}
	}
	return step.NodeID(server.Node), nil
}

// Of implements family.Algorithm.
func (a *Algorithm) Of() *family.Holdings { return &a.Holdings }

// Local implements family.Algorithm.
func (a *Algorithm) Local() *descent.Local { return &a.Protocol.Local.Local }

// Scales implements family.Algorithm.
func (a *Algorithm) Scales() []float64 { return a.scales }

// Contributions implements family.Algorithm.
func (a *Algorithm) Contributions() int { return slices.Max(a.turns) }

// Turns implements family.Algorithm.
func (a *Algorithm) Turns() int64 { return int64(a.Protocol.Turns()) }

// Draws implements family.Algorithm.
func (a *Algorithm) Draws() (draws float64) {
	for _, n := range a.turns {
		draws += float64(n)
	}
	return draws
}

// Bound implements family.Algorithm.
func (a *Algorithm) Bound() float64 { return a.Protocol.Bound() }

// Work implements family.Algorithm.
func (a *Algorithm) Work() float64 {
	const steps = 6 // of Newton's method
	return steps * a.Draws() * (float64(a.Train.Len())/float64(a.Protocol.Nodes) + 1) * float64(a.Protocol.Params)
}

// Schedule implements family.Algorithm.
func (a *Algorithm) Schedule() schedule.Schedule { return a.schedule() }

func (a *Algorithm) schedule() schedule.Consensus { return a.Protocol.Schedule() }

// copied returns the same algorithm under a changed spec and noise multiplier.
func (a *Algorithm) copied(multiplier float64, change func(*spec.Spec)) *Algorithm {
	other, protocol := *a, *a.Protocol
	protocol.Noise.Multiplier = multiplier
	other.Holdings, other.Protocol = a.WithSpec(change), &protocol
	return &other
}

// WithNoise implements family.Algorithm.
func (a *Algorithm) WithNoise(multiplier float64) (family.Algorithm, error) {
	return a.copied(multiplier, func(*spec.Spec) {}), nil
}

// WithPrivacy implements family.Algorithm.
func (a *Algorithm) WithPrivacy(p spec.Privacy) family.Algorithm {
	return a.copied(a.Protocol.Noise.Multiplier, func(s *spec.Spec) { s.Privacy = p })
}

// Trial implements family.Algorithm.
func (a *Algorithm) Trial(ctx context.Context, seed uint64, see family.Seen) ([]float64, error) {
	workers := 1
	if a.Spec.Trials < runtime.GOMAXPROCS(0) {
		workers = runtime.GOMAXPROCS(0)
	}
	run := &sim.Consensus{Protocol: a.Protocol, Holdings: a.Examples, Seed: seed, Scales: a.scales, Workers: workers}
	return run.Bulk(ctx, sim.ConsensusWatcher{Rounds: func(done int, z []float64) { see(done, z, 0) }})
}

// Machine implements family.Algorithm.
func (a *Algorithm) Machine(own family.Participant) family.Machine {
	p := a.Protocol
	m := admm.NewMachine(p, own.ID, own.Examples, p.ScaleOf(own.ID, own.Examples), admm.NewKernel(&p.Local, own.Noise))
	return family.Machine{Durable: m, Model: m.Model, Contributions: m.Contributions, Over: m.Over}
}

// Meets implements family.Meeter. All nodes exchange messages with the server, and with no other node.
func (a *Algorithm) Meets(u int) (all []int32) {
	server := int(a.Protocol.Server)
	if u != server {
		return []int32{int32(server)}
	}
	for v := range a.Protocol.Nodes {
		if v != server {
			all = append(all, int32(v))
		}
	}
	return all
}
