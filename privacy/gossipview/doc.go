// Package gossipview accounts for averaging with neighbours after one draw of noise. The messages that a set of
// observers receives are jointly Gaussian, so that their View is a linear subspace, and the share of a node's
// value in it is computed exactly. Leakage is therefore an accountant and an attack in one. Rounds covers fresh
// noise in every round. published.go has the formulas of 002, chapter 6, as printed.
package gossipview
