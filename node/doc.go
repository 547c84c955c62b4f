// Package node implements the daemon: one participant's machine, its ledger and its links in one event loop. The
// machine is the same pure code that the simulator drives. A run of daemons and a run on the virtual network give
// the same model, bit for bit, if they are given the same noise.
//
// # One event
//
// A frame, a timer or the end of the context goes to the machine. The node carries out the machine's requests in
// this order. First it commits the releases, with the digests of their bodies, and the machine's state to the
// ledger in one transaction. Then it sends messages, then it arms timers. A commit that fails ends the run before
// anything is sent.
//
// # When nothing is committed
//
// There is one commit per hop, so one wait for the disk. These cases need none:
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
// The ledger holds the body of each message that leaves, by its digest (BodyDigest), as released to its receiver.
// If a machine sends a body on without a release of its own, the daemon writes one. It has the sensitivity and the
// noise of the release that the body comes from, or is marked as passed on if the body was another node's.
//
// # Agreement before data
//
// When a link comes up each side sends a hello with the hash of its spec. If the hashes differ, all other frames
// are refused and no payload is sent. Both sides log the fields that differ. Payload is sent to a neighbour
// once its hello was heard and it has confirmed ours on this link. A machine is started when all neighbours have
// agreed once, so that no run begins with half a federation.
//
// # Nothing spent is forgotten
//
// Frames state the position of their sender's ledger. A node keeps the last position that it heard of each
// neighbour, and shows it to the neighbour in its hellos. A node that is shown an entry that it sealed and does
// not have must stop: it runs on an old copy, on a new ledger, or as a second machine. A recovered node goes on
// once all neighbours have confirmed that it has forgotten nothing, or after Config.Grace.
package node
