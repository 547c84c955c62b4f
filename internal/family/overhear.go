package family

import (
	"context"

	"github.com/hearsay-dp/hearsay/step"
)

// An Overheard algorithm sends messages at the same places in every run: what some of its
// nodes see is a list of as many vectors, whatever the data.
type Overheard interface {
	Algorithm
	// Overhear runs the algorithm once in bulk and shows hear what each of some sets of nodes
	// sees together: place by place, the same places in every run, from the first message on;
	// x is borrowed.
	Overhear(ctx context.Context, seed uint64, sets [][]int, hear func(set, place int, x []float64)) error
}

// A Followed algorithm carries tokens, each of which is seen by who holds it.
type Followed interface {
	Algorithm
	// Follow runs the algorithm once in bulk and shows watch every turn of every token: the
	// release, and the token after it, borrowed.
	Follow(ctx context.Context, seed uint64, watch func(r step.Release, token []float64)) error
	// Rate is the step size of a turn, 0 before the first step.
	Rate(t step.Turn) float64
	// Begins are the tokens before the first turn, lane by lane.
	Begins() [][]float64
	// Shown reports whether the last tokens are shown to everybody.
	Shown() bool
}

// A Closed algorithm could be followed or overheard by its type, and is not.
type Closed interface {
	// CheckHeard says why.
	CheckHeard() error
}

// A Pooled algorithm bounds what given nodes learn together.
type Pooled interface {
	// PoolLosses are sound losses of node u towards nodes who pool what they see, in the spec's metric.
	PoolLosses(ctx context.Context, u int, pool []int, priced Accounting) ([]PairLoss, error)
}
