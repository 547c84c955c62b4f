// Package allpairs bounds the moments E V^k of the path energy for every ordered pair of nodes of a random walk
// on any graph (docs/ALLPAIRS.md has the proofs). Moments depend neither on the noise nor on delta, so that a
// few numbers a pair give the loss for any of these.
//
// It follows no walk for a pair. It uses the laws of the gaps between the visits of the token. The first near
// turns of these laws are exact, by convolution of the powers of W (near.go). Longer gaps are bounded by
// Green's functions at a few rates (green.go), because sums of exponentials with positive weights bound powers
// of 1/gap (fit.go). Contributions are then grouped in clusters, each opened by one gap (cluster.go).
// Everything is rounded up.
package allpairs
