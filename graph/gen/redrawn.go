package gen

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Redrawn returns a random graph that is redrawn every so many turns (002
// Appendix C.6 and Figure 6.1c), with the weights of rule. expr is a generator
// expression. Each draw has its own seed, a function of seed and the number of
// the draw. If no attempt of a later draw is connected, the first draw replaces
// it.
func Redrawn(expr, rule string, every int, seed uint64) (graph.Sequence, error) {
	first, err := redraw(expr, rule, seed, 0)
	if err != nil {
		return nil, err
	}
	if err := checkRandom(expr, rule, seed, first); err != nil {
		return nil, err
	}
	last, w := step.Turn(0), first
	return graph.Varying(first.N, func(t step.Turn) (*sparse.Matrix, []step.NodeID) {
		if number := t / step.Turn(every); number != last {
			last = number
			if w, err = redraw(expr, rule, seed, number); err != nil {
				w = first
			}
		}
		return w, nil
	}), nil
}

// checkRandom refuses an expression whose graph is the same in every draw.
func checkRandom(expr, rule string, seed uint64, first *sparse.Matrix) error {
	for number := range step.Turn(64) {
		other, err := redraw(expr, rule, seed, number+1)
		if err != nil {
			return err
		}
		if !slices.Equal(other.Columns, first.Columns) || !slices.Equal(other.Offsets, first.Offsets) {
			return nil
		}
	}
	return fault.New(fmt.Sprintf("%s is the same graph at every draw", expr), "use a random generator such as er:n=100,p=0.1, without a seed of its own")
}

// redraws is the number of seeds that a draw tries, because a graph that must be
// connected can fail.
const redraws = 100

// redraw returns the matrix of draw number of expr.
func redraw(expr, rule string, seed uint64, number step.Turn) (*sparse.Matrix, error) {
	var s step.Stream
	var g *graph.Graph
	var err error
	for attempt := range step.NodeID(redraws) {
		if g, err = Parse(expr, s.At(seed, attempt, number, 0, step.Topology).Uint64()); err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	w, err := graph.NewTransition(g, rule)
	if err != nil {
		return nil, err
	}
	return w.Sparse(), nil
}
