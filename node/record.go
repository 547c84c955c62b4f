package node

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/step"
)

// A record is this node's state in the ledger: a version, the number of starts, the positions of its neighbours'
// ledgers, and the machine's snapshot once the machine was started.
type record struct {
	incarnation uint64
	witnesses   map[step.NodeID]witness
	gone        uint64 // 1 + the number of the participant that has left for good; 0: nobody
	started     bool
	machine     []byte
}

// recordVersion is the first byte of every record. It must be raised with every change of the format.
const recordVersion = 3

var errRecord = errors.New("not a node's state")

// append appends r to dst, with the snapshot that snapshot appends.
func (r record) append(dst []byte, snapshot func([]byte) []byte) []byte {
	dst = binary.AppendUvarint(append(dst, recordVersion), r.incarnation)
	dst = binary.AppendUvarint(dst, uint64(len(r.witnesses)))
	for _, v := range slices.Sorted(maps.Keys(r.witnesses)) {
		w := r.witnesses[v]
		dst = append(append(append(dst, w.Ledger[:]...), w.Start[:]...), w.Seal[:]...)
		for _, x := range []uint64{uint64(v), w.Entries, w.incarnation, count(w.bound)} {
			dst = binary.AppendUvarint(dst, x)
		}
	}
	dst = binary.AppendUvarint(dst, r.gone)
	if !r.started {
		return append(dst, 0)
	}
	return snapshot(append(dst, 1))
}

func count(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// readRecord decodes the record that append wrote.
func readRecord(data []byte) (record, error) {
	if len(data) == 0 || data[0] != recordVersion {
		return record{}, errRecord
	}
	rest := data[1:]
	r := record{witnesses: map[step.NodeID]witness{}}
	var witnesses uint64
	for _, into := range []*uint64{&r.incarnation, &witnesses} {
		if !number(&rest, into) {
			return record{}, errRecord
		}
	}
	for range witnesses {
		v, w, ok := readWitness(&rest)
		if !ok {
			return record{}, errRecord
		}
		r.witnesses[v] = w
	}
	if !number(&rest, &r.gone) || r.gone > math.MaxInt32 {
		return record{}, errRecord
	}
	if len(rest) == 0 || rest[0] > 1 || rest[0] == 0 && len(rest) > 1 {
		return record{}, errRecord
	}
	r.started, r.machine = rest[0] == 1, rest[1:]
	return r, nil
}

func readWitness(rest *[]byte) (v step.NodeID, w witness, ok bool) {
	for _, field := range [][]byte{w.Ledger[:], w.Start[:], w.Seal[:]} {
		if len(*rest) < len(field) {
			return v, w, false
		}
		copy(field, *rest)
		*rest = (*rest)[len(field):]
	}
	var id, bound uint64
	for _, into := range []*uint64{&id, &w.Entries, &w.incarnation, &bound} {
		if !number(rest, into) {
			return v, w, false
		}
	}
	w.bound = bound == 1
	return step.NodeID(id), w, id <= math.MaxInt32 && bound <= 1
}

// number reads a varint from rest.
func number(rest *[]byte, into *uint64) bool {
	x, size := binary.Uvarint(*rest)
	if size <= 0 {
		return false
	}
	*into, *rest = x, (*rest)[size:]
	return true
}
