package walk

import (
	"slices"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/step"
)

// endTries is the number of times that the end of the run is sent to a neighbour that does not answer.
const endTries = 64

// ending holds a node's knowledge of the end of the run.
type ending struct {
	known bool
	epoch uint64
	model []float64     // the last token, if it is shown
	tell  []step.NodeID // neighbours that have not confirmed yet
	tries int

	from     step.NodeID // the node that told this one
	disputed bool        // another node contradicts it
}

// finish ends the run at the node that performed the last turn.
func (m *Machine) finish(token []float64, out *step.Out) {
	var shown []float64
	if m.p.Final {
		shown = token
	}
	m.hearEndOf(m.epoch, shown, m.id, out)
	if m.end.from == m.id {
		m.end.model = token
	}
}

// hearEnd receives the end of the run from a neighbour and passes it on, once. It drops an end that the walk
// cannot reach: of another turn, of an impossible epoch, or long before the walk can have got there (Expect).
// It also drops one whose model is outside the box that every token is confined to.
func (m *Machine) hearEnd(msg step.Msg, out *step.Out) {
	want := 0
	if m.p.Final {
		want = m.p.Params
	}
	if !m.p.Announce || msg.Turn != m.p.Turns() || len(msg.Body) != want ||
		!descent.Within(msg.Body, m.hopper.bound) || !m.end.known && !m.reachable(msg.Turn) || !m.admits(msg.Epoch, out) {
		return
	}
	out.Msgs = append(out.Msgs, m.message(Ack, msg.From, msg.Turn, msg.Epoch))
	m.hearEndOf(msg.Epoch, msg.Body, msg.From, out)
}

// hearEndOf records the end of a token. The highest epoch counts; the end of a token that was declared lost does not.
func (m *Machine) hearEndOf(epoch uint64, model []float64, from step.NodeID, out *step.Out) {
	if m.end.known && epoch == m.end.epoch && from != m.id && !same(model, m.end.shown(m.p)) {
		m.end.disputed = true
	}
	if epoch < m.epoch || m.end.known && epoch <= m.end.epoch {
		return
	}
	m.epoch = epoch
	m.sent, m.kept = nil, nil
	m.end = ending{known: true, epoch: epoch, model: model, from: from}
	if m.p.Announce {
		m.end.tell = slices.DeleteFunc(slices.Clone(m.neighbours), func(v step.NodeID) bool { return v == from })
	}
	m.tellEnd(out)
}

// tellEnd tells all neighbours that have not confirmed. If there are none left the node is done.
func (m *Machine) tellEnd(out *step.Out) {
	if len(m.end.tell) == 0 {
		out.Done = true
		return
	}
	for _, v := range m.end.tell {
		msg := m.message(End, v, m.p.Turns(), m.end.epoch)
		if m.p.Final {
			msg.Body = slices.Clone(m.end.model)
		}
		out.Msgs = append(out.Msgs, msg)
	}
	m.arm(m.p.Turns(), retry, out)
}

func (m *Machine) repeatEnd(out *step.Out) {
	if len(m.end.tell) == 0 {
		return
	}
	if m.end.tries++; m.end.tries >= endTries {
		m.end.tell = nil
	}
	m.tellEnd(out)
}

func (m *Machine) endAcknowledged(msg step.Msg, out *step.Out) {
	if msg.Epoch != m.end.epoch || len(m.end.tell) == 0 {
		return
	}
	m.end.tell = slices.DeleteFunc(m.end.tell, func(v step.NodeID) bool { return v == msg.From })
	out.Done = len(m.end.tell) == 0
}

// shown returns the model that others receive.
func (e *ending) shown(p *Protocol) []float64 {
	if !p.Final {
		return nil
	}
	return e.model
}

// same reports whether two models have the same bits.
func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// Source returns the node that told this one of the end, itself if it took the last turn. disputed reports a
// contradiction. Either another end of the same epoch was received, or, where there is only one token, a token
// that had not reached its end. Then a participant violates the protocol, and the model may be forged.
func (m *Machine) Source() (from step.NodeID, disputed bool) { return m.end.from, m.end.disputed }

// Ended reports whether this node knows that the run is over, and returns the model, nil if it was not shown to this
// node.
func (m *Machine) Ended() (model []float64, ended bool) { return m.end.model, m.end.known }
