package flow

import (
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Best is the optimum from u towards a coalition.
type Best struct {
	Energy float64 // of the plan: an upper bound whatever the solver did
	Floor  float64 // no plan has less energy, up to rounding; 0 where that is not known
	Plan   Plan
}

// onePair is what one pair may cost.
var onePair = effort{guesses: 60, gradients: 40, inner: 1e-3, precise: 1e-7, remembered: true}

// mostEntries bounds the memory of one pair: rounds times nodes that the flow
// reaches.
const mostEntries = 1 << 28

// Optimal is the least energy from u towards the observers, who pool what they
// see, with the plan that has it. No observers are the public, where something is published.
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
	if energy, err = a.Check(at); err == nil && energy < best.Energy { // differences that small are not worth sending on
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

// floor is a lower bound of the least energy, up to rounding, from a plan of
// one source and its energy E: plans are convex, so none is better than E plus
// the best that the derivative at this one promises (Frank and Wolfe 1956). The
// derivative is 2a/variance; a unit that arrives is absorbed where that is
// least on its way.
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
