package flow

import (
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Unroll is the weights of rounds 0..T-1 of one turn each, as a Problem has them:
// one matrix if w is the same in all of them. It fails if they take too much memory.
func Unroll(w schedule.Weights, rounds int) ([]*sparse.Matrix, error) {
	return unroll(w, step.Turn(rounds), mostMatrices)
}
