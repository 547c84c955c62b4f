package flow

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Of prices the schedule of a run with noise on every message. The nodes that take part in a
// turn may differ from turn to turn, and so may the rounds in which nodes contribute. A round
// of the problem is a turn of the schedule, or several turns in which different nodes take
// part. The Lipschitz constants of local steps follow from the schedule's update, and so does
// the status of the claim.
func Of(s schedule.Gossip) (*Accountant, error) {
	p, err := problemOf(s)
	if err != nil {
		return nil, err
	}
	return pricing(s, p)
}

// pricing returns the accountant of a problem of the schedule s.
func pricing(s schedule.Gossip, p Problem) (*Accountant, error) {
	a, err := New(p)
	if err == nil {
		a.update, a.relatives, a.records = s.Update, s.Relatives(), s.Records
	}
	return a, err
}

// Covers returns an error if the accountant has no number for a schedule. It computes nothing.
// Only Of finds that the matrices take too much memory.
func Covers(s schedule.Gossip) error {
	switch {
	case s.W == nil && s.Weights == nil:
		return fault.New("gossip without weights", "give the matrix of every round")
	case s.W != nil && s.W.N != s.Nodes:
		return fault.New(fmt.Sprintf("gossip among %d nodes with weights of %d", s.Nodes, s.W.N), "give the weights of this graph")
	case s.Acceleration() != 1 && !averages(s):
		return fault.New(fmt.Sprintf("acceleration %g: a turn goes on from two values", s.Acceleration()),
			"where noise is drawn every turn the flow accountant prices plain averaging: acceleration: none")
	case s.Momentum != 0:
		return fault.New(fmt.Sprintf("momentum %g: what a node goes on from is more than its value, a hidden state to whoever does not see all messages", s.Momentum),
			"charge every message as public (accountant: local), or leave momentum out")
	case s.Absent > 0:
		return fault.New(fmt.Sprintf("up to %d nodes that miss a round, in each perhaps others: they add no noise in it, and plans absorb what all add", s.Absent), "have all take part in all rounds, or charge the local loss (accountant: local)")
	case s.Memory != nil:
		return fault.New("noise that remembers earlier rounds: plans absorb what noise of one round hides", "use pairwise, or charge the local loss (accountant: local)")
	case s.Epoch > 1:
		return fault.New(fmt.Sprintf("batches that take turns over %d rounds: plans count every row in every batch", s.Epoch), "charge the local loss (accountant: local), which counts them once a pass")
	case averages(s) && s.Asynchronous:
		return fault.New(fmt.Sprintf("rounds of %d turns on one draw of noise in which nodes are away: what a node sends that was away when noise was drawn has none of its own", s.TurnsPerRound),
			"draw noise before each turn (noise: turn), or charge the local loss")
	case averages(s) && s.Projected:
		return fault.New(fmt.Sprintf("rounds of %d turns on one draw of noise whose values are projected after it: what the sums of a round hide is known of values that are not", s.TurnsPerRound),
			"leave out the radius, draw noise before each turn (noise: turn), or charge the local loss")
	case !s.NoiseAlways:
		return fault.New("nodes that do not contribute in a round add no noise", "nothing can be absorbed where there is none: charge the local loss")
	case s.Relatives().Check(s.Nodes) != nil:
		return s.Relatives().Check(s.Nodes)
	case s.Turns() > MostTurns:
		return fault.New(fmt.Sprintf("%d turns, and the flow accountant takes up to %d", s.Turns(), MostTurns), "take fewer steps, or charge the local loss")
	case s.Asynchronous && s.Final:
		return fault.New("a public result of nodes that were away in the last round", "price a schedule without a public result, or charge the local loss")
	}
	for _, gamma := range sizes(s) {
		if math.IsInf(s.Update.Lipschitz(gamma), 1) {
			return fault.New("nothing bounds how far a local step spreads two models: "+cmp.Or(s.Update.Expansive(), "its size"),
				"charge the local loss (accountant: local)")
		}
	}
	return nil
}

// averages reports whether rounds have several turns of averaging on one draw of noise.
func averages(s schedule.Gossip) bool { return s.TurnsPerRound > 1 && !s.NoiseEachTurn }

// sizes returns the step sizes of all rounds, or the one of all.
func sizes(s schedule.Gossip) []float64 {
	if s.StepSizes != nil {
		return s.StepSizes
	}
	return []float64{s.Update.Step()}
}

// problemOf returns the problem of a schedule.
func problemOf(s schedule.Gossip) (Problem, error) {
	if err := Covers(s); err != nil {
		return Problem{}, err
	}
	if s.Asynchronous {
		return merged(s, mostMatrices)
	}
	weights := []*sparse.Matrix{s.W}
	if s.W == nil {
		var err error
		if weights, err = unroll(s.Weights, s.Turns(), mostMatrices); err != nil {
			return Problem{}, err
		}
	}
	if averages(s) {
		return averaged(s, weights), nil
	}
	return synchronous(s, weights), nil
}

// averaged returns the problem of a schedule in which all nodes draw noise once a round and
// average several turns on it.
func averaged(s schedule.Gossip, weights []*sparse.Matrix) Problem {
	p := Problem{
		Rounds: s.Rounds, Turns: s.TurnsPerRound, Gamma: s.Gamma, Weights: weights, Final: s.Final, Steps: s.StepSizes, Contributions: ByRound(s.Contributions(0)),
	}
	for _, gamma := range sizes(s) {
		p.Lipschitz = append(p.Lipschitz, []float64{s.Update.Lipschitz(gamma)})
	}
	return p
}

// synchronous returns the problem of a schedule in which everybody takes part in all turns:
// one round a turn, the same contributions, noise and constants at every node. A turn that
// begins no round has noise, and no step.
func synchronous(s schedule.Gossip, weights []*sparse.Matrix) Problem {
	p := Problem{Rounds: int(s.Turns()), Final: s.Final, Weights: weights}
	contributions, sizes := s.Contributions(0), sizes(s)
	for t := range p.Rounds {
		round := t / s.TurnsPerRound
		gives, spread := 0.0, 1.0
		if t%s.TurnsPerRound == 0 {
			gives, spread = contributions[round], s.Update.Lipschitz(sizes[min(round, len(sizes)-1)])
		}
		p.Contributions, p.Lipschitz = append(p.Contributions, []float64{gives}), append(p.Lipschitz, []float64{spread})
		if s.StepSizes != nil {
			p.Steps = append(p.Steps, s.StepSizes[round])
		}
	}
	return p
}

// The limits of a run: MostTurns turns, and mostMatrices entries of all matrices that change,
// about a gigabyte.
const (
	MostTurns    = 1 << 20
	mostMatrices = 1 << 26
)

// tooLong returns the error for a run whose matrices take too much memory.
func tooLong(turns, all step.Turn) error {
	return fault.New(fmt.Sprintf("the matrices of %d turns take more memory than the flow accountant may use: they fit up to turn %d", all, turns),
		"take fewer steps, or charge the local loss")
}
