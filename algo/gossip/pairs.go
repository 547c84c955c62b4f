package gossip

import (
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// With Pairwise every draw of a node's own noise is joined by the noise that it shares with each of its
// neighbours. Both are added before the box, the ball and all other processing of a message. All nodes must take
// part in all rounds, otherwise shared noise does not cancel.

// cancelling returns source with the noise that cancels, or source itself if there is none.
func (p *Protocol) cancelling(source noise.Source) noise.Source {
	if p.Pairwise == 0 {
		return source
	}
	return &noise.Cancelling{Own: source, Shared: source.(noise.Shared), Ratio: p.Pairwise, Neighbours: func(v step.NodeID) []int32 {
		nodes, _ := p.Pairs.Row(int(v))
		return nodes
	}}
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
