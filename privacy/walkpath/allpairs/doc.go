// Package allpairs bounds the moments E V^k of the path energy for every ordered
// pair of nodes of a random walk, whatever its graph (docs/ALLPAIRS.md proves
// it). Moments depend neither on the noise nor on delta: a few numbers a pair
// answer every question that is put to the pair later.
//
// No walk is followed for a pair. What it takes are the gaps between the visits
// of the token: the first few turns of their laws exactly, by convolution of
// the powers of W (near.go), all longer ones through Green's functions at a few
// rates (green.go), of which sums with positive weights stay above powers of
// 1/gap (fit.go). Contributions are then put together in clusters that close
// within one gap (cluster.go). Everything is rounded up.
package allpairs
