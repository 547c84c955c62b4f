// Package wire implements the frame format of nodes: one step.Msg, or a Hello, as a byte string that ends in a
// checksum. docs/WIRE.md describes it byte by byte, with test vectors that the tests of this package read.
//
// A message frame with 100 numbers has 54 further bytes in a federation of up to 128 nodes, and 64 with up to two
// million nodes, within the first two million turns and frames. It never has more than MaxOverhead.
//
// All functions are pure: no clock, no network, no randomness. Decoding trusts no input: it allocates no more than
// the given limit, refuses NaN and infinities, and accepts exactly one encoding of each value.
package wire
