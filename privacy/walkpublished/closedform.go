package walkpublished

import "github.com/hearsay-dp/hearsay/internal/math"

// The graphs below have a known spectrum, and so closed forms of S, the sum over t = 1..Steps of
// W^t/t. 002 prints other forms (Theorems 7.11 and 7.12, which are Theorems 4 and 5 of 000). All
// are in units of alpha/sigma^2 for one contribution, before the local cap. Nodes are 0..n-1.

// A Star walks on a star whose middle is node 0. It stays with probability SelfLoop in [0, 1]. Else
// it goes from the middle to a uniform leaf, and from a leaf to the middle. Nodes >= 2, Steps >= 1.
type Star struct {
	Nodes, Steps int
	SelfLoop     float64
}

// A Ring walks on an undirected ring. It stays with probability SelfLoop in [0, 1], else it goes
// left or right. At SelfLoop 1/3 staying is as likely as each neighbour. Nodes >= 3, Steps >= 1.
type Ring struct {
	Nodes, Steps int
	SelfLoop     float64
}

// A Complete walks on the complete graph: the token goes to a uniform node, the holder included.
// Nodes >= 2, Steps >= 1.
type Complete struct{ Nodes, Steps int }

// Printed returns ln(n)/n, the charge of 002, Proposition D.11: the endless sum of (1/n)(1-1/n)^t/t
// over the turn t in which the token first comes to v.
//
// The law of that turn is (1/n)(1-1/n)^(t-1). The printed exponent t loses a share 1/n of the
// probability. The sum of the right law is ln(n)/(n-1).
func (c Complete) Printed() float64 { return math.Log(float64(c.Nodes)) / float64(c.Nodes) }
