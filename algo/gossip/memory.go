package gossip

import (
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// A remembering source adds noise of which a round's follows from that of rounds before (schedule.Memory), all that a node
// adds, shared noise too. What a node has added is the difference that the addition made: on a grid
// the value with what is remembered is rounded, and fresh noise comes on top, as on a value without.
//
// Node.Past is that of the last rounds, round t's at t modulo their number. Whoever has it and what the node sent has the
// gradients without noise, so it is forgotten when the last round has drawn its own.
type remembering struct {
	noise.Source
	p      *Protocol
	node   *Node
	round  int
	before []float64
}

// of says whose noise of which round is added next. Without a memory it does nothing.
func (m *remembering) of(node *Node, round int) {
	if m != nil {
		m.node, m.round = node, round
	}
}

// remembered is how many numbers a node keeps of the noise that it has added.
func (p *Protocol) remembered() int {
	if p.Memory == nil {
		return 0
	}
	return len(p.Memory.Past) * p.Params
}

// Past is what a node begins with of the noise that it remembers.
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
