// Package identity implements the identity of a participant: an ed25519 key, its file, and the text that names it.
//
// The text is the libp2p peer id ("12D3KooW", 52 characters), because an operator then meets one string
// everywhere: in the spec, in logs, at the end of a multiaddress (/ip4/.../p2p/12D3KooW...). For ed25519 it
// contains the public key, so text, key and id are one value with one spelling. Its alphabet has no look-alike
// characters, and a double click selects all of it. It has no checksum: a mistyped id names a key that nobody has,
// so no connection can be made to it.
package identity
