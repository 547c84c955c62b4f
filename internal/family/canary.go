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

// Canary returns the data of node v in one of the two data sets that attacks assume to be the worst, chosen by sign. All rows
// point in one direction, with label +1 or -1 (or the first and the last class). Clipped gradients in the two data sets are
// then opposite, or nearly so, and as long as clipping allows. For ridge the labels, and for a mean the rows, are beyond all
// others. The number of rows is kept. Where one record is the unit of privacy, only the first row that the node holds is
// replaced, or the rows of its first person.
func (h *Holdings) Canary(local *descent.Local, v step.NodeID, sign float64) model.Examples {
	return h.CanaryAlong(local, v, nil, sign)
}

// CanaryAlong returns the same data with their rows mirrored in the features in which corner is negative. nil mirrors none.
func (h *Holdings) CanaryAlong(local *descent.Local, v step.NodeID, corner []float64, sign float64) model.Examples {
	held, rows := h.Examples.Examples(v), h.Spec.RecordRows()
	if !h.Spec.Records() {
		rows = held.Len()
	}
	ex := h.extreme(local, rows, sign)
	for i := range ex.X {
		if corner != nil && corner[i%ex.Features] < 0 {
			ex.X[i] = -ex.X[i]
		}
	}
	if !h.Spec.Records() {
		return ex
	}
	return Replaced(held, 0, ex)
}

// Replaced returns a copy of held in which the rows of by replace those from index from on.
func Replaced(held model.Examples, from int, by model.Examples) model.Examples {
	ex := model.Examples{Features: held.Features, X: slices.Clone(held.X), Y: slices.Clone(held.Y)}
	copy(ex.X[from*held.Features:], by.X)
	copy(ex.Y[from:], by.Y)
	return ex
}

// extreme returns rows copies of one far row with a sign.
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

// far is the factor by which an unbounded row or label exceeds all rows and the norm at which clipping begins.
const far = 10

// farRow returns a row within the bounds of the data, and its label, whose gradient is as long as clipping allows for any
// model, if there is such a row.
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

// labelUpTo returns y, or the largest label that the data can have if y is above it.
func (h *Holdings) labelUpTo(y float64) float64 {
	if l := h.Federation.Label; l != nil {
		return min(y, l.Limit)
	}
	return y
}

// largest returns the largest norm of a row on the nodes, and the largest label.
func (h *Holdings) largest() (norm, label float64) {
	for i := range h.Train.Len() {
		x, y := h.Train.Row(i)
		norm, label = max(norm, sparse.Dot(x, x)), max(label, math.Abs(y))
	}
	return math.Sqrt(norm), label
}
