// Package ledger stores on disk the facts that a node must not forget: every value it has released, the messages
// it has received, the messages that wait for an acknowledgement, the state of its machine, and its losses. It is
// an embedded SQLite database with a write-ahead log that is synced at every commit.
//
// # Guarantees of a commit
//
// Commit makes the complete result of one step of the machine durable in one transaction. If it returns nil, all
// of it survives a crash of the process or of the machine. If it returns an error, none of it counts and nothing
// may be sent. So bytes leave only after their release is on disk. A crash can count a release that was never
// sent, but never miss one that was. Commit refuses a repeated turn, a message received before, and other bytes
// for a waiting message with ErrRepeated.
//
// # Faults that Verify finds
//
// Releases form a chain of SHA-256 hashes that starts from the federation and this node's place in it. Each entry
// seals the chain so far, its spends, its receipts, the state, the outbox, and the entry before it. An edit, a
// gap, a doubled turn or a row removed from the middle breaks the chain. A chain cannot show that its end is
// missing. So every commit also notes its head in a file beside the database (its name with "-head"), which the
// operating system keeps when a process dies. Open refuses a ledger that ends before the head. Close writes the
// end into the database itself, and Open removes it again. So a database without a head is complete if it was
// copied after a Close, and refused if it was copied while in use. Backup copies one that is in use.
//
// Older copies of all files are valid but lack the later entries. The files alone cannot reveal this. Each ledger
// has a random id, and each start of the node is in it by a random name (Entry.Start, Wrote). So a neighbour that
// has heard of a later entry can name it, and the node finds it missing.
//
// The chain is not signed: whoever can write the file can write a new chain. It protects against faults and
// careless edits, not against the node's owner.
package ledger
