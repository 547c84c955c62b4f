package walk

import "github.com/hearsay-dp/hearsay/step"

// An epoch begins when a node that has waited for a token declares it lost. So an epoch is possible only if the
// protocol has nodes do that. Its number names the node that began it (succeed), and that node must wait for a
// silence first. A message of an impossible epoch is dropped unread.

// Expect sets the largest number of turns for which the token is away from this node, except with a probability that
// the caller has chosen. The law of the path is public, so that a token or an end of a turn further ahead is forged.
// If tokens may bypass nodes the law is different, and the bound is not used.
func (m *Machine) Expect(turns int) { m.away = step.Turn(turns) }

// reachable reports whether the walk can have come from this node's last turn to turn t without this node.
func (m *Machine) reachable(t step.Turn) bool {
	return m.away == 0 || m.p.silence() != 0 || t-m.next <= m.away
}

// mostSkipped is the largest number of successions that a node can have missed. It is larger than in any run, and so
// small that a node that raises the epoch on purpose does not exhaust the numbers.
const mostSkipped = 1 << 20

// refill is the turn of the timer after which a node accepts one more new epoch.
const refill step.Turn = -1

// admits reports whether a message of this epoch is possible, and counts a new epoch.
func (m *Machine) admits(epoch uint64, out *step.Out) bool {
	if epoch <= m.epoch {
		return true
	}
	n := uint64(m.p.Nodes)
	own := epoch%n == uint64(m.id) // this node would know
	if m.p.silence() == 0 || epoch < n || own || epoch/n-m.epoch/n > mostSkipped || m.raised >= m.mostRaised() {
		return false
	}
	if m.raised++; m.raised == 1 {
		m.armRefill(out)
	}
	return true
}

// mostRaised returns the number of new epochs that a node accepts at once, because each participant may have lost a
// token at the same time. After that it accepts one for each silence.
func (m *Machine) mostRaised() int { return m.p.Nodes + 8 }

func (m *Machine) armRefill(out *step.Out) {
	m.arm(refill, m.p.silence(), out)
}

// refilled handles the end of a silence.
func (m *Machine) refilled(out *step.Out) {
	if m.raised == 0 {
		return
	}
	if m.raised--; m.raised > 0 {
		m.armRefill(out)
	}
}

// silence returns the least number of ticks that a node waits before it begins an epoch. 0 means that no node ever
// does.
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
