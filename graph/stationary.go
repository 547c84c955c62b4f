package graph

import (
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// Symmetric reports whether W is symmetric.
func (t *Transition) Symmetric() bool {
	for u := range t.Len() {
		for _, v := range t.graph.Neighbours(u) {
			if t.measureOf(u) != t.measureOf(int(v)) || t.graph.design.Directed && !t.graph.HasEdge(int(v), u) {
				return false
			}
		}
	}
	return true
}

// DoublyStochastic reports whether columns, too, sum to 1, that is whether
// the uniform distribution is stationary. On an undirected graph that is the
// same as being symmetric.
func (t *Transition) DoublyStochastic() bool {
	if !t.graph.design.Directed {
		return t.Symmetric()
	}
	column := make([]float64, t.Len())
	for u := range column {
		column[u] += t.Self(u)
		for _, v := range t.graph.Neighbours(u) {
			column[v] += t.edge(u, int(v))
		}
	}
	for _, sum := range column {
		if math.Abs(sum-1) > 1e-12 {
			return false
		}
	}
	return true
}

// Stationary returns the distribution pi with pi = pi W. It fails where that
// is not unique, because the graph is not connected, and on directed graphs
// other than those where it is uniform.
func (t *Transition) Stationary() ([]float64, error) {
	if err := t.graph.Connected(); err != nil {
		return nil, err
	}
	measure := t.measureOf
	if t.graph.design.Directed {
		if !t.DoublyStochastic() {
			return nil, fault.New(sprintf("the stationary distribution on the directed graph %s has no closed form", t.graph.name),
				"use a directed graph with as many arrows into each node as out of it, such as ring:12,directed")
		}
		measure = func(int) float64 { return 1 }
	}
	pi, total := t.perNode(measure), 0.0
	for _, m := range pi {
		total += m
	}
	for u := range pi {
		pi[u] /= total
	}
	return pi, nil
}

// SelfMass is the mean and the largest probability to stay.
func (t *Transition) SelfMass() (mean, largest float64) {
	for u := range t.Len() {
		self := t.Self(u)
		mean += self / float64(t.Len())
		largest = max(largest, self)
	}
	return mean, largest
}
