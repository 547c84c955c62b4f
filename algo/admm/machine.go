package admm

import (
	"slices"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/step"
)

// The kinds of message of this protocol.
const (
	Show   step.Kind = iota + 1 // the one who sums shows z to who is drawn in this turn
	Change                      // the change of the sender's variable in this turn; confirms Show
	End                         // the model, after the last turn
	Ack                         // confirms End
)

// retry is the number of ticks that the server waits for an answer before it asks again.
const retry = 64

// A Machine is one node of a federated run.
type Machine interface {
	step.Durable
	Model() []float64   // the last z, borrowed; nil: not known yet
	Contributions() int // how often this node has used its data
	Over() bool         // the run is over for this node
}

// NewMachine returns the machine of node id, the server's or a participant's, with the node's own data.
func NewMachine(p *Protocol, id step.NodeID, ex model.Examples, scale float64, k *Kernel) Machine {
	own := member{p: p, id: id, examples: ex, kernel: k, Holder: k.NewHolder(ex, scale), last: -1}
	if id == p.Server {
		return newServer(own)
	}
	return &Participant{member: own}
}

// A member holds the state that every node has.
type member struct {
	Holder
	p        *Protocol
	id       step.NodeID
	examples model.Examples
	kernel   *Kernel

	last   step.Turn // the last turn that this node has answered in; -1: none
	used   int       // turns that it has answered in
	change []float64 // its answer of that turn
	model  []float64 // nil: the run goes on
}

// Model implements Machine.
func (m *member) Model() []float64 { return m.model }

// Contributions implements Machine.
func (m *member) Contributions() int {
	if m.examples.Len() == 0 {
		return 0
	}
	return m.used
}

// Turn returns the first turn that this node knows to be still to come.
func (m *member) Turn() step.Turn {
	if m.Over() {
		return m.p.Turns()
	}
	return m.last + 1
}

// Over implements Machine.
func (m *member) Over() bool { return m.model != nil }

// answer takes turn t, once.
func (m *member) answer(z []float64, t step.Turn, out *step.Out) {
	m.last, m.change = t, make([]float64, m.p.Params)
	m.used++
	r := m.kernel.Answer(m.change, &m.Holder, z, m.examples, m.id, t)
	r.To = m.p.Server
	out.Releases = append(out.Releases, r)
}

// A Participant answers when it is shown z, in the turns that it is drawn in and once in
// each, whatever it is sent.
type Participant struct{ member }

// Start waits to be drawn.
func (m *Participant) Start(*step.Out) {}

// Tick does nothing, because the server asks again.
func (m *Participant) Tick(step.Timer, *step.Out) {}

// Step takes a message. It drops messages of turns that are over or do not exist, and all that are not from the
// server. Of a turn the first z counts.
func (m *Participant) Step(msg step.Msg, out *step.Out) {
	if msg.From != m.p.Server || msg.To != m.id || msg.Lane != 0 || msg.Epoch != 0 || len(msg.Body) != m.p.Params {
		return
	}
	switch {
	case msg.Kind == Show && msg.Turn >= 0 && msg.Turn < m.p.Turns():
		m.shown(msg, out)
	case msg.Kind == End && msg.Turn == m.p.Turns():
		m.ended(msg, out)
	}
}

func (m *Participant) shown(msg step.Msg, out *step.Out) {
	if msg.Turn > m.last && !m.Over() && m.p.draws(m.id, msg.Turn) {
		descent.Confine(msg.Body, m.p.Bound())
		m.answer(msg.Body, msg.Turn, out)
	}
	if msg.Turn == m.last {
		out.Msgs = append(out.Msgs, step.Msg{Kind: Change, From: m.id, To: m.p.Server, Turn: msg.Turn, Body: slices.Clone(m.change)})
	}
}

func (m *Participant) ended(msg step.Msg, out *step.Out) {
	if !m.Over() {
		if !descent.Within(msg.Body, m.p.Bound()) {
			return
		}
		m.model, out.Done = slices.Clone(msg.Body), true
	}
	out.Msgs = append(out.Msgs, step.Msg{Kind: Ack, From: m.id, To: m.p.Server, Turn: msg.Turn})
}

// Resume implements step.Durable. It sends nothing: the server asks again for an answer that did not
// arrive.
func (m *Participant) Resume(out *step.Out) { out.Done = m.Over() }
