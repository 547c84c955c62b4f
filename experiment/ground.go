package experiment

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/spec"
)

// openGround builds the graph of a spec and its transition matrix, and fills in
// the values that the spec leaves to the graph. Some algorithms draw from all nodes alike and
// need none.
func openGround(ctx context.Context, s *spec.Spec) (*family.Ground, error) {
	g := family.Ground{Spec: s, Watch: family.WatchOf(ctx), Rows: family.RowsOf(ctx)}
	if err := checkOwnWeights(s); err != nil {
		return nil, err
	}
	resolveOwnFile(s)
	if s.Kind().Graphless && !s.Federated() {
		g.Mixing = 1
		return &g, countNodes(s)
	}
	if !s.Federated() {
		if err := resolveGraph(s); err != nil {
			return nil, err
		}
	}
	read, err := readGraph(s)
	if err != nil {
		return nil, err
	}
	return &g, standOn(&g, read)
}

// groundOn does the same as openGround on a graph that takes the place of the spec's.
func groundOn(ctx context.Context, s *spec.Spec, own *graph.Graph) (*family.Ground, error) {
	switch {
	case s.Federated():
		return nil, fault.New("graph: a program gives one, and the spec has participants", "leave participants out, or give them their edges")
	case s.Directed != nil:
		return nil, fault.New("directed: is about a graph file, and a program gives the graph", "leave it out, and give the graph as it is meant")
	case s.Kind().Graphless:
		return nil, fault.New(fmt.Sprintf("graph: a program gives one, and the %s baseline uses none", s.Algorithm.Kind), "say how many nodes there are, and give no graph")
	}
	if err := checkOwnWeights(s); err != nil {
		return nil, err
	}
	g := family.Ground{Spec: s, Watch: family.WatchOf(ctx), Rows: family.RowsOf(ctx)}
	resolveOwnFile(s)
	s.Graph = own.Name()
	return &g, standOn(&g, own)
}

// standOn fills in the values that follow from the graph of a ground.
func standOn(g *family.Ground, on *graph.Graph) (err error) {
	s := g.Spec
	if g.Graph = on; on.Connected() != nil {
		return on.Connected()
	}
	if n := g.Graph.Len(); s.Nodes != 0 && s.Nodes != n {
		return fault.New(fmt.Sprintf("nodes: %d, but the graph %s has %d", s.Nodes, s.Graph, n),
			"leave nodes out, or make them agree")
	}
	s.Nodes = g.Graph.Len()
	if err := cmp.Or(s.CheckCoalition(), setWeights(g)); err != nil {
		return err
	}
	if g.Graph.Directed() || s.Kind().OwnRoute {
		return nil
	}
	g.Gap, g.Mixing, err = measureMixing(g.Transition)
	return err
}

// noGraph stands for the graph in the resolved spec of a run without one.
const noGraph = "none"

// countNodes fills in the number of nodes for algorithms that use no graph. If the spec gives
// none but names a graph, it is the graph's.
func countNodes(s *spec.Spec) error {
	if s.Nodes == 0 && s.Graph == noGraph {
		return fault.New("nodes: is missing", fmt.Sprintf("the %s baseline uses no graph; say how many nodes there are", s.Algorithm.Kind))
	}
	if s.Nodes == 0 {
		if err := resolveGraph(s); err != nil {
			return err
		}
		g, err := readGraph(s)
		if err != nil {
			return err
		}
		s.Nodes = g.Len()
	}
	s.Graph, s.Weights, s.Directed = noGraph, "", nil
	return s.CheckCoalition()
}

// resolveGraph makes the path of an edge list, which is relative to the spec's
// folder, absolute.
func resolveGraph(s *spec.Spec) error {
	given, dir := s.Graph, s.Dir
	if gen.IsExpression(given) || filepath.IsAbs(given) || dir == "" {
		return nil
	}
	path := filepath.Join(dir, given)
	if _, err := os.Stat(path); err != nil {
		return fault.New(fmt.Sprintf("graph: %s is neither a generator nor a file in %s", given, dir),
			"give the path of an edge list, or a generator such as hypercube:11; hearsay graph --help lists all")
	}
	s.Graph = path
	return nil
}

// mostMixed is the largest number of nodes for which the mixing time of a matrix that is not reversible is found, by its powers.
const mostMixed = 512

// measureMixing finds the spectral gap and, if it is known, a bound on the
// mixing time, in turns. A given matrix that is not reversible has no
// gap, and beyond mostMixed nodes no mixing time.
func measureMixing(w *graph.Transition) (gap graph.Gap, mixing float64, err error) {
	if gap, err = w.SpectralGap(); err != nil && !w.Own() {
		return gap, 0, err
	}
	if !w.Reversible() && w.Len() > mostMixed {
		return gap, 0, nil
	}
	time, err := w.MixingTime(0.25, gap)
	if err != nil {
		return gap, 0, fault.New("weights: "+err.Error(), "use weights: hamilton, with which the walk stays put now and then")
	}
	return gap, float64(time.Upper), nil
}

// readGraph returns the graph of the participants' edges, or the one that the spec
// names.
func readGraph(s *spec.Spec) (*graph.Graph, error) {
	switch sequence := gen.IsSequence(s.Graph); {
	case sequence && s.Federated():
		return nil, fault.New("graph: a sequence of graphs runs in simulations alone", "name one graph; algorithm.wake: matchings changes who meets whom")
	case sequence && s.Kind().Changing && s.Directed == nil:
		return gen.Union(s.Graph, s.Seed)
	}
	if !s.Federated() {
		return graphfile.OpenAs(s.Graph, s.Seed, s.Directed)
	}
	if s.Directed != nil {
		return nil, fault.New("directed: is about a graph file, and participants list their edges or name a generator", "leave it out")
	}
	if s.Graph != spec.EdgesGraph {
		if !gen.IsExpression(s.Graph) {
			return nil, fault.New(fmt.Sprintf("graph: %s is a file, which participants might have different copies of", s.Graph),
				"give each participant its edges, or name a generator such as ring:8")
		}
		return graphfile.Open(s.Graph, s.Seed)
	}
	return graph.FromEdges("the participants' edges", s.Nodes, s.EdgeList())
}
