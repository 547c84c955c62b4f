package walkfamily

import (
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// Worlds are those of an audit.
func (a *Algorithm) Worlds(about step.NodeID) ([2]*world, error) { return a.worlds(about) }

// Direction is that in which w and the other world pull a token apart.
func (w *world) Direction() []float64 { return w.direction }

// Run is one run of a seed.
func (a *Algorithm) Run(seed uint64) *sim.Walk { return a.run(seed, a.Examples, a.scales) }
