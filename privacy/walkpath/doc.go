// Package walkpath is the sound accountant of a token that walks on a graph. Given its path, an observer
// learns about a node no more than from one Gaussian. Its squared shift is the energy of a convex minorant,
// which the path determines (energy.go). A Law bounds that energy over all paths and a Simulation samples
// it. The loss at any delta is an expectation under either.
//
//	law, err := walkpath.Walk{Nodes: n, W: w, Start: walkpath.AnyStart, Turns: t, ...}.Law(u, v)
//	eps := law.Epsilon(delta, sigma)
//
// Lower bounds for the same walks are in audit.go and audit_hidden.go.
package walkpath
