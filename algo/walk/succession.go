package walk

import (
	"slices"

	"github.com/hearsay-dp/hearsay/step"
)

// givenUp reports whether a token has gone unanswered for limit ticks or more. A limit of 0 means never.
func (m *Machine) givenUp(h *handed, limit int) bool { return limit > 0 && h.waited >= limit }

// watch monitors a token that was handed over. Once its lease has run out it probes the holder. If the holder is
// silent for as long again, it declares a successor.
func (m *Machine) watch(out *step.Out) {
	m.kept.waited += retry
	lease := m.p.Handover.Lease
	if m.givenUp(m.kept, 2*lease) {
		m.succeed(m.kept, out)
		return
	}
	if m.kept.waited >= lease {
		probe := m.kept.Msg
		probe.Kind, probe.Body = Probe, nil
		out.Msgs = append(out.Msgs, probe)
	}
	m.arm(m.kept.Turn, retry, out)
}

// answer tells a predecessor whether the token that it handed over has been passed on. A node that does not have the
// token is silent. Without leases there is no answer, because answers would reveal when the token was here last, and
// the privacy of a node rests on the hidden path.
func (m *Machine) answer(probe step.Msg, out *step.Out) {
	if m.p.Handover.Lease == 0 {
		return
	}
	reply := m.message(Passed, probe.From, probe.Turn, probe.Epoch)
	switch {
	case probe.Epoch > m.epoch || probe.Epoch == m.epoch && probe.Turn >= m.next:
		return
	case m.sent != nil && m.sent.Epoch == probe.Epoch:
		reply.Kind = Holding
	}
	out.Msgs = append(out.Msgs, reply)
}

// answered handles the answer to a probe.
func (m *Machine) answered(msg step.Msg) {
	if m.kept == nil || msg.Turn != m.kept.Turn || msg.Epoch != m.kept.Epoch || msg.From != m.kept.To {
		return
	}
	if msg.Kind == Passed {
		m.kept = nil
		return
	}
	m.kept.waited = 0
}

// succeed declares a token lost and hands its copy to another node, in a new epoch. Epochs of different nodes differ,
// so that exactly one of two tokens is valid.
func (m *Machine) succeed(lost *handed, out *step.Out) {
	m.sent, m.kept = nil, nil
	n := uint64(m.p.Nodes)
	m.epoch = (max(m.epoch, lost.Epoch)/n+1)*n + uint64(m.id)
	m.hush(lost.To, out)
	to := m.elsewhere(lost.Turn-1, lost.tried, lost.To)
	m.next = lost.Turn
	if _, known := slices.BinarySearch(m.neighbours, to); !known {
		m.hold(lost.Body, lost.Turn, out)
		return
	}
	m.hand(lost.Body, lost.Turn, to, lost.tried+1, out)
}

// firstQuiet is the turn of the timer after which node 0 is tried again; that of node v is firstQuiet - v.
const firstQuiet step.Turn = -2

// stillQuiet is the number of silences for which a node that was given up is not tried again unless it sends a
// message. Each try costs a silence and an epoch.
const stillQuiet = 32

// hush marks v as given up.
func (m *Machine) hush(v step.NodeID, out *step.Out) {
	if m.quiet == nil {
		m.quiet = map[step.NodeID]bool{}
	}
	m.quiet[v] = true
	m.arm(firstQuiet-step.Turn(v), stillQuiet*m.p.silence(), out)
}

// elsewhere returns the node that receives the token of turn t+1 instead of silent, after tried attempts. It avoids
// nodes that have been given up too, if draws find another.
func (m *Machine) elsewhere(t step.Turn, tried int, silent step.NodeID) (to step.NodeID) {
	for range len(m.neighbours) + 1 {
		tried++
		if to = m.hopper.router.Again(m.id, t, m.p.Lane, tried, silent); !m.quiet[to] {
			return to
		}
	}
	return to
}
