// Package rehearsal runs averaging with drawn values, as attackers see it. The
// values that they compute from their messages can then be compared with the truth.
package rehearsal

import (
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/attack"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Averaging describes a run whose values are drawn from the ball of radius 1.
type Averaging struct {
	Matrices  []*sparse.Matrix // of every turn; a single one if it never changes
	Steps     int              // turns, >= 0
	Gamma     float64          // factor of acceleration, 1 without
	Attackers []int            // nodes that keep the messages they receive
	Dim       int              // numbers of each node, >= 1
	Sigma     float64          // noise multiplier; 0: none
	Seed      uint64
	Workers   int
}

// Sensitivity is the largest distance of two values in the ball of radius 1.
const Sensitivity = 2

// EstimateStd returns the standard deviation of the best estimate of a number at a
// leakage in (0, 1].
func EstimateStd(sigma, leakage float64) float64 { return sigma * Sensitivity / math.Sqrt(leakage) }

// A Heard holds the values and messages of a run.
type Heard struct {
	Values   [][]float64      // one row a node
	Messages []attack.Message // messages to the attackers, and their own values in turn 0
}

// Run draws values and averages them, as in a simulation of kind gossip. One step of
// the mean model from 0 gives the noisy value.
func (a Averaging) Run(ctx context.Context) (*Heard, error) {
	if a.Sigma != 0 {
		if err := privacy.CheckSigma(a.Sigma); err != nil {
			return nil, err
		}
	}
	if err := a.checkRoom(); err != nil {
		return nil, err
	}
	n := a.Matrices[0].N
	h := &Heard{Values: a.draw(n)}
	holdings := &sim.Slab{Features: a.Dim, X: slices.Concat(h.Values...), Y: make([]float64, n), Offsets: make([]int, 1, n+1)}
	for v := range n {
		holdings.Offsets = append(holdings.Offsets, v+1)
	}
	run := sim.Gossip{
		Protocol: &gossip.Protocol{
			Local: descent.Local{
				Params: a.Dim, Objective: model.Objective{Model: model.Mean{}}, StepSize: descent.StepSize{Base: 0.5},
				Noise: noise.Gaussian{Clip: Sensitivity, Multiplier: a.Sigma},
			},
			Nodes: n, Rounds: 1, TurnsPerRound: max(1, a.Steps), Gamma: a.Gamma,
		},
		Holdings: holdings, Weights: weights{&a}, Seed: a.Seed, Workers: a.Workers,
	}
	_, err := run.Bulk(ctx, sim.GossipWatcher{Values: func(t step.Turn, x []float64) {
		switch {
		case a.Steps == 0 && t == 0:
			h.Messages = attack.Heard(h.Messages, nil, a.Attackers, 0, x, a.Dim)
		case int(t) < a.Steps:
			h.Messages = attack.Heard(h.Messages, a.at(int(t)), a.Attackers, int(t), x, a.Dim)
		}
	}})
	return h, err
}

// mostNumbers is the largest count of numbers that a run may hold: 2 GB.
const mostNumbers = 1 << 28

// checkRoom returns an error for values and messages that would not fit into memory.
// It counts the values of all nodes four times, and one value for each message to an
// attacker.
func (a *Averaging) checkRoom() error {
	vectors := float64(4*float64(a.Matrices[0].N)) + float64(len(a.Attackers))
	for t := range a.Steps {
		for _, v := range a.Attackers {
			columns, _ := a.at(t).Row(v)
			vectors += float64(len(columns))
		}
		if vectors*float64(a.Dim) > mostNumbers {
			break
		}
	}
	if vectors*float64(a.Dim) <= mostNumbers {
		return nil
	}
	return fault.New(fmt.Sprintf("--dim %d: what nodes hold and attackers receive would be more than %d numbers, 2 GB", a.Dim, mostNumbers),
		"give fewer numbers a node, fewer steps or fewer attackers")
}

// draw returns a point in the ball of radius 1 for each of n nodes. Each coordinate
// is uniform between -1/sqrt(Dim) and 1/sqrt(Dim).
func (a *Averaging) draw(n int) [][]float64 {
	var stream step.Stream
	values := make([][]float64, n)
	for v := range values {
		r := stream.At(a.Seed, step.NodeID(v), 0, 0, step.Data)
		values[v] = make([]float64, a.Dim)
		for j := range values[v] {
			values[v][j] = (float64(2*float64(r.Float64())) - 1) / math.Sqrt(float64(a.Dim))
		}
	}
	return values
}

// at returns the matrix of a turn.
func (a *Averaging) at(t int) *sparse.Matrix { return a.Matrices[min(t, len(a.Matrices)-1)] }

// weights adapts the matrices to a run.
type weights struct{ *Averaging }

func (w weights) Matrix(t step.Turn) *sparse.Matrix { return w.at(int(t)) }
func (w weights) Active(step.Turn) []step.NodeID    { return nil }
func (w weights) Row(v step.NodeID, t step.Turn) ([]int32, []float64) {
	return w.at(int(t)).Row(int(v))
}
