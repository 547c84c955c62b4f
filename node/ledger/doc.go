// Package ledger is what a node must not forget, on disk: every value it has
// released, what it has received, what waits for an acknowledgement, the state
// of its machine, and what it has spent. It is an embedded SQLite database
// with a write-ahead log that is synced at every commit.
//
// # What a commit promises
//
// Commit takes everything one step of the machine did and makes it durable in
// one transaction. When it returns nil, all of it survives a crash of the
// process or of the machine; when it returns an error, none of it counts and
// nothing may be sent. So bytes leave after their release is on disk: a crash
// can count a release that was never sent, never miss one that was. A repeated
// turn, a message received before, and other bytes for a message already
// waiting are refused with ErrRepeated.
//
// # What Verify finds
//
// Releases form a chain of SHA-256 hashes that starts from the federation and
// this node's place in it; each entry seals the chain so far, its spends, what
// it received, the state and the outbox, and the entry before it. An edit, a
// gap, a doubled turn or a row removed from the middle breaks the chain. A
// chain cannot show that its end is missing, so every commit also notes its
// head in a file beside the database (its name with "-head"), which the
// operating system keeps when a process dies: Open refuses a ledger that ends
// before the head. Close puts the end into the database itself, and Open takes it
// out again: a database without a head is whole if it was copied after a Close,
// and refused if it was copied while in use. Backup copies one that is in use.
//
// Older copies of everything are whole, and have forgotten what came later. That
// is not detected from inside; each ledger has a random id, and each start of the
// node is in it by a random name (Entry.Start, Wrote), so that a neighbour that
// has heard of a later entry can name it and the node finds it missing.
//
// The chain is not signed: whoever can write the file can write a new chain.
// It protects against faults and careless edits, not against the node's owner.
package ledger
