package gossip

import (
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/step"
)

// counted takes a value of the current round, and reports whether it counts.
func (m *Machine) counted(u step.NodeID, body []float64) bool {
	if !m.call(m.turn).Hear(u) || m.heard[u] != nil {
		return false
	}
	m.absent.values[answer{m.turn, u, 0}] = slices.Clone(body)
	m.heard[u] = body[:m.p.Params]
	m.kernel.Confine(m.heard[u])
	return true
}

// believed takes the votes of the last round that stand in a value. The value must come from its sender.
func (m *Machine) believed(msg step.Msg) {
	m.cleared(msg.Turn-1, msg.From, !slices.Contains(msg.Body[m.p.Params:], float64(m.id)))
}

// waitsFor reports whether this node waits for a value of u, or for its answer about a node that is out.
func (m *Machine) waitsFor(u step.NodeID) bool {
	call := m.call(m.turn)
	return u != m.id && !call.Out(u) && (m.heard[u] == nil || len(m.unanswered(u)) > 0)
}

// awaited returns the nodes that this one waits for.
func (m *Machine) awaited() (nodes []step.NodeID) {
	for _, u := range m.neighbours {
		if m.waitsFor(u) {
			nodes = append(nodes, u)
		}
	}
	return nodes
}

// unanswered returns the nodes that are out of this round and about which u has not answered.
func (m *Machine) unanswered(u step.NodeID) (about []step.NodeID) {
	for w := range step.NodeID(m.p.Nodes) {
		if _, known := m.absent.answers[answer{m.turn, w, u}]; w != u && !known && m.call(m.turn).Out(w) {
			about = append(about, w)
		}
	}
	return about
}

// averageThose computes the current round without those that are out of it, and reports whether it could.
func (m *Machine) averageThose(out *step.Out) bool {
	call := m.call(m.turn)
	if m.absent.lost || !m.absent.drawn {
		return false
	}
	if m.vote(out); slices.ContainsFunc(m.neighbours, m.waitsFor) || !call.Close(m.neighbours) {
		return false
	}
	nodes, weights := m.weights.Row(m.id, m.turn)
	if there := call.Averaged(); len(there) < len(m.neighbours) {
		nodes, weights = alike(m.id, there)
		for w := range step.NodeID(m.p.Nodes) {
			if call.Out(w) {
				m.subtract(w)
			}
		}
	}
	m.kernel.Average(m.previous, m.x, nodes, weights, m.value, m.turn)
	m.x, m.previous = m.previous, m.x
	m.closed(call.Averaged(), out)
	clear(m.heard)
	return true
}

// subtract takes the noise that is shared with a node that is out from all values.
func (m *Machine) subtract(w step.NodeID) {
	for u := range step.NodeID(m.p.Nodes) {
		x := m.value(u)
		for i, shared := range m.absent.answers[answer{m.turn, w, u}] {
			if x != nil {
				x[i] -= shared
			}
		}
		if x != nil {
			m.kernel.Confine(x)
		}
	}
}

// alike returns the nodes that average, and their weights, which are all the same but for rounding.
func alike(self step.NodeID, others []step.NodeID) (nodes []int32, weights []float64) {
	weight, stay := 1/float64(1+len(others)), 1.0
	for _, u := range others {
		nodes, weights, stay = append(nodes, int32(u)), append(weights, weight), stay-weight
	}
	at, _ := slices.BinarySearch(nodes, int32(self))
	return slices.Insert(nodes, at, int32(self)), slices.Insert(weights, at, max(0, stay))
}

// closed notes who was in the average of this round.
func (m *Machine) closed(averaged []step.NodeID, out *step.Out) {
	a, mine := m.absent, m.against(m.turn)
	m.settle(m.turn, out)
	for u := range a.nodes {
		n, id := &a.nodes[u], step.NodeID(u)
		if _, in := slices.BinarySearch(averaged, id); in {
			n.against = [2]bool{slices.Contains(mine, float64(u)), n.last != m.turn-1 || n.against[0]}
			n.last, n.away = m.turn, false
		} else if id != m.id {
			n.away = !n.heard
			m.sent = slices.DeleteFunc(m.sent, func(s step.Msg) bool { return s.To == id && s.Kind == Value })
		}
		n.heard = false
	}
	m.sent = slices.DeleteFunc(m.sent, func(s step.Msg) bool { return s.Kind == Value && s.Turn < m.turn })
}

// hearThere takes a value where nodes may miss rounds. One of a round that its sender is out of is answered by a proof, one of a
// round long over by this node's place, and all others are confirmed.
func (m *Machine) hearThere(msg step.Msg, out *step.Out) {
	a, u := m.absent, msg.From
	a.nodes[u].heard, a.nodes[u].away = true, false
	switch call := m.call(msg.Turn); {
	case a.lost && msg.Turn <= m.turn:
	case msg.Turn < m.turn-1:
		m.place(u, out)
		return
	case call != nil && call.Out(u) && !slices.Contains(call.Averaged(), u):
		m.prove(msg.Turn, u, u, out)
		return
	case msg.Turn == m.turn:
		m.believed(msg)
		m.counted(u, msg.Body)
	case msg.Turn > m.turn:
		m.believed(msg)
		m.ahead[u] = msg
	}
	out.Msgs = append(out.Msgs, step.Msg{Kind: Ack, From: m.id, To: u, Turn: msg.Turn})
	m.advance(out)
}

// catchUpThere takes the kept values of the current turn, in the order of their senders.
func (m *Machine) catchUpThere() {
	for _, u := range slices.Sorted(maps.Keys(m.ahead)) {
		if msg := m.ahead[u]; msg.Turn <= m.turn {
			delete(m.ahead, u)
			if m.absent.nodes[u].heard = true; msg.Turn == m.turn {
				m.believed(msg)
				m.counted(u, msg.Body)
			}
		}
	}
}
