// Package privacy turns what nodes let out into what others can learn: the
// privacy loss from every node u towards every observer v.
//
// The room is pure. It reads transition matrices and numbers, never data, and
// runs the same before a plan and after a run. Losses come as
// (alpha, eps) Renyi differential privacy (Mironov 2017) or as eps at a delta,
// always with a Claim: published, sound or audit, and under which assumptions.
//
// Units. Noise is a multiplier sigma: standard deviation divided by the
// sensitivity, the largest change (L2) of one released vector when all the data
// of one node changes. For a mean of gradients clipped to norm C, or of an
// L-Lipschitz loss, that is 2C or 2L. A loss is indexed [u][v]: u leaks, v
// learns. Logarithms are natural.
//
// This package holds what all accountants share: claims, metrics, conversions,
// Gaussian views, binomial counts, composition and calibration, and the two
// baselines, what the same steps cost when everything a node sends is public
// (local.go) and when a trusted curator makes them (central.go). The accountants
// live below, one room per family:
//
//	walk    a token that walks on a graph, as published
//	path    the same walk, soundly, by the energy of its path
//	gossip  averaging rounds: what a view of the messages leaks
//	flow    gossip that learns: gradients between averaging, soundly
//	sums    sums and histograms on rings and complete graphs, shuffling
//	admm    consensus ADMM
//	gamma   the Gamma mechanism
//	audit   lower bounds from runs
//
// Every accountant can be inverted: see calibrate.go.
package privacy
