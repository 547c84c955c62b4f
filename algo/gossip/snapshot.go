package gossip

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/state"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// snapshotVersion is the first byte of every snapshot.
const snapshotVersion = 3

// Snapshot implements step.Durable.
func (m *Machine) Snapshot(dst []byte) []byte {
	dst = append(dst, snapshotVersion)
	for _, x := range []uint64{uint64(m.node.Contributions), uint64(m.node.unsent), truth(m.node.fresh), uint64(m.turn)} {
		dst = binary.AppendUvarint(dst, x)
	}
	dst = state.AppendFloats(state.AppendFloats(dst, m.x), m.previous)
	dst = binary.AppendUvarint(dst, uint64(len(m.heard)))
	for _, u := range slices.Sorted(maps.Keys(m.heard)) {
		dst = state.AppendFloats(binary.AppendUvarint(dst, uint64(u)), m.heard[u])
	}
	dst = binary.AppendUvarint(dst, uint64(len(m.ahead)))
	for _, u := range slices.Sorted(maps.Keys(m.ahead)) {
		dst = state.AppendMsg(dst, m.ahead[u])
	}
	dst = binary.AppendUvarint(dst, uint64(len(m.sent)))
	for _, msg := range m.sent {
		dst = state.AppendMsg(dst, msg)
	}
	if m.p.KeepMean {
		dst = state.AppendFloats(dst, m.node.Mean)
	}
	if m.p.Momentum > 0 {
		dst = state.AppendFloats(dst, m.node.Velocity)
	}
	if m.p.Memory != nil {
		dst = state.AppendFloats(dst, m.node.Past)
	}
	if m.agreed != nil {
		dst = state.AppendFloats(state.AppendBool(dst, m.begun), m.agreed.State())
	}
	if m.intro != nil {
		dst = m.intro.append(dst, m.neighbours)
	}
	if m.kernel.step.Asks() {
		dst = state.AppendBool(dst, m.asked != nil)
	}
	if m.absent != nil {
		dst = m.absent.append(dst)
	}
	return dst
}

func appendUint(dst []byte, x int) []byte { return binary.AppendUvarint(dst, uint64(x)) }

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Restore implements step.Durable.
func (m *Machine) Restore(data []byte) error {
	r, neighbours := state.NewReader(data, m.longest()), uint64(len(m.neighbours))
	r.Version(snapshotVersion)
	m.node.Contributions, m.node.unsent, m.node.fresh = int(r.Uint(math.MaxInt32)), int(r.Uint(math.MaxInt32)), r.Uint(1) == 1
	m.turn = step.Turn(r.Uint(uint64(m.p.Turns())))
	m.x, m.previous = r.Floats(), r.Floats()
	clear(m.heard)
	clear(m.ahead)
	m.sent = nil
	for range r.Uint(neighbours) {
		u := step.NodeID(r.Uint(math.MaxInt32))
		m.heard[u] = r.Floats()
	}
	for range r.Uint(neighbours) {
		msg := r.Msg()
		m.ahead[msg.From] = msg
	}
	for range r.Uint(3 * neighbours) {
		m.sent = append(m.sent, r.Msg())
	}
	if m.p.KeepMean {
		m.node.Mean = r.Floats()
	}
	if m.p.Momentum > 0 {
		m.node.Velocity = r.Floats()
	}
	if m.p.Memory != nil {
		m.node.Past = r.Floats()
	}
	m.begun = true
	if m.agreed != nil {
		m.begun = r.Bool()
		if err := m.agreed.Restore(r.Floats()); err != nil {
			return err
		}
	}
	if m.intro != nil {
		m.intro.restore(r, m.p.Nodes, m.neighbours)
	}
	if m.asked = nil; m.kernel.step.Asks() && r.Bool() {
		m.asked = &step.Ask{} // asked again on resume
	}
	if m.absent != nil {
		m.restoreAbsences(r)
	}
	return m.checkRestored(r)
}

// longest returns the length of the longest vector of a snapshot.
func (m *Machine) longest() int {
	most := max(m.valueSize(), m.p.remembered())
	if m.agreed == nil {
		return most
	}
	partners, _ := m.p.Pairs.Row(int(m.id))
	return max(most, noise.StateSize(len(partners)), noise.SignedSize)
}

// checkRestored returns state.ErrDamaged if a vector has the wrong length or a message the wrong lane.
func (m *Machine) checkRestored(r *state.Reader) error {
	if err := r.Err(); err != nil {
		return err
	}
	whole := len(m.x) == m.p.Params && len(m.previous) == m.p.Params
	whole = whole && (!m.p.KeepMean || len(m.node.Mean) == m.p.Params) && (m.p.Momentum == 0 || len(m.node.Velocity) == m.p.Params)
	whole = whole && (m.p.Memory == nil || len(m.node.Past) == m.p.remembered())
	for _, x := range m.heard {
		whole = whole && len(x) == m.p.Params
	}
	for _, msgs := range [][]step.Msg{m.sent, slices.Collect(maps.Values(m.ahead))} {
		for _, msg := range msgs {
			length := m.valueSize()
			switch msg.Kind {
			case Key:
				length = noise.ShownSize
			case Closed:
				length -= m.p.Params
			}
			whole = whole && len(msg.Body) == length && msg.Lane == laneOf(msg.Kind)
		}
	}
	if !whole {
		return state.ErrDamaged
	}
	return nil
}

// Resume implements step.Durable.
func (m *Machine) Resume(out *step.Out) {
	var turns []step.Turn
	for _, msg := range m.sent {
		turns = append(turns, msg.Turn)
	}
	slices.Sort(turns)
	for _, t := range slices.Compact(turns) {
		m.repeat(t, out)
	}
	if m.intro != nil {
		m.passAgain(out)
	}
	if m.asked != nil {
		m.begin(out)
	} else if m.absent != nil {
		m.resumeThere(out)
	}
	m.end(out)
}
