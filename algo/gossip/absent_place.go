package gossip

import (
	"slices"

	"github.com/hearsay-dp/hearsay/algo/rollcall"
	"github.com/hearsay-dp/hearsay/step"
)

// lose takes this node out of the round. It goes back to its value before, and asks the others where they are.
func (m *Machine) lose(out *step.Out) {
	a := m.absent
	if a.lost {
		return
	}
	if m.call(m.turn).Owes() {
		m.charge(m.turn, out)
	}
	a.lost, a.waited, m.asked = true, 0, nil
	m.sent = slices.DeleteFunc(m.sent, func(s step.Msg) bool { return s.Kind == Value })
	m.x = append(m.x[:0], a.before...)
	m.node.unsent, m.node.fresh = 0, false
	clear(m.heard)
	m.where(out)
}

func (m *Machine) where(out *step.Out) { m.send(step.Msg{Kind: Where, Turn: m.turn}, out, everybody) }

// place tells a node where this one is.
func (m *Machine) place(u step.NodeID, out *step.Out) {
	n := m.absent.nodes[u]
	body := []float64{float64(n.last), float64(truth(n.against[0])), float64(truth(n.against[1]))}
	out.Msgs = append(out.Msgs, step.Msg{Kind: Ahead, From: m.id, To: u, Turn: m.turn, Lane: places, Body: body})
}

// placed takes an Ahead. If more nodes than may lie are two rounds ahead, this round is over without this node.
func (m *Machine) placed(msg step.Msg, out *step.Out) {
	a := m.absent
	if len(msg.Body) != 3 || msg.Turn > m.p.Turns() {
		return
	}
	a.nodes[msg.From].at = max(a.nodes[msg.From].at, msg.Turn)
	last := step.Turn(msg.Body[0])
	m.cleared(last, msg.From, msg.Body[1] == 0)
	m.cleared(last-1, msg.From, msg.Body[2] == 0)
	if m.begun && m.reached() > m.turn+1 {
		m.lose(out)
	}
}

// reached returns the round that more nodes than may lie say they have reached.
func (m *Machine) reached() step.Turn {
	var places []step.Turn
	for _, n := range m.absent.nodes {
		places = append(places, n.at)
	}
	slices.Sort(places)
	return places[len(places)-1-m.absent.Rules.Liars]
}

// welcome tells a node that this one has not voted against it in its round, and waits for it.
func (m *Machine) welcome(u step.NodeID, out *step.Out) {
	call := m.call(m.turn)
	if call == nil || call.Out(u) || slices.ContainsFunc(call.Mine(), func(v rollcall.Vote) bool { return v.Out == u }) {
		return
	}
	if n := &m.absent.nodes[u]; n.waits != m.turn+1 {
		n.waits, m.absent.waited = m.turn+1, 0
	}
	m.send(step.Msg{Kind: Welcome, Turn: m.turn}, out, func(v step.NodeID) bool { return v == u })
}

// welcomed goes on in a round in which no quorum can have this node out.
func (m *Machine) welcomed(t step.Turn, out *step.Out) {
	clear := 0
	for _, n := range m.absent.nodes {
		if n.welcome == t {
			clear++
		}
	}
	if r := m.absent.Rules; m.absent.lost && t > m.turn && t < m.p.Turns() && clear >= r.Nodes-r.Quorum()+r.Liars {
		m.rejoin(t, out)
	}
}

// rejoin goes on in round t.
func (m *Machine) rejoin(t step.Turn, out *step.Out) {
	for ; m.turn < t; m.turn++ {
		m.p.remember(&m.node, m.x, m.turn)
		m.absent.missed++
	}
	m.absent.lost, m.absent.behind = false, t == m.p.Turns()
	for u, msg := range m.ahead {
		if msg.Turn < t {
			delete(m.ahead, u)
		}
	}
	m.goOn(out)
}
