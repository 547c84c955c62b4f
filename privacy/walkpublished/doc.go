// Package walkpublished is the published accountant of a token that walks on a graph:
// the pairwise loss of 002, equations D.8 to D.11 (000, Theorem 3), which sums
// the powers of the transition matrix. One row, all pairs, what a coalition or a
// node that was spotted learns, and the closed forms of the star, the ring and
// the complete graph.
//
// Its numbers are as printed and not always bounds; privacy/walkpath has those.
//
//	a, err := walk.New(w, steps, walk.Exact)
//	sums, err := a.Sums(workers)
//	losses, err := a.Pairs(sums, walk.Known).Losses(sigma, charge)
package walkpublished
