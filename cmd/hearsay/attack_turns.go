package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/hearsay-dp/hearsay/attack"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/regular"
	gossiploss "github.com/hearsay-dp/hearsay/privacy/gossip"
	"github.com/hearsay-dp/hearsay/sparse"
)

// averaging is what the attackers took part in: one graph, or one a turn.
type averaging struct {
	graph    *graph.Graph
	union    *graph.Graph     // of all turns
	matrices []*sparse.Matrix // one a turn; one in all if it never changes
	*gossiploss.Accountant
}

func (f *attackFlags) averaging() (*averaging, error) {
	w, err := f.open()
	if err != nil {
		return nil, err
	}
	a := &averaging{graph: w.Graph(), union: w.Graph(), matrices: []*sparse.Matrix{w.Sparse()}}
	if f.turns == "" {
		a.Accountant, err = gossiploss.New(a.matrices[0], f.steps)
		return a, err
	}
	turns, err := f.readTurns(a.graph)
	if err != nil {
		return nil, err
	}
	if err := a.change(turns, f.weights); err != nil {
		return nil, err
	}
	a.Accountant, err = gossiploss.NewChanging(a.matrices)
	return a, err
}

// readTurns reads the edges of every turn.
func (f *attackFlags) readTurns(nodes *graph.Graph) ([][][2]int, error) {
	if f.steps < 1 {
		return nil, fault.New(fmt.Sprintf("a graph that changes over %d steps", f.steps), "give 1 step or more")
	}
	file, err := regular.Open(f.turns)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New("there is no file of turns "+f.turns, "give the path of a file with lines of a turn and the two ends of an edge")
	}
	if err != nil {
		return nil, fault.Wrap(err, "cannot open the turns", "give the path of a readable file")
	}
	defer file.Close()
	return attack.ReadTurns(file, f.turns, f.steps, func(id string) (int, bool) { return findNode(nodes, id) })
}

// change gives the edges of every turn their weights.
func (a *averaging) change(turns [][][2]int, weights string) error {
	n := a.graph.Len()
	a.matrices = nil
	for t, edges := range turns {
		g, err := graph.FromEdges(fmt.Sprintf("turn %d", t), n, edges)
		if err != nil {
			return err
		}
		w, err := graph.NewTransition(g, weights)
		if err != nil {
			return err
		}
		a.matrices = append(a.matrices, w.Sparse())
	}
	var err error
	a.union, err = graph.FromEdges("all turns", n, slices.Concat(turns...))
	return err
}
