// Package walkpublished implements the published accountant of a token that walks on a graph: the
// pairwise loss of 002, equations D.8 to D.11 (000, Theorem 3), which sums the powers of the
// transition matrix. It computes one row or all pairs, the loss towards a coalition, and the loss
// of a node whose contributions were spotted. The star, the ring and the complete graph have closed
// forms.
//
// Its numbers are as printed and not always upper bounds. Sound bounds are in privacy/walkpath.
//
//	a, err := walkpublished.New(w, steps, walkpublished.Exact)
//	sums, err := a.Sums(workers)
//	losses, err := a.Pairs(sums, walkpublished.Known).Losses(sigma, charge)
package walkpublished
