package pairwise

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
)

// Pairs holds the energies of all ordered pairs.
type Pairs = gossipview.Pairs

// Every returns the energy from every node towards every other. The observer sees all messages and knows the noise
// of its own secrets. The diagonal holds the local energy. With Class, or if EveryCost is at most ExactCost,
// energies are exact up to 1e-8. Otherwise they are the bound of Worst for one observer. Beside the observer the worst
// Problem.Absent others miss each round.
func (a *Accountant) Every(workers int) *Pairs {
	n := a.p.Pairs.N
	pairs := &Pairs{Claim: a.Claim(), N: n, Values: make([]float64, n*n)}
	absent := a.absent(1)
	dear := a.EveryCost()*subsetsOf(n-1, absent) > ExactCost
	switch {
	case a.p.Class != nil && (absent == 0 || !dear):
		a.everyAlike(pairs, absent, workers)
	case !dear:
		parallel.Each(n, workers, func(v int) {
			for u, r := range a.tried([]int{v}, absent, 1) {
				pairs.Values[u*n+v] = r
			}
		})
	default:
		pairs.Claim = a.looser(1 + absent)
		for u, r := range a.kept(nil, 1+absent) {
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

// everyAlike computes one pair per class.
func (a *Accountant) everyAlike(pairs *Pairs, absent, workers int) {
	n, byClass := pairs.N, map[int]float64{}
	for u, r := range a.tried([]int{0}, absent, workers) {
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

// ExactCost is the largest number of multiplications, some ten seconds, for one observer at a time. Above it all
// pairs, or all coalitions of a size, get an upper bound.
const ExactCost = 5e9

// EveryCost returns about how many multiplications all pairs take.
func (a *Accountant) EveryCost() float64 {
	n := float64(a.p.Pairs.N)
	if a.p.Class != nil {
		return math.Pow(n, 3)
	}
	return math.Pow(n, 4) / 2
}
