package papers

import (
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/graph"
)

// smallGraphs reproduces 002 Figure A.1: similar small graphs with different sets of reconstructed nodes. The figure's
// edges are not in its text, so the study goes through all graphs of a size.
func smallGraphs() Study {
	run := func(nodes int) func(context.Context, string, func(string)) (*Findings, error) {
		return func(ctx context.Context, _ string, say func(string)) (*Findings, error) {
			return besideOneNode(ctx, nodes, say)
		}
	}
	return Study{ID: "002-figure-a.1", Title: "Similar small graphs with different sets of reconstructed nodes, all of their size",
		Source: "002 Figure A.1", compute: run(5), quick: run(4)}
}

// A rooted graph has n nodes, of which node 0 attacks. Bit v(v-1)/2+u of edges is the edge of u < v, so that those of
// the last node are the highest.
type rooted struct {
	n     int
	edges uint32
}

func edgesAmong(n int) int { return n * (n - 1) / 2 }

func (r rooted) has(u, v int) bool { return r.edges>>(edgesAmong(max(u, v))+min(u, v))&1 == 1 }

// renamed returns the graph in which node v is node order[v] of r.
func (r rooted) renamed(order []int) rooted {
	other := rooted{n: r.n}
	for v := range r.n {
		for u := range v {
			if r.has(order[u], order[v]) {
				other.edges |= 1 << (edgesAmong(v) + u)
			}
		}
	}
	return other
}

// joined returns the graph with one node more and edges from it to the nodes whose bits are set in to.
func (r rooted) joined(to uint32) rooted { return rooted{r.n + 1, r.edges | to<<edgesAmong(r.n)} }

func (r rooted) graph() (*graph.Graph, error) {
	var pairs [][2]int
	for v := range r.n {
		for u := range v {
			if r.has(u, v) {
				pairs = append(pairs, [2]int{u, v})
			}
		}
	}
	return graph.FromEdges(fmt.Sprintf("%d nodes", r.n), r.n, pairs)
}

// orders returns all orders of n nodes in which node 0 is the first.
func orders(n int) [][]int {
	all := [][]int{{0}}
	for v := 1; v < n; v++ {
		var longer [][]int
		for _, o := range all {
			for k := 1; k <= v; k++ {
				longer = append(longer, slices.Insert(slices.Clone(o), k, v))
			}
		}
		all = longer
	}
	return all
}

// rootedGraphs returns all connected graphs of n nodes, one of those that differ in the names of nodes other than 0.
func rootedGraphs(n int) (all []rooted, err error) {
	names := orders(n)
	for edges := range uint32(1) << edgesAmong(n) {
		r := rooted{n, edges}
		if slices.ContainsFunc(names, func(o []int) bool { return r.renamed(o).edges < edges }) {
			continue
		}
		g, err := r.graph()
		if err != nil {
			return nil, err
		}
		if g.Connected() == nil {
			all = append(all, r)
		}
	}
	return all, nil
}

// found returns the nodes that node 0 reconstructs, itself included.
func (r rooted) found() ([]int, error) {
	g, err := r.graph()
	if err != nil {
		return nil, err
	}
	return reconstructed(g, 0, manyRounds)
}

// mirrored reports whether another naming of the nodes that keep leaves alone gives the same graph, and which nodes
// such namings move.
func (r rooted) mirrored(keep func(v int) bool) (moved []int) {
	for _, o := range orders(r.n) {
		if r.renamed(o) != r {
			continue
		}
		var others []int
		for v, w := range o {
			if v != w {
				others = append(others, v)
			}
		}
		if !slices.ContainsFunc(others, keep) {
			moved = append(moved, others...)
		}
	}
	return moved
}

// A besides holds the changes by one more node, counted over graphs and over the ways to join it.
type besides struct {
	freed     int // of a graph of which at most half are reconstructed, all are
	hidden    int // of a graph of which all are reconstructed, at most half are
	symmetric int // graphs with a mirror image of which all are reconstructed
	plain     int // nodes that are not reconstructed and that no symmetry moves which leaves the attacker and its neighbours alone
}

func besideOneNode(ctx context.Context, nodes int, say func(string)) (*Findings, error) {
	all, err := rootedGraphs(nodes)
	if err != nil {
		return nil, err
	}
	var b besides
	var drawn [4]rooted // G1 to G4 of the figure
	table := Table{Name: "table", Header: []string{"edges", "reconstructed", "of", "symmetric", "ways to add a node", "all reconstructed after it", "at most half"}}
	for _, r := range all {
		known, err := r.found()
		if err != nil {
			return nil, err
		}
		symmetric := len(r.mirrored(func(v int) bool { return false })) > 0
		if symmetric && len(known) == nodes {
			b.symmetric, drawn[1] = b.symmetric+1, r
		}
		moved := r.mirrored(func(v int) bool { return v == 0 || r.has(0, v) })
		for v := range nodes {
			if !slices.Contains(known, v) && !slices.Contains(moved, v) {
				b.plain++
			}
		}
		full, few, least := 0, 0, nodes
		for to := uint32(1); to < 1<<nodes; to++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			after, err := r.joined(to).found()
			if err != nil {
				return nil, err
			}
			half := 2*(len(known)-1) <= nodes-1
			if len(after) == nodes+1 {
				if full++; half {
					b.freed++
					drawn[0], drawn[2] = r, r.joined(to)
				}
			}
			if 2*(len(after)-1) <= nodes {
				if few++; len(known) == nodes {
					b.hidden++
				}
			}
			if r == drawn[0] && len(after) < least {
				least, drawn[3] = len(after), r.joined(to)
			}
		}
		table.Rows = append(table.Rows, []string{fmt.Sprint(r.edges), fmt.Sprint(len(known) - 1), fmt.Sprint(nodes - 1), fmt.Sprint(symmetric),
			fmt.Sprint(1<<nodes - 1), fmt.Sprint(full), fmt.Sprint(few)})
	}
	say(fmt.Sprintf("%d graphs of %d nodes", len(all), nodes))
	f := &Findings{Tables: []Table{table}, Charts: []Chart{{Name: "figure"}}}
	for k, r := range drawn {
		g, err := r.graph()
		if err != nil {
			return nil, err
		}
		known, err := r.found()
		if err != nil {
			return nil, err
		}
		f.Charts[0].Panels = append(f.Charts[0].Panels, coloured(g, fmt.Sprintf("G%d: %d of %d", k+1, len(known)-1, r.n-1), 0, known))
	}
	f.judge(&b, func() []Check { return besidesChecks(b, nodes) })
	return f, nil
}

func besidesChecks(b besides, nodes int) []Check {
	return []Check{
		{"one node more makes all nodes reconstructed where at most half were", AsPublished, b.freed > 0, fmt.Sprintf("in %d ways, from %d nodes", b.freed, nodes)},
		{"one node more leaves at most half where all were reconstructed", AsPublished, b.hidden > 0, fmt.Sprintf("in %d ways, from %d nodes", b.hidden, nodes)},
		{"symmetry is not enough to prevent reconstruction", AsPublished, b.symmetric > 0,
			fmt.Sprintf("all are reconstructed on %d graphs with a symmetry", b.symmetric)},
		{"symmetries that leave the attacker and its neighbours alone explain all that is hidden", WhatIsTrue, b.plain == 0 && b.symmetric > 0,
			fmt.Sprintf("%d hidden nodes that none of them moves", b.plain)},
	}
}
