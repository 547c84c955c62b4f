package walk

import (
	"slices"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/step"
)

// endTries is how often the end of the run is repeated to a neighbour that does
// not answer before it is left alone.
const endTries = 64

// ending is what a node knows of the end of the run.
type ending struct {
	known bool
	epoch uint64
	model []float64     // the last token, if it is shown
	tell  []step.NodeID // who has not confirmed yet
	tries int

	from     step.NodeID // who told this node
	disputed bool        // somebody says that it was not so
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

// hearEnd takes the news from a neighbour and passes them on, once. An end that
// the walk cannot come to is none: of another turn, of an epoch that cannot be,
// long before the walk can have got there (Expect),
// or with a model outside of the box that every token is confined to.
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

// hearEndOf takes the end of a token; the highest epoch counts, and the end of
// one that was declared lost is none.
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

// tellEnd tells everybody who has not confirmed; with nobody left the node is
// done.
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

// shown is the model that others are told.
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

// Source is who told this node of the end, itself if it took the last turn, and
// whether somebody contradicts: another end of the same epoch was heard, or a
// token that had not come to its end where there is only one. Then a participant
// does not keep to the protocol, and the model may be anybody's.
func (m *Machine) Source() (from step.NodeID, disputed bool) { return m.end.from, m.end.disputed }

// Ended reports whether this node knows that the run is over, and the model, nil
// if it was not shown to it.
func (m *Machine) Ended() (model []float64, ended bool) { return m.end.model, m.end.known }
