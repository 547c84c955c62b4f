package pairwise

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Problem describes the noise of every node and the number of rounds.
type Problem struct {
	// Pairs has an entry off the diagonal for every two nodes that share noise, at both ends. The values of
	// entries are ignored.
	Pairs *sparse.Matrix
	// Own and Pair are the standard deviations per coordinate of one round's noise. Own is each node's own and
	// must be above 0. Pair is shared by the ends of each edge and lies between 0 and MostRatio times Own.
	Own, Pair float64
	// Contributions is the number of rounds in which a node uses its data, at least 1. All nodes add noise in all
	// of them.
	Contributions int
	// Energy replaces Contributions if noise remembers earlier rounds (schedule.Memory.Energy). 0 means that it
	// does not. With Energy, Rounds must be the number of rounds, which the price of a grid counts.
	Energy float64
	Rounds int
	// Absent is the largest number of nodes that miss a round, in each perhaps others. Their partners reveal the noise
	// of that round that they share with them. 0 means that nobody misses a round.
	Absent int
	// Sensitivity bounds how far data moves a contribution, in the unit of Own: one number, or one per node. nil
	// means 1.
	Sensitivity []float64
	// Records reports that sensitivities are those of one record, which is then the unit of privacy. Otherwise the
	// unit is all data of a participant.
	Records bool
	// Class numbers ordered pairs of different nodes of a graph whose nodes are all alike. Pairs of one number
	// must be mapped to each other by a symmetry of the graph. nil means that no symmetry is known. Class says
	// nothing about Sensitivity.
	Class func(u, v int) int
}

// MostRatio is the largest Pair over Own. Above it shared noise hides no more than rounding does.
const MostRatio = 1e6

// check refuses a problem with a field out of range.
func (p *Problem) check() error {
	switch {
	case p.Pairs == nil || p.Pairs.N < 1:
		return fault.New("noise that cancels, and no nodes", "give a graph")
	case !(p.Own > 0) || math.IsInf(p.Own, 1):
		return fault.New(fmt.Sprintf("the own noise of a node is %g, and must be above 0", p.Own), "give each node noise of its own: noise that cancels hides who contributed what, and not the sum")
	case !(p.Pair >= 0) || !(p.Pair <= MostRatio*p.Own):
		return fault.New(fmt.Sprintf("noise of %g that cancels beside %g that does not", p.Pair, p.Own),
			fmt.Sprintf("give a number from 0 to %g times the other", MostRatio))
	case p.Contributions < 1:
		return fault.New(fmt.Sprintf("%d contributions", p.Contributions), "give at least 1")
	case !(p.Energy >= 0) || math.IsInf(p.Energy, 1) || p.Energy > 0 && p.Rounds < 1:
		return fault.New(fmt.Sprintf("an energy of %g in %d rounds", p.Energy, p.Rounds), "give numbers above 0")
	case p.Absent < 0 || p.Absent > 0 && p.Absent >= p.Pairs.N:
		return fault.New(fmt.Sprintf("%d of %d nodes miss a round", p.Absent, p.Pairs.N), fmt.Sprintf("give a number from 0 to %d", p.Pairs.N-1))
	case p.Absent > 0 && p.Energy > 0:
		return fault.New("nodes that miss a round have no noise of it to remember", "have all take part in all rounds, or let no noise remember earlier rounds")
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

// checkEdges refuses pairs that have an entry at one end only.
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

// energy returns the energy of all contributions for sensitivity 1 and own noise 1.
func (p *Problem) energy() float64 {
	if p.Energy > 0 {
		return p.Energy
	}
	return float64(p.Contributions)
}

// rounds returns the number of rounds in which noise of one node's data is rounded to a grid.
func (p *Problem) rounds() float64 {
	if p.Energy > 0 {
		return float64(p.Rounds)
	}
	return float64(p.Contributions)
}

// sensitivity returns the sensitivity of node u.
func (p *Problem) sensitivity(u int) float64 {
	switch len(p.Sensitivity) {
	case 0:
		return 1
	case 1:
		return p.Sensitivity[0]
	}
	return p.Sensitivity[u]
}

// checkCoalition refuses numbers that are not nodes.
func (p *Problem) checkCoalition(coalition []int) error {
	for _, f := range coalition {
		if f < 0 || f >= p.Pairs.N {
			return fault.New(fmt.Sprintf("node %d of %d", f, p.Pairs.N), fmt.Sprintf("give numbers from 0 to %d", p.Pairs.N-1))
		}
	}
	return nil
}
