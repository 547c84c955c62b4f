package walkpublished

import "github.com/hearsay-dp/hearsay/internal/math"

// Closed forms of S, the sum over t = 1..Steps of W^t/t, on graphs whose
// spectrum is known, and beside them what 002 prints in their place (Theorems
// 7.11 and 7.12, which are Theorems 4 and 5 of 000). All are in units of
// alpha/sigma^2 for one contribution, before the local cap; nodes are 0..n-1.

// A Star walks on a star whose middle is node 0: it stays where it is with
// probability SelfLoop in [0, 1], else leaves the middle for a uniform leaf,
// and a leaf for the middle. Nodes >= 2, Steps >= 1.
type Star struct {
	Nodes, Steps int
	SelfLoop     float64
}

// A Ring walks on an undirected ring: it stays with probability SelfLoop
// in [0, 1] (1/3: as likely as each neighbour), else goes left or right.
// Nodes >= 3, Steps >= 1.
type Ring struct {
	Nodes, Steps int
	SelfLoop     float64
}

// A Complete hands the token to a uniform node, the holder included.
// Nodes >= 2, Steps >= 1.
type Complete struct{ Nodes, Steps int }

// Printed is ln(n)/n, what 002, Proposition D.11 charges: the endless sum of
// (1/n)(1-1/n)^t/t over the turn t in which the token first comes to v.
//
// The first turn has the law (1/n)(1-1/n)^(t-1); with the printed exponent a
// part 1/n of the probability is missing, see Hitting.
func (c Complete) Printed() float64 { return math.Log(float64(c.Nodes)) / float64(c.Nodes) }
