// Package pairing implements the noise that two partners share, one adding and the other subtracting it, as a real
// node draws it: from a secret that only they know, on the grid of package discrete.
//
// # Partners who are not neighbours
//
// If the secrets graph is not that of messages, keys are forwarded from neighbour to neighbour. Each key is signed
// by the identity that the specification lists for its participant, together with the hash of the specification,
// the epoch and the number. A forwarding node can drop it, but not alter it. A key of an earlier run of the same
// specification is signed too. So every participant also signs the digest of all keys. No participant begins
// before all of its partners have signed the digest of the keys that it has.
//
// # Secret
//
// For every run a participant creates an X25519 key, and shows its public half to its neighbours over the channel
// that their ed25519 identities authenticate. The key is not derived from the identity. Otherwise two runs of one
// specification would have the same noise, and their difference would hide nothing. And a party that obtains an
// identity key later would learn all past noise. The key is kept with the node's state and deleted when the run is
// over. The secret of two neighbours is their X25519 shared secret, extracted by HKDF-SHA256 with the hash of the
// specification. It is expanded with both numbers and both public keys, so that nobody can give two edges one
// secret by repeating a public key.
//
// # Stream
//
// For every epoch, turn and lane the secret is expanded into the seed of a ChaCha8 stream, from which the discrete
// Gaussian is drawn exactly. A stream is for one value: Noise panics if it is asked for a turn twice, or for one
// before the last. A machine repeats sent messages from its snapshot and draws nothing again.
//
// # Security
//
// The noise of an edge hides data only computationally: it rests on X25519, SHA-256 and ChaCha8. A node's own
// noise comes from the operating system (package secret). A neighbour that shows an invalid key, or adds other
// noise than it should, spoils the model. It learns nothing more, because it knows the noise of its own secrets
// anyway. docs/PAIRWISE.md charges the loss under the remaining noise.
package pairing
