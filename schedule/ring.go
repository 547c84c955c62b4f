package schedule

import (
	"iter"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/step"
)

// A Ring is a token that goes round Rounds >= 1 times over Nodes >= 3 nodes. In every round
// each node adds something: to a sum a value and, as Share says, noise (002
// Algorithm 5.1, Remark 5.6), or to a histogram an Answer (Algorithm 5.2).
type Ring struct {
	Nodes, Rounds int
	Order         []step.NodeID // who has the turns of a round, by position; nil: 0, 1, ...
	Spread        bool          // noise of variance 1/n in every turn, and 1 in the first; else of 1 every n-1 turns
	Final         bool          // the total is shown to everybody
	Sealed        bool          // the usual noise in the last turn as well; else the total shows values added after the noise (a histogram: Answer.End)

	Sensitivity   float64 // of a value; 1 for answers
	Sensitivities         // of a sum where one record is the unit of privacy; Sensitivity is the largest
	CutDown       float64 // with Sensitivities: how much larger they are in turns with less than the usual noise
	Noise         float64 // usual standard deviation, same unit
	Answer        Answer  // of a histogram; the zero Answer: this is a sum
}

// An Answer is a randomised response: with probability Gamma in [0, 1] one of Values >= 2
// values, uniformly, else the truth. Start random answers go before all, and End after.
type Answer struct {
	Values     int
	Gamma      float64
	Start, End int
}

// Turns returns the number of turns of the whole run.
func (r Ring) Turns() step.Turn { return step.Turn(r.Nodes) * step.Turn(r.Rounds) }

// Most returns the largest number of contributions one node can make.
func (r Ring) Most() int { return r.Rounds }

// Holder returns the node whose turn it is.
func (r Ring) Holder(t step.Turn) step.NodeID { return r.at(int(t % step.Turn(r.Nodes))) }

func (r Ring) at(position int) step.NodeID {
	if r.Order == nil {
		return step.NodeID(position)
	}
	return r.Order[position]
}

// Share returns the standard deviation of the noise of a turn of a sum, in units of the usual
// one.
func (r Ring) Share(turn int) float64 {
	switch {
	case turn == 0 || r.Sealed && turn == r.Nodes*r.Rounds-1:
		return 1
	case r.Spread:
		return 1 / math.Sqrt(float64(r.Nodes))
	case turn%(r.Nodes-1) == 0:
		return 1
	}
	return 0
}

// Releases yields the releases of a run, turn by turn. holds reports whether a node holds any
// data. A nil holds means that all do.
func (r Ring) Releases(holds func(step.NodeID) bool) iter.Seq[step.Release] {
	return func(yield func(step.Release) bool) {
		for t := range r.Turns() {
			one := step.Release{From: r.Holder(t), To: r.Holder(t + 1), Turn: t, NoiseStd: r.Noise * r.Share(int(t))}
			one.Contributed = holds == nil || holds(one.From)
			if one.Sensitivity = r.Sensitivities.of(one.From, r.Sensitivity); r.Share(int(t)) < 1 {
				one.Sensitivity += r.CutDown
			}
			if r.Answer != (Answer{}) {
				one.Sensitivity, one.NoiseStd = 1, r.Answer.Gamma
			}
			if !yield(one) {
				return
			}
		}
	}
}

// Answers is a histogram by a walk: each turn of Walk, whose Sensitivity is 1 and whose
// Noise is Gamma, gives an Answer (002 Algorithm D.1). It is a type of its own, because its noise is not
// Gaussian.
type Answers struct {
	Walk   Walk
	Answer Answer
}

// Most returns the largest number of contributions one node can make.
func (a Answers) Most() int { return a.Walk.Most() }

// Releases yields, turn by turn, the releases of a run on a path.
func (a Answers) Releases(p Path) iter.Seq[step.Release] { return a.Walk.Releases(p) }
