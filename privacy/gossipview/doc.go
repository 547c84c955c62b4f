// Package gossipview accounts for averaging with neighbours after one draw of noise.
// What a set of observers hears is one joint Gaussian, so their View is a linear
// subspace, and what it holds of a node's value is exact: Leakage is the
// accountant and the attack in one. Rounds is the same with fresh noise in every
// round; published.go has the formulas of 002, chapter 6, as printed.
package gossipview
