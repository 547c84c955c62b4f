package gossip

import (
	"slices"

	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// Agree sets the agreement on shared noise, from which the kernel draws. The machine agrees with its neighbours
// before its first turn. Agree must be called before Start or Restore.
func (m *Machine) Agree(on noise.Agreed) { m.agreed = on }

// show sends this node's key to every neighbour that it shares noise with. If partners need not be neighbours it
// starts the introductions instead.
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

// shown takes the key of a neighbour. An invalid key is dropped: without an agreement the run does not begin here,
// and no message of this node's data is sent.
func (m *Machine) shown(msg step.Msg, out *step.Out) {
	if m.agreed == nil || m.intro != nil || msg.Turn != 0 || msg.Epoch != 0 || len(msg.Body) != noise.ShownSize || !m.sharesWith(msg.From) {
		return
	}
	if !m.begun && !m.agreed.Agree(msg.From, msg.Body) {
		return
	}
	if m.absent != nil && m.absent.keys[msg.From] == nil { // the one agreed on
		m.absent.keys[msg.From] = slices.Clone(msg.Body)
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

// open begins turn 0 once all shared noise is agreed on.
func (m *Machine) open(out *step.Out) {
	if m.begun || !m.ready() {
		return
	}
	m.begun = true
	m.knowKeys()
	m.begin(out)
	m.advance(out)
}

// knowKeys keeps the keys of the run with which votes are signed.
func (m *Machine) knowKeys() {
	if m.absent == nil {
		return
	}
	m.absent.keys[m.id] = m.agreed.Shown()
	for u := range m.absent.keys {
		if m.intro != nil && m.intro.known[step.Turn(u)] != nil {
			m.absent.keys[u] = m.intro.known[step.Turn(u)][:noise.ShownSize]
		}
	}
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
