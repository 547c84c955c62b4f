package graph

import (
	"gonum.org/v1/gonum/floats"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/spectral"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Degrees returns the degree centrality of every node: degree/(n-1).
func (g *Graph) Degrees() []float64 {
	c := make([]float64, g.Len())
	for u := range c {
		c[u] = float64(g.Degree(u)) / float64(max(g.Len()-1, 1))
	}
	return c
}

// Closeness returns the closeness centrality of every node. For a node u that
// reaches r-1 others it is (r-1)/(n-1) times (r-1) over the sum of its
// distances to them. It is 0 for an isolated node. On a connected graph it is
// one over the mean distance (Wasserman and Faust 1994). It takes n
// breadth-first searches.
func (g *Graph) Closeness() []float64 {
	c := make([]float64, g.Len())
	s := NewSearch(g)
	for u := range c {
		total := 0
		distance := s.From(u)
		for _, v := range s.Order() {
			total += int(distance[v])
		}
		if others := float64(len(s.Order()) - 1); others > 0 {
			c[u] = others / float64(total) * others / float64(g.Len()-1)
		}
	}
	return c
}

// Betweenness returns the betweenness centrality of every node. It is the
// share of shortest paths between two other nodes that pass through the node,
// averaged over the pairs, 0..1. It takes n breadth-first searches (Brandes
// 2001).
func (g *Graph) Betweenness() []float64 {
	n := g.Len()
	c := make([]float64, n)
	s := NewSearch(g)
	paths, load := make([]float64, n), make([]float64, n)
	for source := range n {
		s.From(source)
		s.countPaths(paths, source)
		s.gather(load, paths)
		for _, v := range s.order[1:] {
			c[v] += load[v]
		}
	}
	if n > 2 {
		floats.Scale(1/float64((n-1)*(n-2)), c)
	}
	return c
}

// countPaths sets paths[v] to the number of shortest paths from source to v,
// for the nodes that the last search reached.
func (s *Search) countPaths(paths []float64, source int) {
	for _, v := range s.order {
		paths[v] = 0
	}
	paths[source] = 1
	for _, u := range s.order {
		for _, v := range s.graph.Neighbours(int(u)) {
			if s.distance[v] == s.distance[u]+1 {
				paths[v] += paths[u]
			}
		}
	}
}

// gather sets load[u] to the number of targets beyond u, each weighted by the
// share of its shortest paths that pass through u.
func (s *Search) gather(load, paths []float64) {
	for k := len(s.order) - 1; k >= 0; k-- {
		u := s.order[k]
		load[u] = 0
		for _, v := range s.graph.Neighbours(int(u)) {
			if s.distance[v] == s.distance[u]+1 {
				load[u] += float64(paths[u] / paths[v] * (1 + load[v]))
			}
		}
	}
}

// Eigenvector returns the eigenvector centrality: the positive unit
// eigenvector of the adjacency matrix at its largest eigenvalue. It fails
// unless the graph is connected and undirected, because only then is it
// unique.
func (g *Graph) Eigenvector() ([]float64, error) {
	_, x, err := g.perron()
	return x, err
}

// perron returns the largest eigenvalue of the adjacency matrix and its
// positive unit eigenvector.
func (g *Graph) perron() (float64, []float64, error) {
	if g.design.Directed {
		return 0, nil, fault.New(sprintf("eigenvector centrality needs an undirected graph, but %s is directed", g.name), "use degree centrality")
	}
	if err := g.Connected(); err != nil {
		return 0, nil, err
	}
	if g.Len() == 1 {
		return 0, []float64{1}, nil
	}
	_, degree := g.hub()
	norm := float64(degree)
	ones := make([]float64, g.Len())
	floats.AddConst(1, ones)
	ends := spectral.Lanczos{
		A:        g.Adjacency(),
		Start:    ones,
		Norm:     norm,
		MaxSteps: 10*g.Len() + 50,
		Enough:   func(_, high spectral.Ritz) bool { return high.Residual <= 1e-13*norm },
	}.Ends()
	x, top := ends.Vector(ends.High)
	if top.Residual > 1e-8*norm {
		return 0, nil, fault.New(sprintf("the eigenvector centrality of %s did not converge: residual %.1e", g.name, top.Residual), "use another centrality")
	}
	for u := range x {
		x[u] = math.Abs(x[u])
	}
	return top.Value, x, nil
}

// Adjacency returns the adjacency matrix as an operator. Its entry (u, v) is
// 1 where v is a neighbour of u.
func (g *Graph) Adjacency() sparse.Operator { return adjacency{g} }

type adjacency struct{ *Graph }

func (a adjacency) Mul(dst, x []float64) {
	if len(dst) != a.Len() || len(x) != a.Len() {
		panic("graph: Mul with a vector of the wrong length")
	}
	for u := range dst {
		sum := 0.0
		for _, v := range a.Neighbours(u) {
			sum += x[v]
		}
		dst[u] = sum
	}
}
