package gossip

import (
	"slices"

	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// Agree has the machine agree with its neighbours on the noise that they share, which
// its kernel draws from, before its first turn. It is called before Start or Restore.
func (m *Machine) Agree(on noise.Agreed) { m.agreed = on }

// show sends every neighbour that noise is shared with what it needs for that, or where partners need not be neighbours all
// of them.
func (m *Machine) show(out *step.Out) {
	switch {
	case m.agreed == nil:
		return
	case m.intro != nil:
		m.introduce(out)
		return
	}
	nodes, _ := m.p.Pairs.Row(int(m.id))
	for _, u := range nodes {
		if step.NodeID(u) != m.id {
			m.sent = append(m.sent, step.Msg{Kind: Key, From: m.id, To: step.NodeID(u), Lane: agreement, Body: m.agreed.Shown()})
		}
	}
	m.repeat(0, out)
}

// shown takes what a neighbour has shown. Garbage is dropped: without an agreement
// the run does not begin here, and nothing is sent of this node's data.
func (m *Machine) shown(msg step.Msg, out *step.Out) {
	if m.agreed == nil || m.intro != nil || msg.Turn != 0 || msg.Epoch != 0 || len(msg.Body) != noise.ShownSize || !m.sharesWith(msg.From) {
		return
	}
	if !m.begun && !m.agreed.Agree(msg.From, msg.Body) {
		return
	}
	out.Msgs = append(out.Msgs, step.Msg{Kind: KeyAck, From: m.id, To: msg.From, Lane: agreement})
	m.open(out)
}

// sharesWith reports whether this node and u share noise.
func (m *Machine) sharesWith(u step.NodeID) bool {
	nodes, _ := m.p.Pairs.Row(int(m.id))
	_, found := slices.BinarySearch(nodes, int32(u))
	return found && u != m.id
}

// open begins turn 0 once there is nothing left to agree on.
func (m *Machine) open(out *step.Out) {
	if m.begun || !m.ready() {
		return
	}
	m.begun = true
	m.begin(out)
	m.advance(out)
}

// ready reports whether all noise that this node shares is agreed on.
func (m *Machine) ready() bool {
	switch {
	case m.agreed == nil:
		return true
	case m.intro != nil:
		keys, unsigned, differ := m.Lacks()
		return len(keys)+len(unsigned)+len(differ) == 0
	}
	nodes, _ := m.p.Pairs.Row(int(m.id))
	return !slices.ContainsFunc(nodes, func(u int32) bool { return step.NodeID(u) != m.id && !m.agreed.Knows(step.NodeID(u)) })
}
