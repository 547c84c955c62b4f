// Package walkpath is the sound accountant of a token that walks on a graph. Given
// its path, what an observer learns about a node is no more than one Gaussian of
// a shift that the path decides: the energy of a convex minorant (energy.go). A
// Law bounds that energy over all paths, a Simulation samples it, and a loss at
// any delta is an expectation under either.
//
//	law, err := path.Walk{Nodes: n, W: w, Start: path.AnyStart, Turns: t, ...}.Law(u, v)
//	eps := law.Epsilon(delta, sigma)
//
// Lower bounds of the same walks are in audit.go and audit_hidden.go.
package walkpath
