package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/attack"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// simulated is one run of averaging, and what the attackers saw of it.
type simulated struct {
	values   [][]float64 // one row a node, in the ball of radius 1
	messages []attack.Message
}

// sensitivity is how far two values in the ball of radius 1 can be apart.
const sensitivity = 2

// noiseStd is the standard deviation of the best estimate at a leakage.
func noiseStd(sigma, leakage float64) float64 {
	return sigma * sensitivity / math.Sqrt(leakage)
}

// simulateGossip draws values and averages them, as in a simulation of kind
// gossip: from 0, one step of the mean model lands on the noisy value.
func (f *attackFlags) simulateGossip(a *attackAnswer, on *averaging) (*simulated, error) {
	if f.sigma != 0 {
		if err := privacy.CheckSigma(f.sigma); err != nil {
			return nil, err
		}
	}
	if err := f.checkRoom(a, on); err != nil {
		return nil, err
	}
	s := &simulated{values: drawValues(a.N, f.dim, f.simulate)}
	holdings := &sim.Slab{Features: f.dim, X: slices.Concat(s.values...), Y: make([]float64, a.N), Offsets: make([]int, 1, a.N+1)}
	for v := range a.N {
		holdings.Offsets = append(holdings.Offsets, v+1)
	}
	run := sim.Gossip{
		Protocol: &gossip.Protocol{
			Local: descent.Local{
				Params: f.dim, Objective: model.Objective{Model: model.Mean{}}, StepSize: descent.StepSize{Base: 0.5},
				Noise: noise.Gaussian{Clip: sensitivity, Multiplier: f.sigma},
			},
			Nodes: a.N, Rounds: 1, TurnsPerRound: max(1, f.steps), Gamma: f.gamma,
		},
		Holdings: holdings, Weights: turnWeights{on}, Seed: f.simulate, Workers: workers(),
	}
	_, err := run.Bulk(context.Background(), sim.GossipWatcher{Values: func(t step.Turn, x []float64) {
		if t < run.Protocol.Turns() {
			s.listen(a.attack, on.at(int(t)), int(t), f, x)
		}
	}})
	return s, err
}

// mostSimulated is how many numbers a simulation may hold: 2 GB.
const mostSimulated = 1 << 28

// checkRoom refuses values and messages that would not fit into memory: those of all
// nodes four times over, and a value for each message that attackers receive.
func (f *attackFlags) checkRoom(a *attackAnswer, on *averaging) error {
	vectors := 4*float64(a.N) + float64(len(a.attack.Attackers))
	for t := range f.steps {
		for _, v := range a.attack.Attackers {
			columns, _ := on.at(t).Row(v)
			vectors += float64(len(columns))
		}
		if vectors*float64(f.dim) > mostSimulated {
			break
		}
	}
	if vectors*float64(f.dim) <= mostSimulated {
		return nil
	}
	return fault.New(fmt.Sprintf("--dim %d: what nodes hold and attackers receive would be more than %d numbers, 2 GB", f.dim, mostSimulated),
		"give fewer numbers a node, fewer steps or fewer attackers")
}

// listen keeps what the attackers receive in a turn; in the first, their own
// values too.
func (s *simulated) listen(g *attack.Gossip, w *sparse.Matrix, t int, f *attackFlags, x []float64) {
	keep := func(from, to int) {
		s.messages = append(s.messages, attack.Message{Turn: t, From: from, To: to, Values: slices.Clone(x[from*f.dim : (from+1)*f.dim])})
	}
	for _, v := range g.Attackers {
		if t == 0 {
			keep(v, v)
		}
		columns, _ := w.Row(v)
		for _, u := range columns {
			if int(u) != v && f.steps > 0 {
				keep(int(u), v)
			}
		}
	}
}

// drawValues gives every node a point of the ball of radius 1, each coordinate
// uniform.
func drawValues(n, dim int, seed uint64) [][]float64 {
	var stream step.Stream
	values := make([][]float64, n)
	for v := range values {
		r := stream.At(seed, step.NodeID(v), 0, 0, step.Data)
		values[v] = make([]float64, dim)
		for j := range values[v] {
			values[v][j] = (2*r.Float64() - 1) / math.Sqrt(float64(dim))
		}
	}
	return values
}
