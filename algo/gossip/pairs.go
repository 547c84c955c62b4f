package gossip

import (
	"slices"

	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// With Pairwise every draw of a node's own noise is joined by the noise that it shares with each of its
// neighbours. Both are added before the box, the ball and all other processing of a message. With Absent a node may
// miss whole rounds. It keeps its value, draws nothing and sends nothing, and its partners leave out the noise
// that they would share with it in such a round. The noise of the others still cancels. The weights say who misses a round: it takes part
// in none of its turns.

// cancelling returns source with the noise that cancels, or source itself if there is none.
func (k *Kernel) cancelling(source noise.Source) noise.Source {
	p := k.p
	if p.Pairwise == 0 {
		return source
	}
	k.shared = &noise.Cancelling{Own: source, Shared: source.(noise.Shared), Ratio: p.Pairwise, Neighbours: func(v step.NodeID) []int32 {
		nodes, _ := p.Pairs.Row(int(v))
		return nodes
	}}
	return k.shared
}

// Round tells k who misses the round of turn t. It must be called before Begin at the first turn of every round if nodes
// may miss one, and does nothing if they may not.
func (k *Kernel) Round(w Weights, t step.Turn) {
	if k.shared == nil || k.p.Absent == 0 || !k.p.first(t) {
		return
	}
	k.shared.Missing = k.shared.Missing[:0]
	active := w.Active(t)
	for v := range step.NodeID(k.p.Nodes) {
		if _, there := slices.BinarySearch(active, v); active != nil && !there {
			k.shared.Missing = append(k.shared.Missing, v)
		}
	}
}

// sharedStd returns the standard deviation of the noise that two partners share at the first turn of a round.
func (k *Kernel) sharedStd(t step.Turn) float64 {
	return k.p.Pairwise * float64(k.p.StepSize.At(k.p.round(t))*k.p.Noise.Std())
}

// mostPairs returns the largest number of neighbours that a node shares noise with, 0 without Pairwise.
func (p *Protocol) mostPairs() (most int) {
	if p.Pairwise == 0 {
		return 0
	}
	for v := range p.Pairs.N {
		nodes, _ := p.Pairs.Row(v)
		count := 0
		for _, u := range nodes {
			if int(u) != v {
				count++
			}
		}
		most = max(most, count)
	}
	return most
}
