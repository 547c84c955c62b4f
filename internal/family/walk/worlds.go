package walk

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Audit implements family.Algorithm.
func (a *Algorithm) Audit() (family.Audit, error) { return a, nil }

// Game implements family.Audit: the observer scores what it receives and sends,
// knowing the path and everybody else's data.
func (a *Algorithm) Game(about, observer int) (func(ctx context.Context, i int) (float64, error), error) {
	worlds, err := a.worlds(step.NodeID(about))
	return func(ctx context.Context, i int) (float64, error) { return a.auditRun(ctx, worlds[i%2], observer, i) }, err
}

// auditRun is one run in a world and its score. Runs have seeds of their own.
func (a *Algorithm) auditRun(ctx context.Context, w *world, observer, number int) (float64, error) {
	var stream step.Stream
	seed := stream.At(a.Spec.Seed, 0, step.Turn(number)+1, 0, step.Audit).Uint64()
	run := a.run(seed, w, w.scales)
	var attackers []*attacker // one for each token, of which it learns independently
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

// worlds are the two data sets that the audit takes for the worst: all rows
// of one node point in one direction, with label +1 or -1 (or the first and the last
// class), so that clipped gradients are opposite, or nearly, and as long as clipping
// allows. For ridge the labels,
// for a mean the rows themselves are beyond all others. The number of rows is
// kept. Where one record is the unit of privacy, it is one row that is so, among those
// that the node holds.
func (a *Algorithm) worlds(about step.NodeID) ([2]*world, error) {
	rows := a.Examples.Examples(about).Len()
	if rows == 0 {
		return [2]*world{}, fault.New(fmt.Sprintf("node %d holds no rows, so there is nothing to learn about it", about), "audit a node that holds data")
	}
	worlds := [2]*world{a.world(about, a.replaced(about, rows, 1)), a.world(about, a.replaced(about, rows, -1))}
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

// replaced are the rows of a node in a world.
func (a *Algorithm) replaced(about step.NodeID, rows int, sign float64) model.Examples {
	if !a.Spec.Records() {
		return a.extreme(rows, sign)
	}
	held, far := a.Examples.Examples(about), a.extreme(1, sign)
	ex := model.Examples{Features: held.Features, X: slices.Clone(held.X), Y: slices.Clone(held.Y)}
	copy(ex.X, far.X)
	ex.Y[0] = far.Y[0]
	return ex
}

// extreme repeats one row with a sign.
func (a *Algorithm) extreme(rows int, sign float64) model.Examples {
	x, y := a.farRow()
	if a.Objective.Name() == (model.Mean{}).Name() {
		for i := range x {
			x[i] *= sign
		}
	} else if p, ok := a.Objective.Model.(model.Predictor); ok && p.Classes() > 2 {
		y = model.LabelOf(0, p.Classes())
		if sign > 0 {
			y = model.LabelOf(p.Classes()-1, p.Classes())
		}
	} else {
		y *= sign
	}
	ex := model.Examples{Features: len(x)}
	for range rows {
		ex.X, ex.Y = append(ex.X, x...), append(ex.Y, y)
	}
	return ex
}

// far is how many times beyond all rows, and beyond where clipping begins, a
// row or a label is put that nothing bounds.
const far = 10

// farRow is a row within the bounds of the data, and its label, whose gradient
// is as long as clipping allows wherever the token may be, if there is such a
// row.
func (a *Algorithm) farRow() (x []float64, y float64) {
	x = make([]float64, a.Federation.Shards.Features)
	norm, clip := a.Federation.Bound, a.Protocol.Noise.Clip
	largest, label := a.largest()
	switch kind := a.Objective.Name(); {
	case !math.IsInf(norm, 1):
	case kind == (model.Mean{}).Name():
		norm = far * (clip + largest)
	default:
		norm = max(1, 4*clip) // at the start, where the slope of a logistic loss is 1/2
	}
	for i := range x {
		x[i] = norm / math.Sqrt(float64(len(x))) // public ranges are symmetric, so that the far corner is one of ones
	}
	if a.Objective.Guarantees(1).Classifies() {
		return x, 1
	}
	return x, a.labelUpTo(far * (1 + label + clip/max(norm, 1e-9)))
}

// labelUpTo is y, or the largest label that the data can have.
func (a *Algorithm) labelUpTo(y float64) float64 {
	if l := a.Federation.Label; l != nil {
		return min(y, l.Limit)
	}
	return y
}

// largest are the largest norm of a row on the nodes, and the largest label.
func (a *Algorithm) largest() (norm, label float64) {
	for i := range a.Train.Len() {
		x, y := a.Train.Row(i)
		norm, label = max(norm, sparse.Dot(x, x)), max(label, math.Abs(y))
	}
	return math.Sqrt(norm), label
}

// pull is the direction in which the first rows of two worlds move the first token
// apart.
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
	direction []float64 // unit vector along which a contribution moves the token apart, the same in both worlds
}

// Examples implements sim.Holdings.
func (w *world) Examples(v step.NodeID) model.Examples {
	if v == w.about {
		return w.own
	}
	return w.Holdings.Examples(v)
}
