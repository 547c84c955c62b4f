package admm

import (
	"slices"

	"github.com/hearsay-dp/hearsay/step"
)

// endTries is how often the end is repeated to nodes that do not confirm it.
const endTries = 64

// A Server is the node that shows z to the nodes whose turn it is, and sums the changes of their
// variables. It waits for all that it has drawn, and asks them again.
type Server struct {
	member
	// Watch, if set, is called with z after done turns. z is borrowed.
	Watch func(done int, z []float64)

	turn  step.Turn
	zhat  []float64
	z     []float64                 // of this turn
	asked []step.NodeID             // in this turn, ascending
	heard map[step.NodeID][]float64 // their answers
	known map[step.NodeID]*Examiner // of who has answered

	tell  []step.NodeID // who has not confirmed the end
	tries int
}

func newServer(own member) *Server {
	return &Server{
		member: own, zhat: own.p.Begin(), z: make([]float64, own.p.Params),
		heard: map[step.NodeID][]float64{}, known: map[step.NodeID]*Examiner{},
	}
}

// Start begins turn 0.
func (m *Server) Start(out *step.Out) {
	m.draw(out)
	m.advance(out)
}

// Turn returns the turn under way.
func (m *Server) Turn() step.Turn { return m.turn }

// draw begins a turn.
func (m *Server) draw(out *step.Out) {
	m.p.Consensus(m.z, m.zhat)
	m.asked = m.p.Drawn(m.asked, m.turn)
	if slices.Contains(m.asked, m.id) {
		m.answer(confined(m.z, m.p.Bound()), m.turn, out)
		m.heard[m.id] = m.change
	}
	m.ask(out)
}

// ask shows z to drawn nodes that have not answered yet.
func (m *Server) ask(out *step.Out) {
	again := false
	for _, v := range m.asked {
		if m.heard[v] == nil {
			again = true
			out.Msgs = append(out.Msgs, step.Msg{Kind: Show, From: m.id, To: v, Turn: m.turn, Body: slices.Clone(m.z)})
		}
	}
	if again {
		out.Timers = append(out.Timers, step.Timer{Turn: m.turn, Delay: retry})
	}
}

// Step takes a message. It drops answers that it has not asked for. Of a turn the first answer counts.
func (m *Server) Step(msg step.Msg, out *step.Out) {
	if msg.To != m.id || msg.From == m.id || msg.Lane != 0 || msg.Epoch != 0 {
		return
	}
	switch {
	case msg.Kind == Change && !m.Over() && msg.Turn == m.turn && len(msg.Body) == m.p.Params && m.heard[msg.From] == nil:
		if _, asked := slices.BinarySearch(m.asked, msg.From); asked {
			m.hear(msg.From, msg.Body)
			m.advance(out)
		}
	case msg.Kind == Ack && m.Over() && msg.Turn == m.turn:
		waiting := len(m.tell)
		m.tell = slices.DeleteFunc(m.tell, func(v step.NodeID) bool { return v == msg.From })
		out.Done = waiting > 0 && len(m.tell) == 0
	}
}

// hear takes an answer as far as it can be one.
func (m *Server) hear(v step.NodeID, change []float64) {
	e := m.known[v]
	if e == nil {
		e = &Examiner{U: m.p.Begin()}
		m.known[v] = e
	}
	e.Confine(&m.p.Local, change, m.z)
	m.heard[v] = change
}

// advance ends turns for as long as all answers are there.
func (m *Server) advance(out *step.Out) {
	for !m.Over() && len(m.heard) == len(m.asked) {
		sum := make([]float64, m.p.Params)
		for _, v := range m.asked {
			Collect(sum, m.heard[v])
		}
		m.p.Add(m.zhat, sum)
		clear(m.heard)
		if m.turn++; m.turn < m.p.Turns() {
			m.shows(m.zhat)
			m.draw(out)
			continue
		}
		m.model = make([]float64, m.p.Params)
		m.p.Consensus(m.model, m.zhat)
		m.model = confined(m.model, m.p.Bound())
		m.shows(m.zhat)
		m.asked, m.known = nil, nil
		for v := range step.NodeID(m.p.Nodes) {
			if v != m.id {
				m.tell = append(m.tell, v)
			}
		}
		m.tellEnd(out)
	}
}

func (m *Server) shows(zhat []float64) {
	if m.Watch != nil {
		z := make([]float64, len(zhat))
		m.p.Consensus(z, zhat)
		m.Watch(int(m.turn), z)
	}
}

// tellEnd sends the end to all nodes that have not confirmed it. If all have, the node is done.
func (m *Server) tellEnd(out *step.Out) {
	if len(m.tell) == 0 {
		out.Done = true
		return
	}
	for _, v := range m.tell {
		out.Msgs = append(out.Msgs, step.Msg{Kind: End, From: m.id, To: v, Turn: m.turn, Body: slices.Clone(m.model)})
	}
	out.Timers = append(out.Timers, step.Timer{Turn: m.turn, Delay: retry})
}

// Tick asks again.
func (m *Server) Tick(timer step.Timer, out *step.Out) {
	switch {
	case timer.Turn != m.turn || timer.Lane != 0:
	case !m.Over():
		m.ask(out)
	case len(m.tell) > 0:
		if m.tries++; m.tries >= endTries {
			m.tell = nil
		}
		m.tellEnd(out)
	}
}

// Resume implements step.Durable.
func (m *Server) Resume(out *step.Out) {
	if m.Over() {
		m.tellEnd(out)
		return
	}
	m.ask(out)
}
