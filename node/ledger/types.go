package ledger

import (
	"crypto/sha256"
	"errors"
	"time"

	"github.com/hearsay-dp/hearsay/step"
)

// A Digest is a SHA-256 hash.
type Digest = [sha256.Size]byte

// These errors can be distinguished with errors.Is.
var (
	// ErrRepeated: the entry holds a turn or a message that an earlier one holds. Nothing was written, and the
	// ledger goes on.
	ErrRepeated = errors.New("already in the ledger")
	// ErrNotDurable: the entry may not be on disk, so nothing of it may be sent. The ledger accepts no further
	// entries.
	ErrNotDurable = errors.New("not durable")
	// ErrLocked: another process holds the ledger.
	ErrLocked = errors.New("held by another process")
	// ErrVersion: another release wrote the file.
	ErrVersion = errors.New("of another version")
	// ErrDamaged: the file is no ledger, or a damaged one.
	ErrDamaged = errors.New("damaged")
)

// Federation identifies the owner of a ledger. It is fixed when the ledger is created.
type Federation struct {
	Name   string
	Spec   Digest // hash of the resolved spec
	Node   string // this participant's name
	ID     step.NodeID
	Policy []byte // the policy that accepted the spec, as text
	Book   Mark   // end of the participant's budget book when the ledger was created; zero: no book is known
	Ledger ID     // drawn by Create, which ignores a given value
}

// An ID is the random id of a ledger.
type ID [16]byte

// A Mark is a past end of a ledger, for another ledger to remember.
type Mark struct {
	Ledger  ID
	Entries int64
	Hash    Digest
}

// A Start is the random id of one start of a node. The zero Start means none.
type Start [8]byte

// A Key identifies one message between this node and Peer in an epoch.
type Key struct {
	Epoch uint64 // at most 2^63-1
	Peer  step.NodeID
	Kind  step.Kind
	Turn  step.Turn
	Lane  step.Lane
}

// A Receipt is a received message with a value. Body is the hash of its bytes, which the sender's ledger holds as
// the body of a release.
type Receipt struct {
	Key
	Body Digest
}

// A Message waits in the outbox until it is acknowledged.
type Message struct {
	Key
	Frame []byte // the same bytes each time it is sent
}

// A Release is a released value with the hash of its bytes.
type Release struct {
	step.Release
	Body Digest
}

// A Spend is a loss towards a participant. Kinds are chosen by the caller. Amounts of one kind must be additive.
type Spend struct {
	Towards step.NodeID
	Kind    string
	Amount  float64 // finite
}

// An Entry is the complete result of one step of the machine. In one epoch no turn of a lane may be released twice
// to the same receiver, and no message received twice.
type Entry struct {
	Time     time.Time
	Epoch    uint64 // never below the entry before
	Releases []Release
	Received []Receipt
	State    []byte // nil: as before
	Send     []Message
	Acked    []Key // removed from the outbox; others are ignored
	Spends   []Spend
	Start    Start  // if not zero, this entry is the first of a start of the node
	Leaves   bool   // of that start: the node contributes nothing from here on
	Table    Digest // of that start: fingerprint of the table that it learns from, zero if unknown
}

// A Row is a release as stored in the ledger.
type Row struct {
	Seq   int64 // 1, 2, ...
	Entry int64 // the commit that wrote it, 1, 2, ...
	Time  time.Time
	Epoch uint64
	Release
	Hash Digest // over the hash before and this row
}

// A Head is the position of a ledger's end.
type Head struct {
	Entries  int64
	Releases int64
	Hash     Digest
}

// Recovered is the state with which a node goes on after a restart.
type Recovered struct {
	State  []byte // nil: no entry had one
	Outbox []Message
	Epoch  uint64
	Head   Head
}
