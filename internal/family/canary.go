package family

import (
	"slices"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Canary is what node v holds in one of the two data sets that attacks take for the worst, by
// the sign: all of its rows point in one direction, with label +1 or -1 (or the first and the
// last class), so that clipped gradients are opposite, or nearly, and as long as clipping
// allows. For ridge the labels, for a mean the rows themselves are beyond all others. The
// number of rows is kept. Where one record is the unit of privacy, it is the first row, or
// those of the first person, among those that the node holds.
func (h *Holdings) Canary(local *descent.Local, v step.NodeID, sign float64) model.Examples {
	held := h.Examples.Examples(v)
	if !h.Spec.Records() {
		return h.extreme(local, held.Len(), sign)
	}
	return Replaced(held, 0, h.extreme(local, h.Spec.RecordRows(), sign))
}

// Replaced is a copy of what a node holds with some rows, from one on, replaced by others.
func Replaced(held model.Examples, from int, by model.Examples) model.Examples {
	ex := model.Examples{Features: held.Features, X: slices.Clone(held.X), Y: slices.Clone(held.Y)}
	copy(ex.X[from*held.Features:], by.X)
	copy(ex.Y[from:], by.Y)
	return ex
}

// extreme repeats one row with a sign.
func (h *Holdings) extreme(local *descent.Local, rows int, sign float64) model.Examples {
	x, y := h.farRow(local)
	if classes := len(h.Federation.Classes); h.Objective.Name() == (model.Mean{}).Name() {
		for i := range x {
			x[i] *= sign
		}
	} else if h.Federation.Task == dataset.Classification && classes > 2 {
		y = model.LabelOf(0, classes)
		if sign > 0 {
			y = model.LabelOf(classes-1, classes)
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
// is as long as clipping allows wherever the model may be, if there is such a
// row.
func (h *Holdings) farRow(local *descent.Local) (x []float64, y float64) {
	x = make([]float64, h.Federation.Shards.Features)
	norm, clip := h.Federation.Bound, local.Noise.Clip
	largest, label := h.largest()
	switch kind := h.Objective.Name(); {
	case !math.IsInf(norm, 1):
	case kind == (model.Mean{}).Name():
		norm = far * (clip + largest)
	default:
		norm = max(1, 4*clip) // at the start, where the slope of a logistic loss is 1/2
	}
	for i := range x {
		x[i] = norm / math.Sqrt(float64(len(x))) // public ranges are symmetric, so that the far corner is one of ones
	}
	if h.Objective.Guarantees(1).Classifies() {
		return x, 1
	}
	return x, h.labelUpTo(far * (1 + label + clip/max(norm, 1e-9)))
}

// labelUpTo is y, or the largest label that the data can have.
func (h *Holdings) labelUpTo(y float64) float64 {
	if l := h.Federation.Label; l != nil {
		return min(y, l.Limit)
	}
	return y
}

// largest are the largest norm of a row on the nodes, and the largest label.
func (h *Holdings) largest() (norm, label float64) {
	for i := range h.Train.Len() {
		x, y := h.Train.Row(i)
		norm, label = max(norm, sparse.Dot(x, x)), max(label, math.Abs(y))
	}
	return math.Sqrt(norm), label
}
