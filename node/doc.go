// Package node is the daemon: one participant's machine, its ledger and its
// links in one event loop. The machine is the same pure code that the simulator
// drives; a run of daemons and a run on the virtual network give the same
// model, bit for bit, when they are given the same noise.
//
// # One event
//
// A frame, a timer or the end of the context goes to the machine, and what the
// machine asks for is carried out in this order: the releases with the digests
// of their bodies and the machine's state are committed to the ledger in one
// transaction; then messages are sent; then timers are armed. A commit that
// fails ends the run before anything is sent.
//
// # When nothing is committed
//
// There is one commit, and one wait for the disk, a hop:
//
//   - An input that changes nothing (a duplicate, an answer to nothing) is
//     answered without a commit.
//   - An input that asks for nothing (an acknowledgement) changes the state in
//     memory; the next commit takes it along. A crash before that is the same
//     as the loss of that message.
//   - Messages that repeat a body which the ledger holds as released to the
//     same receiver are sent again at once.
//
// # Every message on the wire is in the ledger
//
// The body of each message that leaves is one that the ledger holds, by its
// digest (BodyDigest), as released to its receiver. Where a machine sends a
// body on without a release of its own, the daemon writes one: with the
// sensitivity and the noise of the release that the body comes from, or as
// passed on where it was another node's.
//
// # Agreement before data
//
// On a link that comes up each side says hello with the hash of its spec. A
// neighbour whose hash differs gets no payload, and what it sends is refused;
// both sides log which fields differ. Payload goes to a neighbour once its
// hello was heard and it has confirmed ours on this link. A machine is started
// when all neighbours have agreed once, so that no run begins with half a
// federation.
//
// # Nothing spent is forgotten
//
// Frames say how far their sender's ledger is. A node keeps the last that it heard
// of each neighbour, and shows it to the neighbour in its hellos. A node that is
// shown an entry that it sealed and does not have runs on an old copy, a new ledger
// or a second machine: it stops. One that is recovered goes on once all neighbours
// have confirmed that it has forgotten nothing, or after Config.Grace.
package node
