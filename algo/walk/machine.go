package walk

import (
	"slices"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/step"
)

// The kinds of message of this protocol. A Token's turn is the turn its receiver is to perform; an Ack's is that of
// the Token or End it answers. Probe asks whether the receiver still has the token of that turn. Holding and Passed
// answer a Probe. End reports that the run is over.
const (
	Token step.Kind = iota + 1
	Ack
	Probe
	Holding
	Passed
	End
)

// retry is the number of ticks after which a sender repeats a message that was not answered.
const retry = 64

// Machine is one node of the walk. It hands over the token with an acknowledgement: the sender keeps the token and
// repeats it until the receiver has confirmed. The receiver performs each turn once, however often it arrives.
type Machine struct {
	p          *Protocol
	id         step.NodeID
	neighbours []step.NodeID // sorted; the nodes whose messages are accepted
	examples   model.Examples
	hopper     *Hopper

	node  Node
	epoch uint64    // highest seen
	next  step.Turn // turns of this epoch before this one are not accepted any more
	sent  *handed   // token not yet acknowledged
	kept  *handed   // acknowledged, but maybe not passed on: kept if there is a lease
	end   ending

	quiet  map[step.NodeID]bool // nodes given up for silence and not heard since; not restored
	away   step.Turn            // most turns without the token; 0: no limit
	raised int                  // new epochs accepted from others, less one for each silence since
}

// handed is a token that was handed over or is about to be.
type handed struct {
	step.Msg
	waited int // ticks without an answer
	tried  int // receivers before this one
}

// NewMachine returns the machine of node id, which accepts messages from neighbours (sorted) only. The machine owns
// hopper.
func NewMachine(p *Protocol, id step.NodeID, neighbours []step.NodeID, ex model.Examples, hopper *Hopper) *Machine {
	m := &Machine{p: p, id: id, neighbours: neighbours, examples: ex, hopper: hopper, node: Node{Scale: p.ScaleOf(id, ex)}}
	if p.Keeps {
		m.node.own = p.Begin()
	}
	return m
}

// Contributions returns the number of times this node has used its data.
func (m *Machine) Contributions() int { return int(m.node.Contributions) }

// Turn returns the number of turns of the walk, as far as this node knows.
func (m *Machine) Turn() step.Turn { return m.next }

// Epoch returns the highest epoch of a token that this node has seen.
func (m *Machine) Epoch() uint64 { return m.epoch }

// Start gives the initial token to the node where the walk begins.
func (m *Machine) Start(out *step.Out) {
	if m.id == m.p.Start {
		m.node.From = m.id
		m.hold(m.p.Begin(), 0, out)
	}
}

// Step handles a message. It drops messages from strangers or of other lanes, malformed tokens and unexpected
// answers. It acknowledges an old token again.
func (m *Machine) Step(msg step.Msg, out *step.Out) {
	if _, known := slices.BinarySearch(m.neighbours, msg.From); !known || msg.To != m.id || msg.Lane != m.p.Lane {
		return
	}
	delete(m.quiet, msg.From)
	switch msg.Kind {
	case Token:
		m.receive(msg, out)
	case Ack:
		m.acknowledged(msg, out)
	case Probe:
		m.answer(msg, out)
	case Holding, Passed:
		m.answered(msg)
	case End:
		m.hearEnd(msg, out)
	}
}

// Tick repeats messages that are still unanswered at a turn, or gives them up for lost.
func (m *Machine) Tick(timer step.Timer, out *step.Out) {
	t := timer.Turn
	if timer.Lane != m.p.Lane {
		return
	}
	if m.sent != nil && m.sent.Turn == t {
		m.sent.waited += retry
		if m.givenUp(m.sent, m.p.Handover.Around) {
			m.succeed(m.sent, out)
			return
		}
		m.send(m.sent.Msg, out)
	}
	if m.kept != nil && m.kept.Turn == t {
		m.watch(out)
	}
	switch {
	case t == m.p.Turns():
		m.repeatEnd(out)
	case t == refill:
		m.refilled(out)
	case t <= firstQuiet:
		delete(m.quiet, step.NodeID(firstQuiet-t))
	}
}

func (m *Machine) receive(msg step.Msg, out *step.Out) {
	if len(msg.Body) != m.p.Params || msg.Turn < 1 || msg.Turn >= m.p.Turns() || !m.reachable(msg.Turn) || !m.mine(msg) || !m.admits(msg.Epoch, out) {
		return
	}
	out.Msgs = append(out.Msgs, m.message(Ack, msg.From, msg.Turn, msg.Epoch))
	if msg.Epoch > m.epoch {
		m.epoch, m.next, m.sent, m.kept = msg.Epoch, 0, nil, nil // pending messages are void
	}
	if msg.Epoch != m.epoch || msg.Turn < m.next {
		return
	}
	switch {
	case !m.end.known:
		m.sent, m.kept = nil, nil // the token came back, so it had arrived and gone on
		m.node.From = msg.From
		m.hold(msg.Body, msg.Turn, out)
	case m.p.silence() == 0: // the only token, before its end
		m.end.disputed = true
	}
}

// mine reports whether the sender can hand this token to this node.
func (m *Machine) mine(msg step.Msg) bool {
	return m.p.Holder == nil || m.p.Holder(msg.Turn) == m.id && m.p.Holder(msg.Turn-1) == msg.From
}

// hold performs turns for as long as the walk stays here, then hands over.
func (m *Machine) hold(token []float64, t step.Turn, out *step.Out) {
	for {
		to := m.hopper.Next(m.id, t)
		if m.quiet[to] {
			to = m.elsewhere(t, 0, to)
		}
		out.Releases = append(out.Releases, step.Release{From: m.id, To: to, Turn: t})
		m.hopper.Hop(token, &m.examples, &m.node, &out.Releases[len(out.Releases)-1])
		t++
		m.next = t
		if t == m.p.Turns() {
			m.finish(token, out)
			return
		}
		if to != m.id {
			m.hand(token, t, to, 0, out)
			return
		}
	}
}

// hand sends the token of turn t to a neighbour, which is to perform that turn.
func (m *Machine) hand(token []float64, t step.Turn, to step.NodeID, tried int, out *step.Out) {
	m.sent = &handed{Msg: m.message(Token, to, t, m.epoch), tried: tried}
	m.sent.Body = token
	m.send(m.sent.Msg, out)
}

// acknowledged ends the wait for the answer to a token or an End.
func (m *Machine) acknowledged(msg step.Msg, out *step.Out) {
	if msg.Turn == m.p.Turns() {
		m.endAcknowledged(msg, out)
		return
	}
	if m.sent == nil || msg.Turn != m.sent.Turn || msg.From != m.sent.To || msg.Epoch != m.sent.Epoch {
		return
	}
	if m.p.Handover.Lease > 0 {
		m.sent.waited = 0
		m.kept = m.sent
	}
	m.sent = nil
}

// send sends a message that is repeated until it is answered.
func (m *Machine) send(msg step.Msg, out *step.Out) {
	msg.Body = slices.Clone(msg.Body)
	out.Msgs = append(out.Msgs, msg)
	m.arm(msg.Turn, retry, out)
}

// message returns a message without a body.
func (m *Machine) message(kind step.Kind, to step.NodeID, t step.Turn, epoch uint64) step.Msg {
	return step.Msg{Kind: kind, From: m.id, To: to, Turn: t, Lane: m.p.Lane, Epoch: epoch}
}

// arm requests a timer for a turn.
func (m *Machine) arm(t step.Turn, delay int, out *step.Out) {
	out.Timers = append(out.Timers, step.Timer{Turn: t, Lane: m.p.Lane, Delay: delay})
}
