package family

import (
	"context"

	"github.com/hearsay-dp/hearsay/step"
)

// An Overheard algorithm sends messages at the same places in every run. The view of a set of nodes is thus a list of vectors
// whose number does not depend on the data.
type Overheard interface {
	Algorithm
	// Overhear runs the algorithm once in bulk and shows hear the joint view of each of some sets of nodes. It goes place by
	// place, from the first message on, through the same places in every run. x is borrowed.
	Overhear(ctx context.Context, seed uint64, sets [][]int, hear func(set, place int, x []float64)) error
}

// An Innovating algorithm shows the unforeseen part of the messages of a run.
type Innovating interface {
	// Innovations runs the algorithm once in bulk. It shows see of each message that node w sends the part that observer v could
	// not foresee from the messages that it was sent before. Observer n, the number of nodes, sees all messages. x is borrowed.
	Innovations(ctx context.Context, seed uint64, see func(v, w int, x []float64)) error
}

// A Followed algorithm carries tokens, each of which is visible to the node that holds it.
type Followed interface {
	Algorithm
	// Follow runs the algorithm once in bulk and shows watch every turn of every token: the release, and the token after it,
	// borrowed.
	Follow(ctx context.Context, seed uint64, watch func(r step.Release, token []float64)) error
	// Rate returns the step size of a turn. It is 0 before the first step.
	Rate(t step.Turn) float64
	// Begins returns the tokens before the first turn, lane by lane.
	Begins() [][]float64
	// Shown reports whether the last tokens are shown to everybody.
	Shown() bool
}

// A Closed algorithm has the type of a Followed or Overheard one but must not be used as such.
type Closed interface {
	// CheckHeard returns an error that says why.
	CheckHeard() error
}

// A Pooled algorithm bounds the joint leakage towards given nodes.
type Pooled interface {
	// PoolLosses returns sound losses of node u towards nodes that pool their views, in the spec's metric.
	PoolLosses(ctx context.Context, u int, pool []int, priced Accounting) ([]PairLoss, error)
}
