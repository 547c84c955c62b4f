package walk

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/state"
	"github.com/hearsay-dp/hearsay/step"
)

// snapshotVersion is the first byte of every snapshot.
const snapshotVersion = 3

// Snapshot implements step.Durable.
func (m *Machine) Snapshot(dst []byte) []byte {
	dst = append(dst, snapshotVersion)
	for _, x := range []uint64{uint64(m.node.Contributions), m.epoch, uint64(m.next)} {
		dst = binary.AppendUvarint(dst, x)
	}
	for _, h := range []*handed{m.sent, m.kept} {
		dst = state.AppendBool(dst, h != nil)
		if h != nil {
			dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(h.waited)), uint64(h.tried))
			dst = state.AppendMsg(dst, h.Msg)
		}
	}
	return m.appendOwn(binary.AppendUvarint(m.end.append(dst), uint64(m.raised)))
}

// appendOwn appends the state that only some protocols have.
func (m *Machine) appendOwn(dst []byte) []byte {
	if m.p.EdgeCap > 0 {
		dst = binary.AppendUvarint(dst, uint64(len(m.node.crossed)))
		for _, v := range slices.Sorted(maps.Keys(m.node.crossed)) {
			dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(v)), uint64(m.node.crossed[v]))
		}
	}
	if m.p.Keeps {
		dst = state.AppendFloats(dst, m.node.own)
	}
	return dst
}

// restoreOwn reads the state that appendOwn wrote.
func (m *Machine) restoreOwn(r *state.Reader) {
	if m.p.EdgeCap > 0 {
		m.node.crossed = map[step.NodeID]int32{}
		for range r.Uint(uint64(len(m.neighbours)) + 1) {
			v := step.NodeID(r.Uint(math.MaxInt32))
			m.node.crossed[v] = int32(r.Uint(uint64(m.p.EdgeCap)))
		}
	}
	if m.p.Keeps {
		if m.node.own = r.Floats(); len(m.node.own) != m.p.Params {
			r.Fail("what the node keeps to itself is missing")
		}
	}
}

func (e *ending) append(dst []byte) []byte {
	dst = binary.AppendUvarint(state.AppendBool(dst, e.known), e.epoch)
	dst = binary.AppendUvarint(state.AppendFloats(dst, e.model), uint64(len(e.tell)))
	for _, v := range e.tell {
		dst = binary.AppendUvarint(dst, uint64(v))
	}
	return state.AppendBool(binary.AppendUvarint(dst, uint64(e.from)), e.disputed)
}

// Restore implements step.Durable.
func (m *Machine) Restore(data []byte) error {
	r := state.NewReader(data, m.p.Params)
	r.Version(snapshotVersion)
	m.node.Contributions = int32(r.Uint(math.MaxInt32))
	m.epoch, m.next = r.Uint(math.MaxUint64), step.Turn(r.Uint(uint64(m.p.Turns())))
	m.sent, m.kept = m.readHanded(r), m.readHanded(r)
	m.end = ending{known: r.Bool(), epoch: r.Uint(math.MaxUint64), model: r.Floats()}
	for range r.Uint(uint64(len(m.neighbours))) {
		m.end.tell = append(m.end.tell, step.NodeID(r.Uint(math.MaxInt32)))
	}
	m.end.from, m.end.disputed = step.NodeID(r.Uint(math.MaxInt32)), r.Bool()
	m.raised = int(r.Uint(uint64(m.mostRaised())))
	m.restoreOwn(r)
	return r.Err()
}

func (m *Machine) readHanded(r *state.Reader) *handed {
	if !r.Bool() {
		return nil
	}
	h := &handed{waited: int(r.Uint(math.MaxInt32)), tried: int(r.Uint(math.MaxInt32)), Msg: r.Msg()}
	if len(h.Body) != m.p.Params || h.Lane != m.p.Lane {
		r.Fail("a token of another length or lane")
		return nil
	}
	return h
}

// Resume implements step.Durable.
func (m *Machine) Resume(out *step.Out) {
	if m.raised > 0 {
		m.armRefill(out)
	}
	switch {
	case m.end.known:
		m.tellEnd(out)
	case m.sent != nil:
		m.send(m.sent.Msg, out)
	case m.kept != nil:
		m.arm(m.kept.Turn, retry, out)
	}
}

// tokensVersion is the first byte of every snapshot of several tokens, and differs from that of one.
const tokensVersion = 65

// Snapshot implements step.Durable.
func (m *Tokens) Snapshot(dst []byte) []byte {
	dst = binary.AppendUvarint(append(dst, tokensVersion), uint64(len(m.lanes)))
	for _, one := range m.lanes {
		dst = state.AppendPart(dst, one.Snapshot(nil))
	}
	return dst
}

// Restore implements step.Durable.
func (m *Tokens) Restore(data []byte) error {
	r := state.NewReader(data, m.lanes[0].p.Params)
	r.Version(tokensVersion)
	if n := r.Uint(math.MaxUint32); n != uint64(len(m.lanes)) {
		r.Fail("another number of tokens")
	}
	for _, one := range m.lanes {
		part := r.Part()
		if part == nil {
			break
		}
		if err := one.Restore(part); err != nil {
			return err
		}
	}
	return r.Err()
}

// Resume implements step.Durable.
func (m *Tokens) Resume(out *step.Out) {
	m.each(out, func(one *Machine) { one.Resume(out) })
}
