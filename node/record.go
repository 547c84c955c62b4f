package node

import (
	"encoding/binary"
	"errors"
)

// A record is what the ledger keeps as the state of this node: a version, how
// often it has been started, and the machine's snapshot once that was started.
type record struct {
	incarnation uint64
	started     bool
	machine     []byte
}

// recordVersion begins every record.
const recordVersion = 1

var errRecord = errors.New("not a node's state")

// append appends r to dst, with the snapshot that snapshot appends.
func (r record) append(dst []byte, snapshot func([]byte) []byte) []byte {
	dst = binary.AppendUvarint(append(dst, recordVersion), r.incarnation)
	if !r.started {
		return append(dst, 0)
	}
	return snapshot(append(dst, 1))
}

// readRecord reads what append wrote.
func readRecord(data []byte) (record, error) {
	if len(data) == 0 || data[0] != recordVersion {
		return record{}, errRecord
	}
	incarnation, size := binary.Uvarint(data[1:])
	if size <= 0 {
		return record{}, errRecord
	}
	rest := data[1+size:]
	if len(rest) == 0 || rest[0] > 1 || rest[0] == 0 && len(rest) > 1 {
		return record{}, errRecord
	}
	return record{incarnation: incarnation, started: rest[0] == 1, machine: rest[1:]}, nil
}
