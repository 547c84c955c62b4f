package walkfamily

import (
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// A route that follows from the spec's seed is one path instead of a law of paths, so that an accountant has one energy a pair.
// Such a route gives no protection by uncertainty about the token's position, on which no sound bound relies anyway. The holder
// of the token knows from whom it must come.

// routes returns the seed of the routes of a trial.
func (a *Algorithm) routes(seed uint64) uint64 {
	if a.PublicRoute {
		return a.Spec.Seed
	}
	return seed
}

// Route returns the releases of a public route of one token. It assumes that all nodes hold data, and leaves the last receiver
// open.
func (a *Algorithm) Route() []step.Release {
	s, routes := a.schedule(), walk.NewSeeded(a.Choose, a.Spec.Seed)
	start, _ := a.starts(a.Spec.Seed)
	path := schedule.Path{Start: start, Next: routes.Next, Skips: func(at step.NodeID, t step.Turn, lane step.Lane) bool { return routes.Away(at, t, lane, s.Skip) }}
	all := make([]step.Release, 0, a.Turns())
	for r := range s.Releases(path) {
		all = append(all, r)
	}
	return all
}

// Simulation returns the run of a seed, as Trial makes it.
func (a *Algorithm) Simulation(seed uint64) *sim.Walk { return a.run(seed, a.Examples, a.scales) }

// holder returns the holder of each turn on a public route.
func (a *Algorithm) holder() func(t step.Turn) step.NodeID {
	routes, turns := walk.NewSeeded(a.Choose, a.Spec.Seed), a.Protocol.Turns()
	holders := make([]step.NodeID, turns)
	holders[0] = a.Protocol.Start
	for t := range turns - 1 {
		holders[t+1] = routes.Next(holders[t], t, 0)
	}
	return func(t step.Turn) step.NodeID { return holders[t] }
}
