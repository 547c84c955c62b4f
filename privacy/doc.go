// Package privacy bounds how much others can learn from the messages of a run:
// the privacy loss from every node u towards every observer v.
//
// The package is pure. It reads transition matrices and numbers, never data. It
// runs the same before a run, for a plan, and after it. Losses are (alpha, eps)
// Renyi differential privacy (Mironov 2017) or eps at a delta. Each has a Claim
// with its status (published, sound, sound if or audit) and its assumptions.
//
// Units. Noise is a multiplier sigma: standard deviation divided by the
// sensitivity, the largest change (L2) of one released vector when all the data
// of one node changes. For a mean of gradients clipped to norm C, or of an
// L-Lipschitz loss, that is 2C or 2L. A loss is indexed [u][v]: u leaks, v
// learns. Logarithms are natural.
//
// This package holds the parts that all accountants share: claims, metrics,
// conversions, Gaussian views, binomial counts, composition and calibration. It
// also holds two baselines. local.go prices the same steps if everything a node
// sends is public, and central.go prices them if a trusted curator makes them.
// The accountants live in subpackages, one for each family:
//
//	walkpublished  a token that walks on a graph, as published
//	walkpath       the same walk, soundly, by the energy of its path
//	gossipview     averaging rounds: the leakage of a view of the messages
//	flow           gossip that learns: gradients between averaging, soundly
//	pairwise       noise that cancels between partners
//	sums           sums and histograms on rings and complete graphs, shuffling
//	admmview       consensus ADMM
//	gamma          the Gamma mechanism
//	audit          lower bounds from runs
//
// Every accountant can be inverted: see calibrate.go.
package privacy
