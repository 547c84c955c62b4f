package pairwise

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Problem is who adds which noise, and for how long.
type Problem struct {
	// Pairs has an entry off the diagonal for every two nodes that share noise, at
	// both ends; what the entries are is not used.
	Pairs *sparse.Matrix
	// Own and Pair are standard deviations of one round's noise per coordinate: of
	// each node's own, above 0, and of what each edge's ends share, from 0 to MostRatio
	// times Own.
	Own, Pair float64
	// Contributions is in how many rounds a node's data goes in, at least 1. All nodes
	// add noise in all of them.
	Contributions int
	// Energy is what stands in place of Contributions where noise remembers earlier rounds (schedule.Memory.Energy); 0: nothing
	// does. Rounds is then how many there are, which the price of a grid counts.
	Energy float64
	Rounds int
	// Sensitivity is how far data moves a contribution, in the unit of Own: one number,
	// or one a node; nil: 1.
	Sensitivity []float64
	// Records says that they are those of one record, the unit of privacy then; else it is
	// all the data of a participant.
	Records bool
	// Class numbers ordered pairs of different nodes so that a symmetry of the graph
	// takes pairs of one number to each other, on graphs whose nodes are all alike;
	// nil: none is known. It says nothing of Sensitivity.
	Class func(u, v int) int
}

// MostRatio is the largest Pair over Own. Beyond, the pairs hide no more than
// rounding does.
const MostRatio = 1e6

// check refuses what is no such run.
func (p *Problem) check() error {
	switch {
	case p.Pairs == nil || p.Pairs.N < 1:
		return fault.New("noise that cancels, and no nodes", "give a graph")
	case !(p.Own > 0) || math.IsInf(p.Own, 1):
		return fault.New(fmt.Sprintf("own noise of %g", p.Own), "every node needs some noise of its own: what cancels hides who said it, not what all said together")
	case !(p.Pair >= 0) || !(p.Pair <= MostRatio*p.Own):
		return fault.New(fmt.Sprintf("noise of %g that cancels beside %g that does not", p.Pair, p.Own),
			fmt.Sprintf("give a number from 0 to %g times the other", MostRatio))
	case p.Contributions < 1:
		return fault.New(fmt.Sprintf("%d contributions", p.Contributions), "give at least 1")
	case !(p.Energy >= 0) || math.IsInf(p.Energy, 1) || p.Energy > 0 && p.Rounds < 1:
		return fault.New(fmt.Sprintf("an energy of %g in %d rounds", p.Energy, p.Rounds), "give numbers above 0")
	case len(p.Sensitivity) > 1 && len(p.Sensitivity) != p.Pairs.N:
		return fault.New(fmt.Sprintf("%d sensitivities of %d nodes", len(p.Sensitivity), p.Pairs.N), "give one, or one a node")
	}
	for u, s := range p.Sensitivity {
		if !(s >= 0) || math.IsInf(s, 1) {
			return fault.New(fmt.Sprintf("sensitivity %g of node %d", s, u), "give a number of at least 0")
		}
	}
	return p.checkEdges()
}

// checkEdges refuses pairs that only one end knows of.
func (p *Problem) checkEdges() error {
	for u := range p.Pairs.N {
		columns, _ := p.Pairs.Row(u)
		for _, v := range columns {
			back, _ := p.Pairs.Row(int(v))
			if _, found := slices.BinarySearch(back, int32(u)); !found {
				return fault.New(fmt.Sprintf("node %d shares noise with %d, which shares none with it", u, v), "give an undirected graph")
			}
		}
	}
	return nil
}

// energy is that of all contributions of sensitivity 1 under own noise of 1.
func (p *Problem) energy() float64 {
	if p.Energy > 0 {
		return p.Energy
	}
	return float64(p.Contributions)
}

// rounds is in how many of them a grid has to round what hides a node's data.
func (p *Problem) rounds() float64 {
	if p.Energy > 0 {
		return float64(p.Rounds)
	}
	return float64(p.Contributions)
}

// sensitivity is that of node u.
func (p *Problem) sensitivity(u int) float64 {
	switch len(p.Sensitivity) {
	case 0:
		return 1
	case 1:
		return p.Sensitivity[0]
	}
	return p.Sensitivity[u]
}

// checkCoalition refuses observers that are no nodes.
func (p *Problem) checkCoalition(coalition []int) error {
	for _, f := range coalition {
		if f < 0 || f >= p.Pairs.N {
			return fault.New(fmt.Sprintf("node %d of %d", f, p.Pairs.N), fmt.Sprintf("give numbers from 0 to %d", p.Pairs.N-1))
		}
	}
	return nil
}
