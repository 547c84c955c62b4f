package ledger

import (
	"crypto/sha256"
	"errors"
	"time"

	"github.com/hearsay-dp/hearsay/step"
)

// A Digest is a SHA-256 hash.
type Digest = [sha256.Size]byte

// Errors that callers tell apart with errors.Is.
var (
	// ErrRepeated: the entry holds a turn or a message that an earlier one
	// holds. Nothing was written; the ledger goes on.
	ErrRepeated = errors.New("already in the ledger")
	// ErrNotDurable: the entry may not be on disk, so nothing of it may be
	// sent. The ledger takes no further entries.
	ErrNotDurable = errors.New("not durable")
	// ErrLocked: another process holds the ledger.
	ErrLocked = errors.New("held by another process")
	// ErrVersion: another release wrote the file.
	ErrVersion = errors.New("of another version")
	// ErrDamaged: the file is no ledger, or one that has been damaged.
	ErrDamaged = errors.New("damaged")
)

// Federation is whose ledger this is; it is fixed when the ledger is made.
type Federation struct {
	Name   string
	Spec   Digest // hash of the resolved spec
	Node   string // this participant's name
	ID     step.NodeID
	Policy []byte // the policy that accepted the spec, as text
	Book   Mark   // where the participant's budget book ended when the ledger was made; zero: no book is known
	Ledger ID     // drawn when the ledger is made; Create ignores what is given
}

// An ID is what sets a ledger apart from all others, random.
type ID [16]byte

// A Mark is where a ledger once ended, for another one to remember it by.
type Mark struct {
	Ledger  ID
	Entries int64
	Hash    Digest
}

// A Start is what sets one start of a node apart from all others, random. The
// zero Start is none.
type Start [8]byte

// A Key names one message between this node and Peer, under an epoch.
type Key struct {
	Epoch uint64 // at most 2^63-1
	Peer  step.NodeID
	Kind  step.Kind
	Turn  step.Turn
	Lane  step.Lane
}

// A Receipt is a message with a value that was received, and the hash of its bytes: the one that its
// sender's ledger holds as the body of a release.
type Receipt struct {
	Key
	Body Digest
}

// A Message waits in the outbox until it is acknowledged.
type Message struct {
	Key
	Frame []byte // what is sent, byte for byte, each time
}

// A Release is a value let out and the hash of its bytes.
type Release struct {
	step.Release
	Body Digest
}

// A Spend is a loss incurred towards a participant. Kinds are the caller's:
// amounts of one kind must be such that they add up.
type Spend struct {
	Towards step.NodeID
	Kind    string
	Amount  float64 // finite
}

// An Entry is everything one step of the machine did. No turn of a
// lane is released twice to the same receiver, and no message received twice, in
// one epoch.
type Entry struct {
	Time     time.Time
	Epoch    uint64 // never below the entry before
	Releases []Release
	Received []Receipt
	State    []byte // nil: as before
	Send     []Message
	Acked    []Key // leave the outbox; those that are not in it are ignored
	Spends   []Spend
	Start    Start  // not zero: this entry is the first of a start of the node
	Leaves   bool   // of that start: from it on the node contributes nothing
	Table    Digest // of that start: the fingerprint of the table that it learns from, zero where none is known
}

// A Row is a release as the ledger holds it.
type Row struct {
	Seq   int64 // 1, 2, ...
	Entry int64 // the commit that wrote it, 1, 2, ...
	Time  time.Time
	Epoch uint64
	Release
	Hash Digest // over the hash before and this row
}

// A Head is where a ledger ends.
type Head struct {
	Entries  int64
	Releases int64
	Hash     Digest
}

// Recovered is what a node goes on with.
type Recovered struct {
	State  []byte // nil: no entry had one
	Outbox []Message
	Epoch  uint64
	Head   Head
}
