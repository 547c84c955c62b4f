package walk

import (
	"slices"

	"hearsay/model"
	"hearsay/step"
)

// The kinds of message of this protocol. A Token's turn is the turn its
// receiver is to perform; an Ack's is that of the token it answers.
const (
	Token step.Kind = iota + 1
	Ack
)

// retry is how many ticks a sender waits for an Ack before it sends the token
// again.
const retry = 64

// Machine is one node of the walk. The token is handed over with an
// acknowledgement: the sender keeps it and sends it again until the receiver
// has confirmed, and the receiver performs each turn once, however often it
// arrives.
type Machine struct {
	p          *Protocol
	id         step.NodeID
	neighbours []step.NodeID // sorted; who may talk to this node
	examples   model.Examples
	hopper     *Hopper
	node       Node
	next       step.Turn // turns before this one are not taken any more
	sent       *step.Msg // token not yet acknowledged
}

// NewMachine returns the machine of node id, which accepts messages from
// neighbours (sorted) only. The machine owns hopper.
func NewMachine(p *Protocol, id step.NodeID, neighbours []step.NodeID, ex model.Examples, hopper *Hopper) *Machine {
	return &Machine{p: p, id: id, neighbours: neighbours, examples: ex, hopper: hopper, node: Node{Scale: p.Scale(ex)}}
}

// Contributions is how often this node has used its data.
func (m *Machine) Contributions() int { return int(m.node.Contributions) }

// Start gives the token, all zeros, to the node where the walk begins.
func (m *Machine) Start(out *step.Out) {
	if m.id == m.p.Start {
		m.hold(make([]float64, m.p.Params), 0, out)
	}
}

// Step takes a message. Strangers, malformed tokens and acks for anything but
// the token under way are dropped; an old token is acknowledged again.
func (m *Machine) Step(msg step.Msg, out *step.Out) {
	if _, known := slices.BinarySearch(m.neighbours, msg.From); !known || msg.To != m.id {
		return
	}
	switch msg.Kind {
	case Token:
		m.receive(msg, out)
	case Ack:
		if m.sent != nil && msg.Turn == m.sent.Turn && msg.From == m.sent.To {
			m.sent = nil
		}
	}
}

// Tick sends the token of turn t again if it is still unacknowledged.
func (m *Machine) Tick(t step.Turn, out *step.Out) {
	if m.sent != nil && m.sent.Turn == t {
		m.send(out)
	}
}

func (m *Machine) receive(msg step.Msg, out *step.Out) {
	if len(msg.Body) != m.p.Params || msg.Turn < 1 || msg.Turn >= m.p.Turns() {
		return
	}
	out.Msgs = append(out.Msgs, step.Msg{Kind: Ack, From: m.id, To: msg.From, Turn: msg.Turn})
	if msg.Turn >= m.next {
		m.sent = nil // the token came back, so it had arrived
		m.hold(msg.Body, msg.Turn, out)
	}
}

// hold performs turns for as long as the walk stays here, then hands over.
func (m *Machine) hold(token []float64, t step.Turn, out *step.Out) {
	for {
		release := m.hopper.Hop(token, m.examples, m.id, t, &m.node)
		out.Releases = append(out.Releases, release)
		t++
		m.next = t
		if t == m.p.Turns() {
			out.Done = true
			return
		}
		if release.To != m.id {
			m.sent = &step.Msg{Kind: Token, From: m.id, To: release.To, Turn: t, Body: token}
			m.send(out)
			return
		}
	}
}

func (m *Machine) send(out *step.Out) {
	msg := *m.sent
	msg.Body = slices.Clone(msg.Body)
	out.Msgs = append(out.Msgs, msg)
	out.Timers = append(out.Timers, step.Timer{Turn: msg.Turn, Delay: retry})
}
