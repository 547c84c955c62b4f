package model

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Losses of many rows, with the bits of Loss, Correct and Clipped: margins are taken a block of rows at a time.

// marginsOf calls do with the margin of each row of ex.
func marginsOf(theta []float64, ex Examples, do func(i int, z float64)) {
	var of [gaugedAtOnce]float64
	for first := 0; first < len(ex.Y); first += gaugedAtOnce {
		block := ex.Slice(first, min(first+gaugedAtOnce, len(ex.Y)))
		margins(of[:sparse.Fours(len(block.Y))], theta, &block)
		for i := range block.Y {
			do(first+i, of[i])
		}
	}
}

// scored returns the sum of the losses of ex, and the number of correct predictions.
func (l Logistic) scored(theta []float64, ex Examples) (loss float64, correct int) {
	marginsOf(theta, ex, func(i int, z float64) {
		loss += l.lossAt(z, ex.Y[i])
		correct += index((z >= 0) == (ex.Y[i] > 0))
	})
	return loss, correct
}

// minimised returns the weighted sum of the clipped losses of ex. The bend of a loss follows from the norm of its row. It is kept,
// because normalised rows have few norms: one, up to rounding.
func (l Logistic) minimised(theta []float64, ex Examples, weight []float64, clip float64) (sum float64) {
	var known [16]struct {
		steepest, weight float64 // of which bend is; 0: of none
		bend
	}
	marginsOf(theta, ex, func(i int, z float64) {
		x, y := ex.Row(i)
		steepest, w := l.steepest(x, y, clip), l.weight(y)
		b := &known[math.Float64bits(steepest)%uint64(len(known))]
		if b.steepest != steepest || b.weight != w {
			b.steepest, b.weight, b.bend = steepest, w, l.bendAt(steepest, y)
		}
		if m := y * z; m < b.from {
			sum += float64(weight[i] * b.below(m))
		} else {
			sum += float64(weight[i] * l.lossAt(z, y))
		}
	})
	return sum
}
