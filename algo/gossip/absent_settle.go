package gossip

import (
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/step"
)

// rows returns the data that this node's next step is on: none once it was charged for a late value, or while so many values are in
// doubt that with this one more than MostLate could be.
func (m *Machine) rows() model.Examples {
	if m.Late() > 0 || m.absent != nil && len(m.absent.asked) >= MostLate {
		return model.Examples{}
	}
	return m.examples
}

// cleared notes that a node has not voted against this one in a round, and never will.
func (m *Machine) cleared(t step.Turn, by step.NodeID, clear bool) {
	if who, open := m.absent.asked[t]; open && clear && !slices.Contains(who, by) {
		m.absent.asked[t] = append(who, by)
	}
}

// settled reports whether no quorum can exist that had this node out of a round.
func (a *absences) settled(t step.Turn) bool {
	return len(a.asked[t])+1 > a.Rules.Nodes-a.Rules.Quorum()+a.Rules.Liars
}

// charge charges this node its local loss for a round.
func (m *Machine) charge(t step.Turn, out *step.Out) {
	if _, open := m.absent.asked[t]; !open {
		return
	}
	delete(m.absent.asked, t)
	m.absent.late++
	out.Releases = append(out.Releases, step.Release{From: m.id, To: m.id, Turn: t, Lane: late, Contributed: true,
		Sensitivity: m.p.Noise.SensitivityOf(m.id), NoiseStd: m.p.Noise.Std()})
}

// settle charges all rounds before t of which it is not certain that no quorum had this node out of them.
func (m *Machine) settle(t step.Turn, out *step.Out) {
	for _, at := range slices.Sorted(maps.Keys(m.absent.asked)) {
		switch {
		case at >= t:
		case m.absent.settled(at):
			delete(m.absent.asked, at)
		default:
			m.charge(at, out)
		}
	}
}

// finish sends a Closed to everybody who was in the last round.
func (m *Machine) finish(out *step.Out) {
	a := m.absent
	for _, u := range m.neighbours {
		if !a.nodes[u].away {
			m.sent = append(m.sent, step.Msg{Kind: Closed, From: m.id, To: u, Turn: m.turn, Lane: ends, Body: m.against(m.turn - 1)})
		}
	}
	m.repeat(m.turn, out)
	a.waited = 0
	out.Timers = append(out.Timers, step.Timer{Turn: m.turn, Lane: votes, Delay: retry})
}

// ended reports whether nothing is open any more.
func (a *absences) ended() bool {
	for t := range a.asked {
		if !a.settled(t) {
			return false
		}
	}
	return true
}

// over takes a Closed.
func (m *Machine) over(msg step.Msg, out *step.Out) {
	if msg.Turn != m.p.Turns() || m.turn != msg.Turn || len(msg.Body) != m.absent.Rules.Absent {
		return
	}
	m.implied(msg.From, msg.Turn)
	m.cleared(msg.Turn-1, msg.From, !slices.Contains(msg.Body, float64(m.id)))
	out.Msgs = append(out.Msgs, step.Msg{Kind: ClosedAck, From: m.id, To: msg.From, Turn: msg.Turn, Lane: ends})
	m.end(out)
}
