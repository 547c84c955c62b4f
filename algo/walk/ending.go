package walk

import (
	"slices"

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
}

// finish ends the run at the node that performed the last turn.
func (m *Machine) finish(token []float64, out *step.Out) {
	var shown []float64
	if m.p.Final {
		shown = token
	}
	m.hearEndOf(m.epoch, shown, m.id, out)
	m.end.model = token
}

// hearEnd takes the news from a neighbour and passes them on, once.
func (m *Machine) hearEnd(msg step.Msg, out *step.Out) {
	want := 0
	if m.p.Final {
		want = m.p.Params
	}
	if !m.p.Announce || msg.Turn != m.p.Turns() || len(msg.Body) != want {
		return
	}
	out.Msgs = append(out.Msgs, step.Msg{Kind: Ack, From: m.id, To: msg.From, Turn: msg.Turn, Epoch: msg.Epoch})
	m.hearEndOf(msg.Epoch, msg.Body, msg.From, out)
}

// hearEndOf takes the end of a token; the highest epoch counts, and the end of
// one that was declared lost is none.
func (m *Machine) hearEndOf(epoch uint64, model []float64, from step.NodeID, out *step.Out) {
	if epoch < m.epoch || m.end.known && epoch <= m.end.epoch {
		return
	}
	m.epoch = epoch
	m.sent, m.kept = nil, nil
	m.end = ending{known: true, epoch: epoch, model: model}
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
		msg := step.Msg{Kind: End, From: m.id, To: v, Turn: m.p.Turns(), Epoch: m.end.epoch}
		if m.p.Final {
			msg.Body = slices.Clone(m.end.model)
		}
		out.Msgs = append(out.Msgs, msg)
	}
	out.Timers = append(out.Timers, step.Timer{Turn: m.p.Turns(), Delay: retry})
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

// Ended reports whether this node knows that the run is over, and the model, nil
// if it was not shown to it.
func (m *Machine) Ended() (model []float64, ended bool) { return m.end.model, m.end.known }
