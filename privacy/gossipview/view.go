package gossipview

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/exact"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// Certainty tells how the leakages of a View were decided.
type Certainty string

// From the most to the least certain.
const (
	Confirmed Certainty = "confirmed" // the same modulo 2^31-1 and 2^61-1
	Clear     Certainty = "clear"     // in floating point, by a wide margin
	Saturated Certainty = "saturated" // at least every function that symmetry allows: leakage is an upper bound
	Open      Certainty = "open"      // undecided: leakage is taken for 1 wherever it can be above 0
)

// A View is all that a set of observers learns in a run of gossip: a subspace of the linear combinations of the
// nodes' noisy values,
//
//	span{ e_w' W_{t-1}...W_0 : observer hears w in round t } + span{ e_v : v observes },
//
// with orthogonal projector P. It is an accountant and an attack in one: P_uu = 1 means that the value of u,
// with u's noise, is reconstructed.
type View struct {
	n         int
	rank      int
	certainty Certainty
	exact     bool // rank and units were decided in exact arithmetic, even if leakages are Open
	cells     *exact.Cells
	space     projector
	units     []int  // the cells whose unit vector lies in the space
	reached   []bool // only if Open
}

// projector gives the entries of P: of nodes if each is a cell of its own, else of the unit vectors of cells.
type projector interface {
	Product(i, j int) float64
}

// everything is the identity.
type everything struct{}

func (everything) Product(i, j int) float64 {
	if i == j {
		return 1
	}
	return 0
}

// Rank returns the dimension of the view. It is the numerical rank unless Exact.
func (v *View) Rank() int { return v.rank }

// Cells returns the number of classes of nodes that the observers cannot tell apart, at most one a node. A view
// takes about that number times the square of its rank in multiplications.
func (v *View) Cells() int { return len(v.cells.Size) }

// Certainty returns how the leakages were decided.
func (v *View) Certainty() Certainty { return v.certainty }

// Exact reports whether Rank and Reconstructed were decided modulo large primes. This holds whenever the
// certainty is Confirmed, and for some Open views that are too large for leakages in 72 digits.
func (v *View) Exact() bool { return v.exact }

// Leakage returns P_uu in [0, 1], the share of u's value in the view. It is exactly 1 when u is reconstructed.
// If the view is Open it is 1 as a precaution for every u within reach.
func (v *View) Leakage(u int) float64 {
	if v.certainty == Open {
		if v.reached[u] {
			return 1
		}
		return 0
	}
	return v.share(u)
}

func (v *View) share(u int) float64 {
	cell := int(v.cells.Of[u])
	if _, known := slices.BinarySearch(v.units, cell); known {
		return 1 / float64(v.cells.Size[cell])
	}
	return max(0, min(1, v.space.Product(cell, cell)/float64(v.cells.Size[cell])))
}

// Product returns P_ab, in [-1, 1].
func (v *View) Product(a, b int) float64 {
	i, j := int(v.cells.Of[a]), int(v.cells.Of[b])
	size := float64(v.cells.Size[i]) * float64(v.cells.Size[j])
	return v.space.Product(i, j) / math.Sqrt(size)
}

// GroupLeakage returns a bound on the leakage of a group of different users whose values all change, in units of the squared
// sensitivity of one (002, section C.7.2). With d_a the change of user a, at most 1 long, the view moves by
//
//	sum over a, b in the group of P_ab d_a'd_b,
//
// which is at most the sum of |P_ab|, and at most the number of users, as P is a projector. It may exceed 1.
func (v *View) GroupLeakage(users []int) float64 {
	sum := 0.0
	for _, a := range users {
		for _, b := range users {
			switch {
			case a == b:
				sum += v.Leakage(a)
			case v.certainty == Open:
				sum += math.Sqrt(float64(v.Leakage(a) * v.Leakage(b)))
			default:
				sum += math.Abs(v.Product(a, b))
			}
		}
	}
	return min(sum, float64(len(users)))
}

// Reconstructed lists, in ascending order, the nodes whose value the observers can compute from their messages,
// the observers included (002, Definition 4.4).
func (v *View) Reconstructed() []int {
	nodes := []int{}
	for u := range v.n {
		cell := int(v.cells.Of[u])
		if _, known := slices.BinarySearch(v.units, cell); known && v.cells.Size[cell] == 1 {
			nodes = append(nodes, u)
		}
	}
	return nodes
}
