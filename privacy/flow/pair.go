package flow

import (
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Best holds the optimum from u towards a coalition.
type Best struct {
	Energy float64 // of the plan: an upper bound even if the solver failed
	Floor  float64 // a lower bound on the energy of any plan, up to rounding; 0 if unknown
	Plan   Plan
}

// onePair limits the work on one pair.
var onePair = effort{guesses: 60, gradients: 40, inner: 1e-3, precise: 1e-7, remembered: true}

// mostEntries bounds the memory of one pair: rounds times the nodes that the flow reaches.
const mostEntries = 1 << 28

// Optimal returns the least energy from u towards the observers, who pool their views, with
// its plan. Without observers it is towards the public, if something is published.
func (a *Accountant) Optimal(u int, observers ...int) (Best, error) {
	if err := a.p.checkPair(u, observers); err != nil {
		return Best{}, err
	}
	if a.rounds != nil {
		return a.optimalAveraged(u, observers)
	}
	part := a.reached(u, observers)
	if err := part.fits(); err != nil {
		return Best{}, err
	}
	b := part.newBlock([]int{part.source}, part.stops)
	_, plan := b.solve(onePair)
	found := part.plan(plan)
	found.U, found.Observers = u, append([]int{}, observers...)
	energy, err := a.Check(found)
	if err != nil {
		return Best{}, fault.Wrap(err, "the flow accountant made a plan that is none", "report this with the command that led here")
	}
	best := Best{Energy: energy, Floor: b.floor(plan, energy), Plan: found}
	if a.p.Rounding == nil {
		best.Energy, best.Floor = a.of(u, best.Energy), a.attained(u, best.Floor)
		return best, nil
	}
	at := a.atOnce(u, observers)
	if energy, err = a.Check(at); err == nil && energy < best.Energy { // small differences are better absorbed at once than sent on
		best.Energy, best.Plan = energy, at
	}
	best.Energy, best.Floor = a.of(u, best.Energy), a.attained(u, best.Floor)
	return best, nil
}

func (r *part) fits() error {
	if r.n*r.p.Rounds <= mostEntries {
		return nil
	}
	return fault.New("the flow reaches too many nodes in too many rounds", "price fewer rounds, or take the cheap plan")
}

// floor returns a lower bound on the least energy, up to rounding, from a plan of one source
// and its energy E. Plans form a convex set, so none is better than E plus the best change
// by the derivative at this plan (Frank and Wolfe 1956). The derivative is 2a/variance. A
// unit that arrives is absorbed where the derivative is least on its way.
func (b *block) floor(plan [][]float64, energy float64) float64 {
	if math.IsInf(energy, 1) {
		return 0
	}
	cost, promised := b.rounds(), 0.0
	for t := len(cost) - 1; t >= 0; t-- {
		b.later(cost, t)
		for j := range b.n {
			here := 2 * plan[t][j] * b.precision(t, j)
			switch {
			case b.stops[t][j]:
				cost[t][j] = here
			case b.noise[t].at(j) > 0:
				cost[t][j] = min(here, b.scratch[j])
			default:
				cost[t][j] = b.scratch[j]
			}
		}
		promised += float64(b.gives[t].at(b.sources[0]) * cost[t][b.sources[0]])
	}
	return max(0, promised-energy)
}
