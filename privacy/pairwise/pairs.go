package pairwise

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
)

// Pairs are the energies of all ordered pairs.
type Pairs = gossipview.Pairs

// Every is the energy from every node towards every other that sees all messages and knows
// the noise of its own secrets; on the diagonal the local one. On graphs whose nodes are all alike,
// and where EveryCost is at most ExactCost, it is exact up to 1e-8; else by Worst for one observer.
func (a *Accountant) Every(workers int) *Pairs {
	n := a.p.Pairs.N
	pairs := &Pairs{Claim: a.Claim(), N: n, Values: make([]float64, n*n)}
	switch {
	case a.p.Class != nil:
		a.everyAlike(pairs, workers)
	case a.EveryCost() <= ExactCost:
		parallel.Each(n, workers, func(v int) {
			for u, r := range a.resistances([]int{v}, 1) {
				pairs.Values[u*n+v] = r
			}
		})
	default:
		pairs.Claim = a.looser(1)
		for u, r := range a.kept(1) {
			for v := range n {
				pairs.Values[u*n+v] = r
			}
		}
	}
	for u := range n {
		for v := range n {
			if u == v {
				pairs.Values[u*n+v] = 1
			}
			pairs.Values[u*n+v] *= a.unit(u)
		}
	}
	return pairs
}

// everyAlike works out one pair a class.
func (a *Accountant) everyAlike(pairs *Pairs, workers int) {
	n, byClass := pairs.N, map[int]float64{}
	for u, r := range a.resistances([]int{0}, workers) {
		if u != 0 {
			byClass[a.p.Class(u, 0)] = r
		}
	}
	for u := range n {
		for v := range n {
			if u == v {
				continue
			}
			r, known := byClass[a.p.Class(u, v)]
			if !known { // no pair with node 0 is of this class
				r = 1
			}
			pairs.Values[u*n+v] = r
		}
	}
}

// ExactCost is up to how many multiplications all pairs, or all coalitions of a size, are
// worked out one observer at a time: some ten seconds.
const ExactCost = 5e9

// EveryCost is about how many multiplications it takes to work out all pairs.
func (a *Accountant) EveryCost() float64 {
	n := float64(a.p.Pairs.N)
	if a.p.Class != nil {
		return math.Pow(n, 3)
	}
	return math.Pow(n, 4) / 2
}
