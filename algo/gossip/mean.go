package gossip

import "github.com/hearsay-dp/hearsay/step"

// With KeepMean every node keeps the mean of its own values after the rounds of the second half. A node really
// holds this mean, and it is steadier than the last value, whose noise is that of a few rounds. It costs no
// privacy, because it is a function of the node's own view and is shown to nobody.

// remember adds x, the value after turn t, to the node's mean if turn t ends a round of the second half.
func (p *Protocol) remember(node *Node, x []float64, t step.Turn) {
	if !p.KeepMean || !p.first(t+1) {
		return
	}
	k := p.round(t) - p.Rounds/2 + 1
	if k < 1 {
		return
	}
	for j, v := range x {
		node.Mean[j] += (v - node.Mean[j]) / float64(k)
	}
}

// Remember calls remember for nodes lo..hi-1. x holds all nodes' values, one after the other.
func (p *Protocol) Remember(nodes []Node, x []float64, lo, hi int, t step.Turn) {
	if !p.KeepMean || !p.first(t+1) {
		return
	}
	for v := lo; v < hi; v++ {
		p.remember(&nodes[v], x[v*p.Params:(v+1)*p.Params], t)
	}
}
