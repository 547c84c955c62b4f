// Package pairing is the noise that two partners share and take from each other, as
// a real node draws it: from a secret that only they know, on the grid of package
// discrete.
//
// # Partners who are no neighbours
//
// Where the secrets graph is not that of messages, a key goes from neighbour to neighbour, signed by the identity that the
// specification lists for its participant, together with the hash of the specification, the epoch and the number. Who carries
// it can drop it, and nothing else. A key of an earlier run of the same specification is signed as well: so every
// participant signs the digest of all keys too, and nobody begins before all of its partners have signed the digest of the keys
// that it has.
//
// # Secret
//
// For every run a participant makes an X25519 key, and shows its public half to its
// neighbours over the channel that their ed25519 identities authenticate. It does not
// follow from the identity: two runs of one specification would then have the same noise,
// whose difference hides nothing, and who learns an identity key later would learn all
// noise of the past. The key is kept with the node's state, and forgotten when the run is over. Two
// neighbours' secret is what X25519 agrees on, extracted by HKDF-SHA256 with the hash of
// the specification, and expanded with both numbers and both public keys: by repeating
// somebody's key nobody gives two edges one secret.
//
// # Stream
//
// For every epoch, turn and lane the secret is expanded once more, into the seed of a
// ChaCha8 stream from which the discrete Gaussian is drawn exactly. A stream is for one
// value: Noise panics if it is asked for a turn twice, or for one before the last. A machine
// repeats what it sent from its snapshot and draws nothing again.
//
// # What that is worth
//
// That the noise of an edge hides anything is computational: it rests on X25519, SHA-256
// and ChaCha8. A node's own noise comes from the operating system (package secret). A
// neighbour who shows garbage for a key, or adds something else than it should, spoils the
// model and learns nothing more: it knows the noise of its own secrets anyway, and what is
// left of the others' is what docs/PAIRWISE.md charges.
package pairing
