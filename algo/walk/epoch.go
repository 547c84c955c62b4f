package walk

import "github.com/hearsay-dp/hearsay/step"

// An epoch begins when a node declares a token lost that it had waited for. So
// one can only be where the protocol has nodes do that; its number names the node
// that began it (succeed); and it costs that node a silence first. A message of
// an epoch that cannot be is dropped unread: its body, its turn and its answer
// are as void as it is.

// Expect tells a machine that the token is never away from it for more than so
// many turns, but for a probability that the caller has chosen: the law of the
// path is public, and a token or an end of a turn that lies further ahead is
// forged. Where tokens may go around nodes the law is another, and this is not
// used.
func (m *Machine) Expect(turns int) { m.away = step.Turn(turns) }

// reachable reports whether the walk can have come from this node's last turn to
// turn t without this node.
func (m *Machine) reachable(t step.Turn) bool {
	return m.away == 0 || m.p.silence() != 0 || t-m.next <= m.away
}

// mostSkipped is how many successions a node can have missed: more than there
// can be in any run, and so few that whoever raises the epoch on purpose does
// not get to the end of the numbers.
const mostSkipped = 1 << 20

// refill is the turn of the timer that lets a node take one more new epoch.
const refill step.Turn = -1

// admits reports whether a message of this epoch can be, and takes note of an
// epoch that is new.
func (m *Machine) admits(epoch uint64, out *step.Out) bool {
	if epoch <= m.epoch {
		return true
	}
	n := uint64(m.p.Nodes)
	own := epoch%n == uint64(m.id) // it would know
	if m.p.silence() == 0 || epoch < n || own || epoch/n-m.epoch/n > mostSkipped || m.raised >= m.mostRaised() {
		return false
	}
	if m.raised++; m.raised == 1 {
		m.armRefill(out)
	}
	return true
}

// mostRaised is how many new epochs a node takes at once: each participant may
// have lost a token at the same time. After that it takes one for each silence.
func (m *Machine) mostRaised() int { return m.p.Nodes + 8 }

func (m *Machine) armRefill(out *step.Out) {
	m.arm(refill, m.p.silence(), out)
}

// refilled is called when a silence has passed.
func (m *Machine) refilled(out *step.Out) {
	if m.raised == 0 {
		return
	}
	if m.raised--; m.raised > 0 {
		m.armRefill(out)
	}
}

// silence is how many ticks a node waits at least before it begins an epoch; 0:
// no node ever does.
func (p *Protocol) silence() int {
	h := p.Handover
	switch {
	case h.Around > 0 && h.Lease > 0:
		return min(h.Around, 2*h.Lease)
	case h.Around > 0:
		return h.Around
	}
	return 2 * h.Lease
}
