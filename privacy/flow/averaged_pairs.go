package flow

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/parallel"
)

// flowsPerDescent is about the number of products of dense matrices and vectors that a
// round of a pair takes, if several turns share one draw of noise.
const flowsPerDescent = 60.0

// veiledCost returns about the number of multiplications for pairs pairs towards observers
// observers: the veils of each observer, and the flows.
func (a *Accountant) veiledCost(pairs, observers int, flows float64) float64 {
	n, seen := float64(a.n), 1.0
	for t := 1; t < len(a.rounds); t++ {
		if a.rounds[t] != a.rounds[t-1] {
			seen++
		}
	}
	build := seen * n * n * (n + float64(a.p.turns())*float64(len(a.forward[0].Values))/n)
	return float64(float64(observers)*build) + float64(flows*float64(pairs)*float64(a.p.Rounds)*n*n)
}

// mostVeiledWork is the largest number of multiplications of dense matrices for all pairs,
// some minutes. perHour is about the number in an hour.
const mostVeiledWork, perHour float64 = 3e11, 3e12

// CheckPairs returns an error, with an estimate in hours, if all pairs would take too long.
// It computes nothing else. Only rounds of several turns on one draw of noise can be too
// many, because their veils are dense.
func (a *Accountant) CheckPairs() error {
	work := a.CheapCost()
	if a.rounds == nil || work <= mostVeiledWork {
		return nil
	}
	return fault.New(fmt.Sprintf("all pairs of %d nodes in %d rounds of %d turns on one draw of noise would take about %.2g hours", a.n, a.p.Rounds, a.p.turns(), work/perHour),
		"price one pair (privacy flow --gossip-steps K --u U --v V), fewer nodes or rounds, or noise before every turn (noise: turn)")
}

// cheapAveraged is Cheap for several turns on one draw of noise. It takes the least energy
// of a few shares, observer by observer.
func (a *Accountant) cheapAveraged(pairs *Pairs, local []float64, workers int) {
	more := a.begin(a.n)
	parallel.Each(a.n, workers, func(v int) {
		veils, tr := a.must([]int{v}).veils, newTrace(a.p.Rounds, a.n)
		for u := range a.n {
			e := local[u]
			if u != v {
				found, _ := a.bestShare(veils, u, fewParts[1:], tr)
				e = min(e, found)
			}
			pairs.Values[u*a.n+v] = e
		}
		more(1)
	})
}
