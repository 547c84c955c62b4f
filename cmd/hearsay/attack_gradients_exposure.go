package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hearsay-dp/hearsay/attack/gradients"
	"github.com/hearsay-dp/hearsay/graph"
	gossiploss "github.com/hearsay-dp/hearsay/privacy/gossip"
	"github.com/hearsay-dp/hearsay/sparse"
)

// How many views may be worked out: multiplications of all of them together, some ten seconds, and
// most edges that are shown.
const (
	exposureWork = 4e9
	mostEdges    = 5
)

// A structure is who is reconstructed by whom without noise if gradients never changed, which the graph
// and the number of turns decide.
type structure struct {
	averaging *gossiploss.Accountant
	known     map[string][]int // by sets asked before
	budget    int
}

func newStructure(w *sparse.Matrix, turns int) (*structure, error) {
	averaging, err := gossiploss.New(w, turns)
	if err != nil {
		return nil, err
	}
	n := float64(w.N)
	return &structure{averaging, map[string][]int{}, int(exposureWork / (n * n * n))}, nil
}

// by lists whom a set, ascending, reconstructs.
func (s *structure) by(set []int) ([]int, error) {
	key := fmt.Sprint(set)
	if found, ok := s.known[key]; ok {
		return found, nil
	}
	s.budget--
	view, err := s.averaging.View(set)
	if err != nil {
		return nil, err
	}
	s.known[key] = view.Reconstructed()
	return s.known[key], nil
}

func (s *structure) can(set []int, u int) (bool, error) {
	found, err := s.by(set)
	_, ok := slices.BinarySearch(found, u)
	return ok, err
}

// exposure says of each node who could reconstruct it, and what removal of edges stops the attackers.
func (r *rehearsed) exposure(ctx context.Context, answer *gradientAnswer, sets [][]int) error {
	a := r.algorithm
	n := a.Protocol.Nodes
	for u := range n {
		answer.Nodes = append(answer.Nodes, exposedNode{Node: u, Neighbours: a.Graph.Degree(u)})
	}
	if a.Changes() {
		return nil
	}
	weights, err := a.Simulation(a.Spec.Seed)
	if err != nil {
		return err
	}
	s, err := newStructure(weights.Weights.Matrix(0), int(a.Protocol.Turns()))
	if err != nil {
		return err
	}
	if s.budget < n {
		answer.Notes = append(answer.Notes, fmt.Sprintf("On %d nodes coalitions and edges were not looked at: that would take too long.", n))
		return nil
	}
	r.say("looking for the smallest coalitions")
	if err := r.alone(ctx, s, answer); err != nil {
		return err
	}
	if err := r.coalitions(ctx, s, answer); err != nil {
		return err
	}
	if len(sets) == 1 {
		r.say("looking for edges whose removal helps")
		return r.edges(ctx, s, answer, sets[0])
	}
	return nil
}

// alone finds out what everybody reconstructs alone.
func (r *rehearsed) alone(ctx context.Context, s *structure, answer *gradientAnswer) error {
	last := time.Now()
	for v := range answer.Nodes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if time.Since(last) > time.Second {
			r.say(fmt.Sprintf("attackers alone: %d of %d", v, len(answer.Nodes)))
			last = time.Now()
		}
		found, err := s.by([]int{v})
		if err != nil {
			return err
		}
		for _, u := range found {
			if u != v && !slices.Contains(r.algorithm.Graph.Neighbours(u), int32(v)) {
				answer.Nodes[u].Alone = append(answer.Nodes[u].Alone, v)
			}
		}
	}
	return nil
}

// coalitions looks for the smallest without neighbours of each node.
func (r *rehearsed) coalitions(ctx context.Context, s *structure, answer *gradientAnswer) error {
	g := r.algorithm.Graph
	for u := range answer.Nodes {
		if err := ctx.Err(); err != nil {
			return err
		}
		node := &answer.Nodes[u]
		possible := len(node.Alone) > 0
		if possible {
			node.Beyond = &gradients.Coalition{Low: 1, High: 1, Members: node.Alone[:1]}
		} else if s.budget > 0 {
			left := (s.budget + len(answer.Nodes) - u - 1) / (len(answer.Nodes) - u)
			c, ok, err := gradients.Smallest(strangers(g, u), func(set []int) (bool, error) { return s.can(set, u) }, left)
			if err != nil {
				return err
			}
			if possible = ok; ok {
				c.Low = max(c.Low, min(2, c.High)) // nobody can alone
				node.Beyond = &c
			}
		} else {
			continue
		}
		node.Possible = &possible
	}
	return nil
}

// strangers are the others that are no neighbours of u, the nearest first, of those those with most neighbours.
func strangers(g *graph.Graph, u int) (nodes []int) {
	hops := graph.NewSearch(g).From(u)
	for v, d := range hops {
		if d > 1 {
			nodes = append(nodes, v)
		}
	}
	slices.SortStableFunc(nodes, func(v, w int) int {
		if hops[v] != hops[w] {
			return int(hops[v] - hops[w])
		}
		return g.Degree(w) - g.Degree(v)
	})
	return nodes
}

// edges takes one edge after the other away, of all or of the attackers' own, where the graph still holds together.
func (r *rehearsed) edges(ctx context.Context, s *structure, answer *gradientAnswer, attackers []int) error {
	a := r.algorithm
	before, err := s.by(sortedSet(attackers))
	if err != nil {
		return err
	}
	all := edgesOf(a.Graph)
	some := slices.DeleteFunc(slices.Clone(all), func(e [2]int) bool {
		return !slices.Contains(attackers, e[0]) && !slices.Contains(attackers, e[1])
	})
	switch {
	case len(all) <= s.budget:
		some = all
	case len(some) > s.budget:
		return nil
	}
	for _, e := range some {
		if err := ctx.Err(); err != nil {
			return err
		}
		without := slices.DeleteFunc(slices.Clone(all), func(f [2]int) bool { return e == f })
		g, err := graph.FromEdges("without an edge", a.Protocol.Nodes, without)
		if err != nil {
			return err
		}
		if g.Connected() != nil {
			continue
		}
		w, err := graph.NewTransition(g, a.Spec.Weights)
		if err != nil {
			continue // these weights do not exist there
		}
		other, err := newStructure(w.Sparse(), int(a.Protocol.Turns()))
		if err != nil {
			return err
		}
		after, err := other.by(sortedSet(attackers))
		if err != nil {
			return err
		}
		saves := slices.DeleteFunc(slices.Clone(before), func(u int) bool { return slices.Contains(after, u) })
		if len(saves) > 0 {
			answer.Stop.Edges = append(answer.Stop.Edges, edgeAnswer{e, saves})
		}
	}
	slices.SortStableFunc(answer.Stop.Edges, func(e, f edgeAnswer) int { return len(f.Saves) - len(e.Saves) })
	answer.Stop.Edges = answer.Stop.Edges[:min(mostEdges, len(answer.Stop.Edges))]
	return nil
}

func sortedSet(set []int) []int {
	own := slices.Clone(set)
	slices.Sort(own)
	return own
}

func edgesOf(g *graph.Graph) (all [][2]int) {
	for v := range g.Len() {
		for _, u := range g.Neighbours(v) {
			if int(u) > v {
				all = append(all, [2]int{v, int(u)})
			}
		}
	}
	return all
}
