package sums

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A CompleteHistogram describes the private histogram by a random walk on the
// complete graph (002, Algorithm D.1). In each of Turns >= 1 turns a uniform one
// of Nodes >= 3 nodes adds a randomised answer to the token.
type CompleteHistogram struct{ Nodes, Turns int }

// Published returns the loss of 002, Theorem D.1, as printed, for answers of
// local loss eps0 <= 1 and delta per cycle; n >= 14^2 ln(4/delta):
//
//	sqrt(2 k ln(1/deltaPrime)) c eps0 + sqrt(k) eps0 (exp(c eps0) - 1),
//
// c = 21 sqrt(ln(4/delta)/n), k cycles. It is not a bound. The second term has
// the same slip as in Theorem 7.1: it should be k c eps0. And delta is not the
// delta of a cycle in which a node may have several turns.
func (c CompleteHistogram) Published(eps0, delta, deltaPrime, deltaHat float64) (privacy.Guarantee, error) {
	return c.theorem(eps0, delta, deltaPrime, deltaHat, func(k, each float64) float64 {
		return float64(math.Sqrt(2*k*-math.Log(deltaPrime))*each) + float64(math.Sqrt(k)*eps0*math.Expm1(each))
	})
}

func (c CompleteHistogram) theorem(eps0, delta, deltaPrime, deltaHat float64, compose func(k, each float64) float64) (privacy.Guarantee, error) {
	if err := cmp.Or(privacy.CheckNodes(c.Nodes), privacy.CheckDeltas(delta)); err != nil {
		return privacy.Guarantee{}, err
	}
	least := 14 * 14 * math.Log(4/delta)
	if float64(c.Nodes) < least {
		return privacy.Guarantee{}, fault.New(fmt.Sprintf("Theorem D.1 at delta %g needs %.0f nodes: there are %d", delta, math.Ceil(least), c.Nodes),
			"use the sound accountant of a walk, or a larger delta")
	}
	sum := Complete(c)
	return sum.theorem(eps0, delta, deltaPrime, deltaHat, 21*math.Sqrt(math.Log(4/delta)), compose)
}

// Local returns the sound loss at delta of a node all of whose answers are
// public. Half of delta bounds their number, and the other half is for the
// composition. Before the walk is known no better bound is proved, because a node
// may have several turns in a short cycle, which Theorem D.1 does not charge.
func (c CompleteHistogram) Local(eps0, delta float64) (privacy.Guarantee, error) {
	if err := cmp.Or(Complete(c).check(), privacy.CheckLoss(eps0), privacy.CheckDeltas(delta)); err != nil {
		return privacy.Guarantee{}, err
	}
	made := privacy.BinomialUpper(c.Turns, 1/float64(c.Nodes), delta/2)
	var all composition
	all.add(eps0, float64(made))
	return privacy.Guarantee{Claim: privacy.Claim{Accountant: "local, composed responses", Status: privacy.Sound, Towards: privacy.Everybody, Assumptions: []string{
		fmt.Sprintf("answers of a node are public: at most %d, but for half of delta", made),
		"every node answers honestly",
	}}, Epsilon: all.epsilon(delta / 2), Delta: delta}, nil
}

// SoundHistogram returns an upper bound on the loss at delta of every pair in the
// private histogram on an actual walk whose path v knows. m answers of u in an
// excursion of l turns cost at most m times the loss of one answer hidden among
// the random answers of the l-m others. Half of delta goes to the excursions, in
// equal shares, half to the composition. The bound is never above the loss of all
// of u's answers, all public.
func (w ActualWalk) SoundHistogram(r RandomResponse, delta float64) (*PairValues, privacy.Claim, error) {
	if err := cmp.Or(w.Check(), r.Check(), privacy.CheckDeltas(delta)); err != nil {
		return nil, privacy.Claim{}, err
	}
	visits := 1
	for _, k := range w.Visits() {
		visits = max(visits, k)
	}
	h := hiddenAnswers{r, delta / 2 / float64(visits), make(map[[2]int]float64)}
	all := make([]composition, w.Nodes*w.Nodes)
	w.excursions(func(u, v, m, l int) { all[u*w.Nodes+v].add(h.loss(m, l), 1) })
	p := &PairValues{w.Nodes, make([]float64, len(all))}
	for u, made := range w.Visits() {
		local, _ := r.LocalEpsilon(made, delta)
		for v := range w.Nodes {
			p.Values[u*w.Nodes+v] = min(local, all[u*w.Nodes+v].epsilon(delta/2))
		}
	}
	return p, privacy.Claim{Accountant: "actual walk, shuffled randomised response", Status: privacy.Sound, Assumptions: []string{
		"the path of the token is what it was, and the observer may know it",
		fmt.Sprintf("every node answers honestly, at random with probability %.4g", r.Gamma),
		"one observer, and the total is shown to nobody",
	}}, nil
}

// hiddenAnswers caches the losses of excursions.
type hiddenAnswers struct {
	response RandomResponse
	delta    float64
	known    map[[2]int]float64
}

// loss returns the loss at delta of m answers of one node among l. The answers
// are changed one after the other, each hidden among the others' l-m answers.
// Those losses and e^(i eps) times their deltas add (group privacy). The number
// of others is rounded down to a grid of steps of 3 to 6 %, because fewer answers
// hide less.
func (h hiddenAnswers) loss(m, l int) float64 {
	others := coarse(l - m)
	key := [2]int{m, others}
	if loss, ok := h.known[key]; ok {
		return loss
	}
	alone := h.response.Epsilon()
	share := h.delta
	if m > 1 { // sum over i < m of e^(i eps) <= (e^(m alone) - 1)/(e^alone - 1)
		share *= math.Expm1(alone) / math.Expm1(float64(m)*alone)
	}
	loss := float64(m) * h.response.hiddenEpsilon(share, h.response.among(others+1))
	h.known[key] = loss
	return loss
}

// coarse rounds l down to a number of five binary digits.
func coarse(l int) int {
	unit := 1
	for l/unit > 32 {
		unit *= 2
	}
	return l / unit * unit
}
