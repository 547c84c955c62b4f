package gossip

import (
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// With Pairwise every draw of a node's own noise comes with what it shares with each of
// its neighbours, before the box, the ball and everything else that happens to a message.
// All take part in all rounds, or what one adds nobody subtracts.

// cancelling is source with the noise that cancels, if there is any.
func (p *Protocol) cancelling(source noise.Source) noise.Source {
	if p.Pairwise == 0 {
		return source
	}
	return &noise.Cancelling{Own: source, Shared: source.(noise.Shared), Ratio: p.Pairwise, Neighbours: func(v step.NodeID) []int32 {
		nodes, _ := p.Pairs.Row(int(v))
		return nodes
	}}
}

// mostPairs is the largest number of neighbours that a node shares noise with.
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
