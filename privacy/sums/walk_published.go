package sums

import (
	"cmp"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// Published returns the evaluation of 002, Figure 7.1(b) on an actual walk, for
// contributions of local loss eps0, and the mean local loss beside it.
//
// A cycle of v of m turns, including its own last one, has loss eps0/sqrt(m), subsampled by
// equation D.2. Two nodes are taken as known to v and not subsampled: the sender of the
// token, and the receiver after v's previous turn. A node that is both is charged twice the
// loss. A pair composes all cycles of v, whether u is in them or not (Kairouz, Oh and
// Viswanath 2015), at a slack of their number times delta. The local loss is by advanced
// composition of a node's turns.
//
// It is not a bound, because a u with several turns in a cycle is charged for one.
func (w ActualWalk) Published(eps0, delta float64) (pairs *PairValues, local float64, claim privacy.Claim, err error) {
	if err := privacy.CheckLoss(eps0); err != nil {
		return nil, 0, privacy.Claim{}, err
	}
	return w.published(eps0, delta, func(m int) float64 { return eps0 / math.Sqrt(float64(m)) })
}

// PublishedHistogram returns the evaluation of 002, Figure D.1 for answers of r. The loss of
// a cycle of m turns is that of one answer among m shuffled ones, by Balle, Bell, Gascon and
// Nissim (2019), and never above the local one. m is rounded down to a grid of steps of 3 to
// 6 %.
func (w ActualWalk) PublishedHistogram(r RandomResponse, delta float64) (pairs *PairValues, local float64, claim privacy.Claim, err error) {
	if err := cmp.Or(r.Check(), privacy.CheckDeltas(delta)); err != nil {
		return nil, 0, privacy.Claim{}, err
	}
	shuffled := memo(func(m int) float64 { return r.ShuffledEpsilon(delta, m) })
	return w.published(r.Epsilon(), delta, func(m int) float64 { return shuffled(coarse(m)) })
}

// published evaluates a walk whose cycles of m turns have loss lost(m) before subsampling.
func (w ActualWalk) published(eps0, delta float64, lost func(m int) float64) (pairs *PairValues, local float64, claim privacy.Claim, err error) {
	if err := cmp.Or(w.Check(), privacy.CheckDeltas(delta)); err != nil {
		return nil, 0, privacy.Claim{}, err
	}
	e := newCycleEvaluation(w, lost)
	pairs = &PairValues{w.Nodes, make([]float64, w.Nodes*w.Nodes)}
	for u := range w.Nodes {
		for v := range w.Nodes {
			if u != v {
				pairs.Values[u*w.Nodes+v] = e.loss(u, v, delta)
			}
		}
		local += privacy.AdvancedComposition(float64(e.cycles[u]), eps0, delta) / float64(w.Nodes)
	}
	return pairs, local, privacy.Claim{Accountant: "actual walk, subsampled cycles", Status: privacy.Published, Assumptions: []string{
		"the path of the token is what it was; the observer learns from whom it has the token and to whom it hands it, and nothing else of the path",
		"a node has at most one turn in a cycle",
		"one observer, and the total is shown to nobody",
	}}, nil
}

// cycleEvaluation holds, for every observer, the composition of its cycles for all nodes,
// and corrections for the nodes whose part in a cycle it knows.
type cycleEvaluation struct {
	nodes  int
	cycles []int
	shared []composition
	told   []composition // [u*nodes+v]
}

func newCycleEvaluation(w ActualWalk, lost func(m int) float64) *cycleEvaluation {
	n := w.Nodes
	e := &cycleEvaluation{n, make([]int, n), make([]composition, n), make([]composition, n*n)}
	since := make([]int, n)  // the previous turn, 0 at first
	next := make([]int32, n) // holder after that turn
	for v := range next {
		next[v] = w.Holders[0]
	}
	for t := 1; t < len(w.Holders); t++ {
		v, from := w.Holders[t], w.Holders[t-1]
		loss := lost(t - since[v])
		hidden := CycleEpsilon(loss, t-since[v], n)
		e.cycles[v]++
		e.shared[v].add(hidden, 1)
		if from == next[v] {
			e.tell(int(from), int(v), hidden, 2*loss)
		} else {
			e.tell(int(from), int(v), hidden, loss)
			e.tell(int(next[v]), int(v), hidden, loss)
		}
		next[from], since[v] = v, t
	}
	return e
}

// tell replaces the loss hidden of a cycle of v by told for u.
func (e *cycleEvaluation) tell(u, v int, hidden, told float64) {
	c := &e.told[u*e.nodes+v]
	c.add(hidden, -1)
	c.add(told, 1)
}

func (e *cycleEvaluation) loss(u, v int, delta float64) float64 {
	all, told := e.shared[v], e.told[u*e.nodes+v]
	all.sum += told.sum
	all.mean += told.mean
	all.squares += told.squares
	return all.epsilon(min(1, float64(e.cycles[v])*delta))
}
