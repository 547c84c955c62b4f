package gossip

import (
	"iter"

	"github.com/hearsay-dp/hearsay/step"
)

// Schedule is what a run releases, without any data: at every turn each node
// sends its value to each node it averages with.
type Schedule struct {
	Protocol *Protocol
	Weights  Weights
	Holds    func(step.NodeID) bool // whether a node holds any example; nil: all do
}

// Releases yields the releases of the run, turn by turn, in each turn by
// sender, then by receiver.
func (s Schedule) Releases() iter.Seq[step.Release] {
	return func(yield func(step.Release) bool) {
		p := s.Protocol
		nodes := make([]Node, p.Nodes)
		var sent []step.Release
		for t := range p.Turns() {
			p.EachBeginner(s.Weights, t, func(v step.NodeID) { s.begin(&nodes[v], v) })
			sent = sent[:0]
			for v := range step.NodeID(p.Nodes) {
				row, _ := s.Weights.Row(v, t)
				sent = p.Releases(sent, row, &nodes[v], v, t)
			}
			for _, r := range sent {
				if !yield(r) {
					return
				}
			}
		}
	}
}

func (s Schedule) begin(node *Node, v step.NodeID) {
	if s.Protocol.contributes(node.Contributions) && (s.Holds == nil || s.Holds(v)) {
		node.Contributions++
		node.unsent++
	}
}

// EachBeginner calls do with the nodes that take a local step at turn t.
func (p *Protocol) EachBeginner(w Weights, t step.Turn, do func(step.NodeID)) {
	if !p.first(t) {
		return
	}
	if p.Asynchronous {
		if active := w.Active(t); active != nil {
			for _, v := range active {
				do(v)
			}
			return
		}
	}
	for v := range step.NodeID(p.Nodes) {
		do(v)
	}
}

// Begins reports whether node v takes a local step at turn t.
func (p *Protocol) Begins(w Weights, v step.NodeID, t step.Turn) bool {
	return p.first(t) && (!p.Asynchronous || active(w, v, t))
}
