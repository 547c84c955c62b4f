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
// Conversions (conversion.go, gaussian.go) are shared. Walk holds the published
// pairwise accountant of a token that walks on a graph; local.go and central.go
// what the same steps cost when everything a node sends is public, and when a
// trusted curator makes the steps. Every accountant can be inverted: see
// calibrate.go.
package privacy
