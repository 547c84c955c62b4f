package gossip

import (
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// A remembering source adds noise that depends on the noise of earlier rounds (schedule.Memory). This covers all
// noise that a node adds, shared noise too. The noise added is measured as the difference that the addition made.
// On a grid the value with the remembered noise is rounded, and fresh noise is added on top, as to a value without
// memory.
//
// Node.Past holds the noise of the last rounds, round t's at index t modulo their number. It is cleared when the
// last round has drawn its own, because Past and the node's messages reveal the gradients without noise.
type remembering struct {
	noise.Source
	p      *Protocol
	node   *Node
	round  int
	before []float64
}

// of selects the node and the round of the noise that is added next. It does nothing if m is nil.
func (m *remembering) of(node *Node, round int) {
	if m != nil {
		m.node, m.round = node, round
	}
}

// remembered returns how many numbers of past noise a node keeps.
func (p *Protocol) remembered() int {
	if p.Memory == nil {
		return 0
	}
	return len(p.Memory.Past) * p.Params
}

// Past returns the past noise with which a node begins: zeros.
func (p *Protocol) Past() []float64 { return make([]float64, p.remembered()) }

// Add implements noise.Source.
func (m *remembering) Add(dst []float64, std float64, node step.NodeID, t step.Turn, lane step.Lane) {
	past, d := m.p.Memory.Past, len(dst)
	m.before = append(m.before[:0], dst...)
	for j, c := range past[:min(len(past), m.round)] {
		for i, z := range m.node.Past[(m.round-1-j)%len(past)*d:][:d] {
			dst[i] -= float64(c * z)
		}
	}
	m.Source.Add(dst, m.p.Memory.Times*std, node, t, lane)
	switch {
	case m.round == m.p.Rounds-1:
		clear(m.node.Past)
	case len(past) > 0:
		added := m.node.Past[m.round%len(past)*d:][:d]
		for i, x := range m.before {
			added[i] = dst[i] - x
		}
	}
}
