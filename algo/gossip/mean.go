package gossip

import "github.com/hearsay-dp/hearsay/step"

// With KeepMean every node keeps the mean of its own values after the rounds of
// the second half: a model that somebody really has, and steadier than the last
// value, whose noise is that of a few rounds. It is a function of what the node
// sees anyway and is shown to nobody, so it costs no privacy.

// remember takes into the node's mean the value x that turn t left it with, if
// that turn ends a round of the second half.
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

// Remember is remember for nodes lo..hi-1, whose values x are one after the other.
func (p *Protocol) Remember(nodes []Node, x []float64, lo, hi int, t step.Turn) {
	if !p.KeepMean || !p.first(t+1) {
		return
	}
	for v := lo; v < hi; v++ {
		p.remember(&nodes[v], x[v*p.Params:(v+1)*p.Params], t)
	}
}
