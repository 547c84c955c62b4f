package gossip

import (
	"slices"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// The kinds of message of this protocol. A Value is the sender's model at the
// turn; an Ack confirms that the Value of that turn has arrived.
const (
	Value step.Kind = iota + 1
	Ack
	// A Key carries the public key from which the noise that two neighbours share is derived. Where keys are
	// needed it is sent before the first turn, in a lane of its own. A KeyAck confirms it.
	Key
	KeyAck
	// An Introduction is a signed statement of a node about keys, forwarded from neighbour to neighbour in the
	// same lane. Its turn encodes the node and the kind of statement. An IntroductionAck confirms it.
	Introduction
	IntroductionAck
)

// retry is the number of ticks after which a sender repeats a message without an Ack.
const retry = 64

// agreement is the lane of keys and introductions. It is not that of values, because a ledger takes only one
// message of a turn and lane per receiver.
const agreement step.Lane = 1

// Machine is one node of gossip. It sends its value of the turn to every node it averages with, waits for all of
// theirs, averages and goes on. Values are repeated until they are confirmed. A neighbour can be at most one
// shared turn ahead, because it needs this node's value to go on. The value that it sends from there is kept until
// this node reaches that turn.
type Machine struct {
	// Watch, if not nil, is called with the node's value before turn t, and after the last turn. The value is
	// borrowed. Simulations score models with it.
	Watch func(t step.Turn, x []float64)

	p          *Protocol
	id         step.NodeID
	neighbours []step.NodeID // sorted; the senders that this node accepts
	examples   model.Examples
	kernel     *Kernel
	weights    Weights
	node       Node

	turn     step.Turn                 // the turn under way
	x        []float64                 // value at this turn
	previous []float64                 // value at the turn before
	heard    map[step.NodeID][]float64 // values of this turn
	ahead    map[step.NodeID]step.Msg  // values of later turns, one a neighbour
	sent     []step.Msg                // Values that were not confirmed yet
	release  []step.Release

	intro  *introductions // nil: partners are neighbours
	agreed noise.Agreed   // nil: shared noise needs no agreement, or there is none
	begun  bool           // the first turn is under way, or over
	asked  *step.Ask      // the question that must be answered before the current turn begins, else nil
	absent *absences      // nil: nobody may miss a round
}

// NewMachine returns the machine of node id, which accepts messages from
// neighbours (sorted) only. The machine owns kernel and weights.
func NewMachine(p *Protocol, id step.NodeID, neighbours []step.NodeID, ex model.Examples, kernel *Kernel, weights Weights) *Machine {
	m := &Machine{
		p: p, id: id, neighbours: neighbours, examples: ex, kernel: kernel, weights: weights,
		node: Node{Scale: p.ScaleOf(id, ex), Past: p.Past()}, heard: make(map[step.NodeID][]float64), ahead: make(map[step.NodeID]step.Msg),
		x: p.Begin(), previous: make([]float64, p.Params),
	}
	if p.KeepMean {
		m.node.Mean = make([]float64, p.Params)
	}
	if p.Momentum > 0 {
		m.node.Velocity = make([]float64, p.Params)
	}
	return m
}

// Contributions returns how often this node has used its data.
func (m *Machine) Contributions() int { return m.node.Contributions }

// Turn returns the current turn.
func (m *Machine) Turn() step.Turn { return m.turn }

// Model returns the node's value, borrowed.
func (m *Machine) Model() []float64 { return m.x }

// Mean returns the mean of the node's own values after the rounds of the second half so far, borrowed. It returns
// nil unless the protocol keeps the mean.
func (m *Machine) Mean() []float64 { return m.node.Mean }

// Start begins turn 0 once all shared noise is agreed on.
func (m *Machine) Start(out *step.Out) {
	m.show(out)
	m.open(out)
}

// Step takes a message. It drops messages from strangers or in the wrong lane for their kind, malformed values,
// and confirmations of nothing. It confirms an old value again.
func (m *Machine) Step(msg step.Msg, out *step.Out) {
	if _, known := slices.BinarySearch(m.neighbours, msg.From); !known || msg.To != m.id || msg.Lane != laneOf(msg.Kind) {
		return
	}
	switch msg.Kind {
	case Value:
		m.hear(msg, out)
	case Ack:
		m.confirmed(Value, msg.From, msg.Turn, out)
	case Key:
		m.shown(msg, out)
	case KeyAck:
		m.confirmed(Key, msg.From, msg.Turn, out)
	case Introduction:
		m.introduced(msg, out)
	case IntroductionAck:
		if m.intro != nil {
			m.intro.arrived(msg.From, msg.Turn)
			m.introduce(out)
		}
	default:
		m.asksAbout(msg, out)
	}
}

// laneOf returns the lane of a kind of message.
func laneOf(kind step.Kind) step.Lane {
	switch kind {
	case Key, KeyAck, Introduction, IntroductionAck:
		return agreement
	case Vote:
		return votes
	case Proof:
		return proofs
	case Reveal, Keep:
		return reveals
	case Ahead:
		return places
	case Closed, ClosedAck:
		return ends
	case Relay, Seek:
		return relays
	}
	return 0
}

// Tick repeats messages that were not confirmed: the values of the timer's turn, or introductions.
func (m *Machine) Tick(timer step.Timer, out *step.Out) {
	switch {
	case timer.Lane == 0:
		m.repeat(timer.Turn, out)
	case timer.Lane == votes:
		m.callAgain(timer, out)
	case m.intro != nil:
		m.passAgain(out)
	}
}

// repeat sends the messages of turn t that were not confirmed, and arms a timer if there are any.
func (m *Machine) repeat(t step.Turn, out *step.Out) {
	if m.absent != nil && m.absent.over {
		return
	}
	again := false
	for _, msg := range m.sent {
		if msg.Turn == t {
			msg.Body = slices.Clone(msg.Body)
			out.Msgs = append(out.Msgs, msg)
			again = true
		}
	}
	if again {
		out.Timers = append(out.Timers, step.Timer{Turn: t, Delay: retry})
	}
}

func (m *Machine) hear(msg step.Msg, out *step.Out) {
	if len(msg.Body) != m.valueSize() || msg.Epoch != 0 || msg.Turn < 0 || msg.Turn >= m.p.Turns() || !m.averagesWith(msg.From, msg.Turn) {
		return
	}
	m.implied(msg.From, msg.Turn)
	if m.absent != nil {
		m.hearThere(msg, out)
		return
	}
	m.kernel.Confine(msg.Body)
	switch kept, known := m.ahead[msg.From]; {
	case msg.Turn == m.turn && m.heard[msg.From] == nil: // the first one counts
		m.heard[msg.From] = msg.Body
	case msg.Turn > m.turn && known && kept.Turn != msg.Turn:
		return // no honest neighbour is two turns ahead
	case msg.Turn > m.turn:
		m.ahead[msg.From] = msg
	}
	out.Msgs = append(out.Msgs, step.Msg{Kind: Ack, From: m.id, To: msg.From, Turn: msg.Turn})
	m.advance(out)
}

// valueSize returns the length of a Value's body.
func (m *Machine) valueSize() int {
	if m.absent == nil {
		return m.p.Params
	}
	return m.p.Params + m.absent.Rules.Absent
}

// implied drops the unconfirmed messages that u must have received to reach turn t: values of earlier turns, and
// the key.
func (m *Machine) implied(u step.NodeID, t step.Turn) {
	m.sent = slices.DeleteFunc(m.sent, func(s step.Msg) bool { return s.To == u && (s.Turn < t || s.Kind == Key) })
}

// averagesWith reports whether u is in this node's row at turn t.
func (m *Machine) averagesWith(u step.NodeID, t step.Turn) bool {
	nodes, _ := m.weights.Row(m.id, t)
	_, found := slices.BinarySearch(nodes, int32(u))
	return found
}

// confirmed drops the messages of a kind and turn that u has confirmed.
func (m *Machine) confirmed(kind step.Kind, u step.NodeID, t step.Turn, out *step.Out) {
	waiting := len(m.sent)
	m.sent = slices.DeleteFunc(m.sent, func(s step.Msg) bool { return s.Kind == kind && s.To == u && s.Turn == t })
	if len(m.sent) < waiting {
		m.end(out)
	}
}

// advance averages for as long as all values of the current turn are there.
func (m *Machine) advance(out *step.Out) {
	for m.begun && m.asked == nil && m.turn < m.p.Turns() && m.average(out) {
		m.p.remember(&m.node, m.x, m.turn)
		m.turn++
		m.goOn(out)
	}
}

// goOn begins the current turn, or ends the run after the last one.
func (m *Machine) goOn(out *step.Out) {
	if m.absent != nil {
		m.absent.forget(m.turn)
	}
	if m.turn < m.p.Turns() {
		m.catchUp()
		m.begin(out)
		return
	}
	if m.agreed != nil {
		m.agreed.Forget()
	}
	if m.Watch != nil {
		m.Watch(m.turn, m.x)
	}
	if m.absent != nil {
		m.finish(out)
	}
	m.end(out)
}

// end reports the end of the run if it is over. Where nodes may miss rounds it also releases that no value of this node came late
// but those that are charged: a release to itself without data.
func (m *Machine) end(out *step.Out) {
	if out.Done = m.finished(); !out.Done || m.absent == nil || m.absent.told {
		return
	}
	m.absent.told = true
	out.Releases = append(out.Releases, step.Release{From: m.id, To: m.id, Turn: m.turn, Lane: late})
}

// finished reports whether all turns are over and everybody has confirmed.
func (m *Machine) finished() bool {
	switch {
	case m.turn < m.p.Turns():
		return false
	case m.absent != nil && m.absent.over:
		return true
	}
	return len(m.sent) == 0 && (m.absent == nil || m.absent.ended())
}

// catchUp takes the kept values of the current turn.
func (m *Machine) catchUp() {
	if m.absent != nil {
		m.catchUpThere()
		return
	}
	for u, msg := range m.ahead {
		if msg.Turn == m.turn {
			m.heard[u] = msg.Body
			delete(m.ahead, u)
		}
	}
}

// average computes the current turn, and reports whether all neighbours in the row were heard. A node that is not
// active skips it and returns true.
func (m *Machine) average(out *step.Out) bool {
	if m.absent != nil {
		return m.averageThose(out)
	}
	if !active(m.weights, m.id, m.turn) {
		return true
	}
	nodes, weights := m.weights.Row(m.id, m.turn)
	for _, u := range nodes {
		if _, heard := m.heard[step.NodeID(u)]; !heard && step.NodeID(u) != m.id {
			return false
		}
	}
	m.kernel.Average(m.previous, m.x, nodes, weights, m.value, m.turn)
	m.x, m.previous = m.previous, m.x
	clear(m.heard)
	return true
}

// value returns u's value at this turn, nil if it has not been heard.
func (m *Machine) value(u step.NodeID) []float64 {
	if u == m.id {
		return m.x
	}
	return m.heard[u]
}

// begin starts a turn: it takes the local step or adds the noise that is due, then sends the messages. If the step
// uses gradients of an outside program, it asks for them first.
func (m *Machine) begin(out *step.Out) {
	m.kernel.Round(m.weights, m.turn)
	if m.absent != nil && !m.enter(out) {
		return
	}
	if m.p.Begins(m.weights, m.id, m.turn) {
		if m.asked = m.kernel.Ask(m.x, m.rows(), &m.node, m.id, m.turn); m.asked != nil {
			out.Asks = append(out.Asks, *m.asked)
			return
		}
		m.kernel.Begin(m.x, m.rows(), &m.node, m.id, m.turn)
	}
	m.tell(out)
}

// Answer implements step.Asking.
func (m *Machine) Answer(t step.Turn, lane step.Lane, mean []float64, out *step.Out) {
	if m.asked == nil || m.asked.Turn != t || lane != 0 || len(mean) != m.p.Params {
		return
	}
	m.kernel.Take(m.x, mean, m.asked, &m.node, m.id)
	m.asked = nil
	m.tell(out)
	m.advance(out)
}

// tell sends the value of the turn.
func (m *Machine) tell(out *step.Out) {
	value := m.x
	if m.absent != nil {
		if !m.call(m.turn).Send() {
			m.lose(out)
			return
		}
		value = m.told(m.x)
	}
	if m.Watch != nil {
		m.Watch(m.turn, m.x)
	}
	nodes, _ := m.weights.Row(m.id, m.turn)
	m.release = m.p.Releases(m.release[:0], nodes, &m.node, m.id, m.turn)
	out.Releases = append(out.Releases, m.release...)
	for _, r := range m.release {
		m.sent = append(m.sent, step.Msg{Kind: Value, From: m.id, To: r.To, Turn: m.turn, Body: slices.Clone(value)})
	}
	if len(m.release) > 0 {
		m.repeat(m.turn, out)
	}
	if m.absent != nil {
		m.answerAll(out)
	}
}
