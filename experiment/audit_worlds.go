package experiment

import (
	"fmt"
	"math"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// worlds are the two data sets that the audit takes for the worst: all rows
// of one node point in one direction, with label +1 or -1, so that clipped
// gradients are opposite and as long as clipping allows. For ridge the labels,
// for a mean the rows themselves are beyond all others. The number of rows is
// kept.
func (s *Setup) worlds(about step.NodeID) ([2]*world, error) {
	rows := s.holdings.Examples(about).Len()
	if rows == 0 {
		return [2]*world{}, fault.New(fmt.Sprintf("node %d holds no rows, so there is nothing to learn about it", about), "audit a node that holds data")
	}
	worlds := [2]*world{s.world(about, s.extreme(rows, 1)), s.world(about, s.extreme(rows, -1))}
	direction := s.pull(worlds[0].own)
	for _, w := range worlds {
		w.direction = direction
	}
	return worlds, nil
}

func (s *Setup) world(about step.NodeID, own model.Examples) *world {
	w := &world{Holdings: s.holdings, about: about, own: own, scales: slices.Clone(s.scales)}
	w.scales[about] = s.Protocol.Scale(own)
	return w
}

// extreme repeats one row with a sign.
func (s *Setup) extreme(rows int, sign float64) model.Examples {
	x, y := s.farRow()
	if s.Objective.Name() == (model.Mean{}).Name() {
		for i := range x {
			x[i] *= sign
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
func (s *Setup) farRow() (x []float64, y float64) {
	x = make([]float64, s.Federation.Shards.Features)
	norm, clip := s.Federation.Bound, s.Protocol.Noise.Clip
	largest, label := s.largest()
	switch kind := s.Objective.Name(); {
	case !math.IsInf(norm, 1):
	case kind == (model.Mean{}).Name():
		norm = far * (clip + largest)
	default:
		norm = max(1, 4*clip) // at the start, where the slope of a logistic loss is 1/2
	}
	for i := range x {
		x[i] = norm / math.Sqrt(float64(len(x))) // public ranges are symmetric, so that the far corner is one of ones
	}
	if s.Objective.Guarantees(1).Classifies() {
		return x, 1
	}
	return x, s.labelUpTo(far * (1 + label + clip/max(norm, 1e-9)))
}

// labelUpTo is y, or the largest label that the data can have.
func (s *Setup) labelUpTo(y float64) float64 {
	if l := s.Federation.Label; l != nil {
		return min(y, l.Limit)
	}
	return y
}

// largest are the largest norm of a row on the nodes, and the largest label.
func (s *Setup) largest() (norm, label float64) {
	for i := range s.train.Len() {
		x, y := s.train.Row(i)
		norm, label = max(norm, sparse.Dot(x, x)), max(label, math.Abs(y))
	}
	return math.Sqrt(norm), label
}

// pull is the direction in which the first row moves a token of zeros.
func (s *Setup) pull(own model.Examples) []float64 {
	direction := make([]float64, s.Protocol.Params)
	x, y := own.Row(0)
	s.Objective.Gradient(direction, make([]float64, len(direction)), x, y)
	for i := range direction {
		direction[i] = -direction[i]
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
