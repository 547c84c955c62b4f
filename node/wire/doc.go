// Package wire is the frame format that nodes speak: one step.Msg, or a Hello,
// as a byte string that ends in a checksum. docs/WIRE.md describes it byte by
// byte, with test vectors that the tests of this package read.
//
// A message frame costs 54 bytes beside 100 numbers in a federation of up to 128
// nodes within the first two million turns and frames, 64 bytes with up to two
// million nodes, and never more than MaxOverhead.
//
// Everything here is pure: no clock, no network, no randomness. Decoding
// trusts nothing: it allocates no more than the limit it is given, refuses NaN
// and infinities, and accepts exactly one encoding of each value.
package wire
