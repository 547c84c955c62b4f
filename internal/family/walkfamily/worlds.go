package walkfamily

import (
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Audit implements family.Algorithm.
func (a *Algorithm) Audit() (family.Audit, error) { return a, nil }

// Game implements family.Audit. The observer scores the tokens that it receives and sends. It knows the path and all other
// nodes' data.
func (a *Algorithm) Game(about, observer int) (func(ctx context.Context, i int) (float64, error), error) {
	worlds, err := a.worlds(step.NodeID(about))
	return func(ctx context.Context, i int) (float64, error) { return a.auditRun(ctx, worlds[i%2], observer, i) }, err
}

// auditRun returns the score of one run in a world. Each run has a seed of its own.
func (a *Algorithm) auditRun(ctx context.Context, w *world, observer, number int) (float64, error) {
	var stream step.Stream
	seed := stream.At(a.Spec.Seed, 0, step.Turn(number)+1, 0, step.Audit).Uint64()
	run := a.run(seed, w, w.scales)
	var attackers []*attacker // one for each token; it learns from each independently
	for _, p := range run.Protocol.Lanes() {
		attackers = append(attackers, newAttacker(p, w, step.NodeID(observer), a.Spec.Privacy.Release == "final"))
	}
	_, err := run.Bulk(ctx, func(r step.Release, token []float64) { attackers[r.Lane].see(r, token) })
	score := 0.0
	for _, attacker := range attackers {
		score += attacker.score
	}
	return score, err
}

// worlds returns the two data sets that the audit assumes to be the worst (family.Holdings.Canary).
func (a *Algorithm) worlds(about step.NodeID) ([2]*world, error) {
	if a.Examples.Examples(about).Len() == 0 {
		return [2]*world{}, fault.New(fmt.Sprintf("node %d holds no rows, so there is nothing to learn about it", about), "audit a node that holds data")
	}
	worlds := [2]*world{a.world(about, a.Canary(a.Local(), about, 1)), a.world(about, a.Canary(a.Local(), about, -1))}
	direction := a.pull(worlds[0].own, worlds[1].own)
	for _, w := range worlds {
		w.direction = direction
	}
	return worlds, nil
}

func (a *Algorithm) world(about step.NodeID, own model.Examples) *world {
	w := &world{Holdings: a.Examples, about: about, own: own, scales: slices.Clone(a.scales)}
	w.scales[about] = a.Protocol.ScaleOf(about, own)
	return w
}

// pull returns the direction in which the first rows of two worlds move the first token apart.
func (a *Algorithm) pull(plus, minus model.Examples) []float64 {
	direction, other := make([]float64, a.Protocol.Params), make([]float64, a.Protocol.Params)
	x, y := minus.Row(0)
	a.Objective.Gradient(direction, a.Protocol.Begin(), x, y)
	x, y = plus.Row(0)
	a.Objective.Gradient(other, a.Protocol.Begin(), x, y)
	for i := range direction {
		direction[i] -= other[i]
	}
	return unit(direction)
}

// unit scales x to norm 1.
func unit(x []float64) []float64 {
	norm := math.Sqrt(sparse.Dot(x, x))
	for i := range x {
		x[i] /= norm
	}
	return x
}

// A world is the spec's data with those of one node replaced.
type world struct {
	sim.Holdings
	about     step.NodeID
	own       model.Examples
	scales    []float64
	direction []float64 // unit vector along which a contribution moves the tokens of the two worlds apart
}

// Examples implements sim.Holdings.
func (w *world) Examples(v step.NodeID) model.Examples {
	if v == w.about {
		return w.own
	}
	return w.Holdings.Examples(v)
}
