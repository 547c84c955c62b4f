package admm

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/state"
	"github.com/hearsay-dp/hearsay/step"
)

// snapshotVersion begins every snapshot.
const snapshotVersion = 1

// Snapshot implements step.Durable.
func (m *member) Snapshot(dst []byte) []byte {
	dst = append(dst, snapshotVersion)
	dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(m.last+1)), uint64(m.used))
	return state.AppendFloats(state.AppendFloats(state.AppendFloats(dst, m.U), m.change), m.model)
}

// read reads the part of a snapshot that every node writes.
func (m *member) read(r *state.Reader) {
	r.Version(snapshotVersion)
	m.last = step.Turn(r.Uint(uint64(m.p.Turns()))) - 1
	m.used = int(r.Uint(uint64(m.p.Contributions())))
	m.U, m.change, m.model = r.Floats(), r.Floats(), r.Floats()
}

// check refuses vectors of another length.
func (m *member) check(r *state.Reader) error {
	if err := r.Err(); err != nil {
		return err
	}
	for i, x := range [][]float64{m.U, m.change, m.model} {
		if len(x) != m.p.Params && (i == 0 || x != nil) {
			return state.ErrDamaged
		}
	}
	if (m.last >= 0) != (m.change != nil) {
		return state.ErrDamaged
	}
	return nil
}

// Restore implements step.Durable.
func (m *Participant) Restore(data []byte) error {
	r := state.NewReader(data, m.p.Params)
	m.read(r)
	return m.check(r)
}

// Snapshot implements step.Durable.
func (m *Server) Snapshot(dst []byte) []byte {
	dst = m.member.Snapshot(dst)
	dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(m.turn)), uint64(m.tries))
	dst = state.AppendFloats(state.AppendFloats(dst, m.zhat), m.z)
	dst = appendNodes(appendNodes(dst, m.asked), m.tell)
	dst = appendVectors(dst, m.heard)
	known := map[step.NodeID][]float64{}
	for v, e := range m.known {
		known[v] = e.U
	}
	return appendVectors(dst, known)
}

func appendNodes(dst []byte, all []step.NodeID) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(all)))
	for _, v := range all {
		dst = binary.AppendUvarint(dst, uint64(v))
	}
	return dst
}

func appendVectors(dst []byte, all map[step.NodeID][]float64) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(all)))
	for _, v := range slices.Sorted(maps.Keys(all)) {
		dst = state.AppendFloats(binary.AppendUvarint(dst, uint64(v)), all[v])
	}
	return dst
}

// Restore implements step.Durable.
func (m *Server) Restore(data []byte) error {
	r := state.NewReader(data, m.p.Params)
	m.read(r)
	m.turn, m.tries = step.Turn(r.Uint(uint64(m.p.Turns()))), int(r.Uint(math.MaxInt32))
	m.zhat, m.z = r.Floats(), r.Floats()
	m.asked, m.tell = m.nodes(r), m.nodes(r)
	m.heard = m.vectors(r)
	m.known = nil
	if known := m.vectors(r); m.model == nil {
		m.known = map[step.NodeID]*Examiner{}
		for v, u := range known {
			m.known[v] = &Examiner{U: u}
		}
	}
	if err := m.check(r); err != nil {
		return err
	}
	if len(m.zhat) != m.p.Params || len(m.z) != m.p.Params {
		return state.ErrDamaged
	}
	for v := range m.heard {
		if _, asked := slices.BinarySearch(m.asked, v); !asked {
			return state.ErrDamaged
		}
	}
	return nil
}

// nodes reads a list of nodes in the form of appendNodes.
func (m *Server) nodes(r *state.Reader) (all []step.NodeID) {
	for range r.Uint(uint64(m.p.Nodes)) {
		v := step.NodeID(r.Uint(uint64(m.p.Nodes - 1)))
		if n := len(all); n > 0 && all[n-1] >= v {
			r.Fail("nodes are out of order")
			return nil
		}
		all = append(all, v)
	}
	return all
}

// vectors reads vectors in the form of appendVectors.
func (m *Server) vectors(r *state.Reader) map[step.NodeID][]float64 {
	all := map[step.NodeID][]float64{}
	for range r.Uint(uint64(m.p.Nodes)) {
		v, x := step.NodeID(r.Uint(uint64(m.p.Nodes-1))), r.Floats()
		if len(x) != m.p.Params {
			r.Fail("a vector of another length")
			return all
		}
		all[v] = x
	}
	return all
}
