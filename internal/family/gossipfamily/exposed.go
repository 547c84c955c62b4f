package gossipfamily

import (
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
)

// exposureWork is the largest number of multiplications, some seconds, for the views of all single nodes together.
const exposureWork = 2e9

// Exposed implements family.Exposer. It lists neighbours, and exactly those nodes that reconstruct a node's value from the
// messages that reach them (002 Algorithm 4.1).
func (a *Algorithm) Exposed(ctx context.Context) (*family.Exposure, error) {
	what := "its first gradient, as it is (of later rounds as far as gradients do not change)"
	if a.averaging() {
		what = "its value, as it is"
	}
	e := &family.Exposure{Alone: family.Talking(a), How: fmt.Sprintf("Without noise every neighbour is sent what a participant begins with, %s; whoever else is counted could work it out from the "+
		"messages that reach it, by solving linear equations. hearsay attack does it.", what)}
	beyond, err := a.singled(ctx)
	if err != nil {
		return nil, err
	}
	if beyond == nil {
		e.Missing = "Who could beyond neighbours was not worked out: it would take too long, or the graph changes from turn to turn."
		return e, nil
	}
	for u := range e.Alone {
		e.Alone[u] = append(e.Alone[u], beyond[u]...)
		slices.Sort(e.Alone[u])
		e.Alone[u] = slices.Compact(e.Alone[u])
	}
	return e, nil
}

// singled returns for each node the nodes that reconstruct its value alone. It returns nil if that was not computed.
func (a *Algorithm) singled(ctx context.Context) ([][]int, error) {
	n := a.Protocol.Nodes
	if size := float64(n); a.Changes() || size*size*size*size > exposureWork {
		return nil, nil
	}
	run, err := a.Simulation(a.Spec.Seed)
	if err != nil {
		return nil, err
	}
	accountant, err := gossipview.New(run.Weights.Matrix(0), int(a.Turns()))
	if err != nil {
		return nil, err
	}
	of := make([][]int, n)
	for v := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		view, err := accountant.View([]int{v})
		if err != nil {
			return nil, err
		}
		for _, u := range view.Reconstructed() {
			if u != v {
				of[u] = append(of[u], v)
			}
		}
	}
	return of, nil
}
