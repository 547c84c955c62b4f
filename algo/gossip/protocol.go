// Package gossip implements averaging between neighbours after local noise (Muffliato: 002 Algorithms 6.1 and
// 6.2). On top of averaging it implements decentralised gradient descent (Muffliato-GD and -SGD: 002 Algorithm 6.3; plain
// D-GD and D-SGD: 002 Algorithm 2.2; asynchronous gossip SGD).
//
// They are one protocol. In each round every node takes one noisy gradient step on its own data. Then all nodes
// take K turns of averaging with their neighbours. A node that has no data, or has made its last contribution,
// still adds its noise. So with K = 1, or with noise each turn, every message has fresh noise. Averaging alone is
// one round from zero for model.Own with step size 1, because this gradient step returns the node's own noisy
// value.
//
// Protocol describes a run. Kernel computes one turn; Machine exchanges the messages around it. Schedule lists the
// releases in advance.
package gossip

import (
	"slices"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// A Protocol holds the parameters of a run that all nodes agree on, except the weights of each turn.
type Protocol struct {
	descent.Local // the step at the beginning of every round
	Nodes         int
	Rounds        int     // local steps; 1: averaging alone
	TurnsPerRound int     // K >= 1, turns of averaging after each of them
	Gamma         float64 // acceleration, see Acceleration; 1: none
	Cap           int     // most contributions of one node; 0: no cap
	// Asynchronous has nodes take a local step only in the rounds whose first turn they take part in. Otherwise
	// all nodes do in all rounds.
	Asynchronous bool
	// NoiseEachTurn has nodes add noise before every turn of averaging. Otherwise only the local step before the
	// first turn of a round adds noise.
	NoiseEachTurn bool
	// Pairwise is the standard deviation of the noise that the two nodes of an edge share in a step, over that of
	// a node's own. One adds it and the other subtracts it. 0 means no shared noise. Pairs has these edges:
	// entries off the diagonal, at both ends.
	Pairwise float64
	Pairs    *sparse.Matrix
	// Absent is the largest number of nodes that may miss a round (pairs.go). 0 means that all take part in all rounds.
	Absent int
	// Memory says how the noise of a round depends on that of earlier rounds (memory.go). nil means that it does
	// not. With Memory all steps must have one size, and noise is drawn in steps alone.
	Memory *schedule.Memory
	// KeepMean has every node keep the mean of its own values after the rounds of
	// the second half (Node.Mean), shown to nobody.
	KeepMean bool
	// Final declares that the final values of all nodes are published. They are functions of the last turn's
	// messages, and nodes send nothing more for it.
	Final bool
}

// Turns returns the number of turns of the whole run: T x K.
func (p *Protocol) Turns() step.Turn { return step.Turn(p.Rounds) * step.Turn(p.TurnsPerRound) }

// Contributions returns the most contributions of one node: one per round, at most the cap.
func (p *Protocol) Contributions() int {
	if p.Cap == 0 {
		return p.Rounds
	}
	return min(p.Cap, p.Rounds)
}

// Bound returns the half-width of the box to which values are confined; see descent.Local. Averages of values in
// the box are in it. With acceleration they need not be, but their norm over all nodes does not grow. The
// polynomials of a round are p_0 = 1, p_1 = z, p_(k+1) = gamma z p_k + (1-gamma) p_(k-1). They are means of
// Chebyshev polynomials, so at most 1 on [-1, 1]. Their weights are the law of a walk on the integers that keeps
// its direction with probability gamma/2. One node's value is then at most sqrt(nodes) times the bound of a step.
// The same holds with momentum and a penalty, whose responses are polynomials of the averaging matrix and at most
// their maximum on the unit disc (von Neumann 1951).
func (p *Protocol) Bound() float64 {
	draws := 1.0 // a step
	if p.NoiseEachTurn {
		draws = float64(p.TurnsPerRound)
	}
	draws *= 1 + float64(float64(p.mostPairs())*p.Pairwise*p.Pairwise)
	if p.Memory != nil { // noises of rounds may all point one way: their sum is below sqrt(rounds) times that of independent noises
		most := p.Memory.Times * p.Memory.Growth(p.Rounds)
		draws *= float64(most * most * float64(p.Rounds))
	}
	bound := p.Local.BoundWith(p.Rounds, draws)
	if p.Gamma != 1 || p.Momentum > 0 && p.Objective.L2 > 0 {
		bound *= math.Sqrt(float64(p.Nodes))
	}
	return bound
}

// first reports whether turn t begins a round.
func (p *Protocol) first(t step.Turn) bool { return t%step.Turn(p.TurnsPerRound) == 0 }

// round returns the number of the round that turn t belongs to.
func (p *Protocol) round(t step.Turn) int { return int(t / step.Turn(p.TurnsPerRound)) }

// Coefficients returns a and c of turn t: x(k+1) = a W x(k) + c x(k-1). The first turn of each round is a plain
// average (002 Definition 2.11).
func (p *Protocol) Coefficients(t step.Turn) (a, c float64) {
	if p.Gamma == 1 || p.first(t) {
		return 1, 0
	}
	return p.Gamma, 1 - p.Gamma
}

// Weights is a sequence of gossip matrices, turn by turn, such as graph.Sequence.
type Weights = schedule.Weights

// Constant returns the matrix that w has at every turn, for all nodes. It returns nil if w may change.
func Constant(w Weights) *sparse.Matrix {
	if c, ok := w.(interface{ Constant() *sparse.Matrix }); ok {
		return c.Constant()
	}
	return nil
}

// active reports whether v takes part in turn t.
func active(w Weights, v step.NodeID, t step.Turn) bool {
	nodes := w.Active(t)
	_, found := slices.BinarySearch(nodes, v)
	return nodes == nil || found
}

// Acceleration returns the factor gamma of 002 Algorithm 6.1 for a gossip matrix of spectral gap lambda in (0, 1].
func Acceleration(lambda float64) float64 {
	half := 1 - float64(lambda/2)
	return 2 * (1 - math.Sqrt(lambda*(1-float64(lambda/4)))) / (half * half)
}

// StoppingTime returns the number of turns, at least 1, after which Muffliato is as precise as its noise allows
// (002 Theorem 6.2 with the dimension of Definition C.3). rate is the decay rate of the squared distance,
// sqrt(lambda) when accelerated. spread bounds the mean squared distance of the nodes' values from their mean.
// noise is D sigma^2, the energy of one node's noise. The time is
//
//	1/rate x log(n/noise x max(noise, spread)).
func StoppingTime(n int, rate, noise, spread float64) int {
	if n == 1 || math.IsInf(rate, 1) {
		return 1
	}
	return max(1, int(math.Ceil(math.Log(float64(n)*max(1, spread/noise))/rate)))
}
