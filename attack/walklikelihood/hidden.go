package walklikelihood

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/schedule"
)

// Knowledge is the attackers' knowledge of the path of a token while they do not hold it.
type Knowledge uint8

const (
	Hops  Knowledge = iota // only the number of turns: senders and receivers are anonymous
	Ends                   // also the node they handed it to and the node that handed it to them, as every machine knows
	Route                  // the whole path: routes are public
)

// Hidden is the attack on one node's contributions to one token by attackers who do not know its path.
type Hidden struct {
	Walk      schedule.Walk // of one token
	Attackers []int
	Target    int
	Knows     Knowledge              // Hops or Ends
	Keep      func(turn int) float64 // the factor of the token in an update, the same for all updates if step sizes are; nil: 1
	Longest   int                    // sights of more turns are ignored, as if unseen; 0: none are
	MostSums  int                    // most different sums of contributions; 0: 256. More are rounded, and ratios are then scores

	attacks []bool
	laws    map[lawKey][]outcome
	rounded bool
}

// NewHidden returns the attack, or an error for invalid attackers, targets or knowledge. If a walk has a cap per edge, or
// nodes that pass tokens on unchanged, contributions depend on more than visits, and ratios are scores.
func NewHidden(w schedule.Walk, attackers []int, target int, k Knowledge) (*Hidden, error) {
	h := &Hidden{Walk: w, Attackers: attackers, Target: target, Knows: k, attacks: make([]bool, w.Nodes), laws: make(map[lawKey][]outcome)}
	for _, v := range attackers {
		if v < 0 || v >= w.Nodes {
			return nil, fault.New(fmt.Sprintf("attacker %d is no node of %d", v, w.Nodes), "nodes are 0..n-1")
		}
		h.attacks[v] = true
	}
	switch {
	case len(attackers) == 0:
		return nil, fault.New("a walk without attackers", "name at least one")
	case target < 0 || target >= w.Nodes || h.attacks[target]:
		return nil, fault.New(fmt.Sprintf("node %d as the target of attackers %v on %d nodes", target, attackers, w.Nodes), "name a node that does not attack")
	case k == Route:
		return nil, fault.New("a hidden path that is known", "take the energies of the track")
	case w.AllTokens() > 1:
		return nil, fault.New(fmt.Sprintf("%d tokens as one", w.AllTokens()), "attack each token by itself (schedule.Walk.Token): ratios multiply")
	}
	return h, nil
}

// visitsTell reports whether the target's contributions follow from the number of the token's visits to it.
func (h *Hidden) visitsTell() bool { return h.Walk.EdgeCap == 0 && !h.Walk.Forward && !h.Walk.Reroutes }

// row calls each with the law of the next holder after node x.
func (h *Hidden) row(x int, each func(y int, p float64)) {
	if h.Walk.W == nil {
		for y := range h.Walk.Nodes {
			each(y, 1/float64(h.Walk.Nodes))
		}
		return
	}
	columns, values := h.Walk.W.Row(x)
	for k, y := range columns {
		each(int(y), values[k])
	}
}

// chance returns the probability that x hands the token to y.
func (h *Hidden) chance(x, y int) float64 {
	if h.Walk.W == nil {
		return 1 / float64(h.Walk.Nodes)
	}
	return h.Walk.W.At(x, y)
}

// hop sets dst to the law of the next holder if x is the law of the holder.
func (h *Hidden) hop(dst, x []float64) {
	clear(dst)
	if h.Walk.W == nil {
		each := total(x) / float64(h.Walk.Nodes)
		for y := range dst {
			dst[y] = each
		}
		return
	}
	for i, p := range x {
		if p == 0 {
			continue
		}
		columns, values := h.Walk.W.Row(i)
		for k, y := range columns {
			dst[y] += float64(p * values[k])
		}
	}
}

// leave sets the probabilities of attackers in a law to 0.
func (h *Hidden) leave(x []float64) {
	for _, v := range h.Attackers {
		x[v] = 0
	}
}

// start returns the law of the first holder of a token that is updated.
func (h *Hidden) start() []float64 {
	x, next := make([]float64, h.Walk.Nodes), make([]float64, h.Walk.Nodes)
	if h.Walk.Start >= 0 {
		x[h.Walk.Start] = 1
	} else {
		for i := range x {
			x[i] = 1 / float64(h.Walk.Nodes)
		}
	}
	for range h.Walk.BurnIn {
		h.hop(next, x)
		x, next = next, x
	}
	return x
}

func total(x []float64) (sum float64) {
	for _, p := range x {
		sum += p
	}
	return sum
}
