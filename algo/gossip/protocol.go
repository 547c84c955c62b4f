// Package gossip is averaging between neighbours after local noise
// (Muffliato: 002 Algorithms 6.1 and 6.2) and decentralised gradient descent
// made of it (Muffliato-GD and -SGD: 002 Algorithm 6.3; plain D-GD and D-SGD:
// 002 Algorithm 2.2; asynchronous gossip SGD).
//
// They are one protocol. In each of so many rounds, every node takes one noisy
// gradient step on its own data, and then all take K turns of averaging with
// their neighbours. A node that has no data, or has made its last contribution, adds
// its noise all the same: with K = 1, or noise each turn, every message that is
// sent has fresh noise. Averaging alone is one round from zero for model.Own with
// step size 1, whose gradient step lands on the node's own noisy value.
//
// Protocol says what is run. Kernel is the mathematics of one turn; Machine
// puts the messages around it. Schedule is what will be released.
package gossip

import (
	"slices"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// A Protocol is everything about a run that all nodes agree on, but for the
// weights of each turn.
type Protocol struct {
	descent.Local // the step at the beginning of every round
	Nodes         int
	Rounds        int     // local steps; 1: averaging alone
	TurnsPerRound int     // K >= 1, turns of averaging after each of them
	Gamma         float64 // acceleration, see Acceleration; 1: none
	Cap           int     // most contributions of one node; 0: no cap
	// Asynchronous nodes take a local step in the rounds whose first turn they
	// take part in, and in no other. Otherwise all do in all rounds.
	Asynchronous bool
	// NoiseEachTurn has nodes add noise before every turn of averaging, not only in
	// the local step, which is before the first of a round.
	NoiseEachTurn bool
	// Pairwise is the standard deviation of the noise that every two nodes of an edge share
	// in a step, and that one adds and the other subtracts, over that of a node's own; 0:
	// none. Pairs has these edges: entries off the diagonal, at both ends.
	Pairwise float64
	Pairs    *sparse.Matrix
	// Memory is what the noise of a round has of earlier rounds' (memory.go); nil: nothing. Steps are of one size, and noise
	// is drawn in them alone.
	Memory *schedule.Memory
	// KeepMean has every node keep the mean of its own values after the rounds of
	// the second half (Node.Mean), shown to nobody.
	KeepMean bool
	// Final says that everybody is shown the values that all nodes end with, which are functions of the last turn's
	// messages. Nodes send nothing more for it.
	Final bool
}

// Turns is the number of turns of the whole run: T x K.
func (p *Protocol) Turns() step.Turn { return step.Turn(p.Rounds) * step.Turn(p.TurnsPerRound) }

// Contributions is the most that one node makes: the cap, or one a round.
func (p *Protocol) Contributions() int {
	if p.Cap == 0 {
		return p.Rounds
	}
	return min(p.Cap, p.Rounds)
}

// Bound is the half-width of the box that values are confined to; see
// descent.Local. Averages of what is in the box are in it. Accelerated they need
// not be, but their norm over all nodes does not grow: the polynomials p_k of a
// round, p_0 = 1, p_1 = z, p_(k+1) = gamma z p_k + (1-gamma) p_(k-1), are means
// of Chebyshev polynomials (the weights are the law of a walk on the integers
// that keeps its direction with probability gamma/2), so at most 1 on [-1, 1].
// One node's value is then at most sqrt(nodes) times what one step allows. So it is with momentum and a penalty,
// whose responses are polynomials of the averaging, at most as on the unit disc (von Neumann 1951).
func (p *Protocol) Bound() float64 {
	draws := 1.0 // a step
	if p.NoiseEachTurn {
		draws = float64(p.TurnsPerRound)
	}
	draws *= 1 + float64(float64(p.mostPairs())*p.Pairwise*p.Pairwise)
	if p.Memory != nil { // noise of rounds may all point one way: their sum is below the root of their number times what independent noise sums to
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

// round is the number of the round that turn t belongs to.
func (p *Protocol) round(t step.Turn) int { return int(t / step.Turn(p.TurnsPerRound)) }

// Coefficients are those of turn t: x(k+1) = a W x(k) + c x(k-1), with the
// first turn of each round a plain average (002 Definition 2.11).
func (p *Protocol) Coefficients(t step.Turn) (a, c float64) {
	if p.Gamma == 1 || p.first(t) {
		return 1, 0
	}
	return p.Gamma, 1 - p.Gamma
}

// Weights are the gossip matrices, turn by turn; graph.Sequence is one.
type Weights = schedule.Weights

// Constant is the matrix that w has at every turn, for all nodes; nil if w may change.
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

// Acceleration is the factor gamma of 002 Algorithm 6.1 for a gossip matrix of
// spectral gap lambda in (0, 1].
func Acceleration(lambda float64) float64 {
	half := 1 - float64(lambda/2)
	return 2 * (1 - math.Sqrt(lambda*(1-float64(lambda/4)))) / (half * half)
}

// StoppingTime is the number of turns after which Muffliato is as precise as
// its noise allows (002 Theorem 6.2 with Definition C.3's dimension): rate is
// sqrt(lambda) when accelerated, the rate of decay of the squared distance
// otherwise; spread bounds the mean squared distance of the nodes' values from
// their mean, noise is D sigma^2, the energy of one node's noise. It is
//
//	1/rate x log(n/noise x max(noise, spread)).
func StoppingTime(n int, rate, noise, spread float64) int {
	if n == 1 || math.IsInf(rate, 1) {
		return 1
	}
	return max(1, int(math.Ceil(math.Log(float64(n)*max(1, spread/noise))/rate)))
}
