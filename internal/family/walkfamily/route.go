package walkfamily

import (
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// A route that follows from the spec's seed is one path instead of a law of paths: what an
// accountant finds on it is one energy a pair. It hides nobody behind where a token may have
// been, which no sound bound counts on anyway; and whoever holds the token knows from whom it
// must come.

// routes is the seed of the routes of a trial.
func (a *Algorithm) routes(seed uint64) uint64 {
	if a.PublicRoute {
		return a.Spec.Seed
	}
	return seed
}

// Route are the releases of a public route of one token, of nodes that all hold data, but for who is
// the last receiver.
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

// Simulation is the run of a seed, as Trial makes it.
func (a *Algorithm) Simulation(seed uint64) *sim.Walk { return a.run(seed, a.Examples, a.scales) }

// holder is whose turn it is on a public route.
func (a *Algorithm) holder() func(t step.Turn) step.NodeID {
	routes, turns := walk.NewSeeded(a.Choose, a.Spec.Seed), a.Protocol.Turns()
	holders := make([]step.NodeID, turns)
	holders[0] = a.Protocol.Start
	for t := range turns - 1 {
		holders[t+1] = routes.Next(holders[t], t, 0)
	}
	return func(t step.Turn) step.NodeID { return holders[t] }
}
