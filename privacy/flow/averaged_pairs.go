package flow

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/parallel"
)

// flowsPerDescent is about how many products of dense matrices and vectors a round of a
// pair takes where several turns have one draw of noise.
const flowsPerDescent = 60.0

// veiledCost is about how many multiplications so many pairs towards so many observers
// take: what each of these sees, and flows.
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

// mostVeiledWork is how many multiplications of dense matrices all pairs may take, some
// minutes; perHour are those of an hour.
const mostVeiledWork, perHour float64 = 3e11, 3e12

// CheckPairs says, before anything is worked out, that all pairs are too many, and how long
// they would take: what averaging on one draw of noise hides is dense.
func (a *Accountant) CheckPairs() error {
	work := a.CheapCost()
	if a.rounds == nil || work <= mostVeiledWork {
		return nil
	}
	return fault.New(fmt.Sprintf("all pairs of %d nodes in %d rounds of %d turns on one draw of noise would take about %.2g hours", a.n, a.p.Rounds, a.p.turns(), work/perHour),
		"price one pair (privacy flow --gossip-steps K --u U --v V), fewer nodes or rounds, or noise before every turn (noise: turn)")
}

// cheapAveraged is Cheap where several turns have one draw of noise: the least of a few
// shares, observer by observer.
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
