package graph

import (
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Symmetric reports whether W is symmetric; a given matrix, whether it is within Tolerance.
func (t *Transition) Symmetric() bool {
	if t.Own() {
		return t.CheckSymmetric("", Tolerance, "") == nil
	}
	for u := range t.Len() {
		for _, v := range t.graph.Neighbours(u) {
			if t.measureOf(u) != t.measureOf(int(v)) || t.graph.design.Directed && !t.graph.HasEdge(int(v), u) {
				return false
			}
		}
	}
	return true
}

// DoublyStochastic reports whether the columns also sum to 1, so that the uniform distribution is
// stationary. For a rule on an undirected graph this holds exactly if W is symmetric.
func (t *Transition) DoublyStochastic() bool {
	if t.Own() {
		return t.CheckDoublyStochastic("", "") == nil
	}
	if !t.graph.design.Directed {
		return t.Symmetric()
	}
	for _, sum := range t.columns() {
		if math.Abs(sum-1) > 1e-12 {
			return false
		}
	}
	return true
}

// Stationary returns the distribution pi with pi = pi W. It fails if the graph is not connected,
// because pi is not unique then. It fails on directed graphs unless pi is uniform, and for a given
// matrix that is not reversible and has more than 512 nodes.
func (t *Transition) Stationary() ([]float64, error) {
	if err := t.graph.Connected(); err != nil {
		return nil, err
	}
	measure := t.measureOf
	switch {
	case t.Own() && !t.Reversible():
		return t.eliminated()
	case !t.Reversible():
		if !t.DoublyStochastic() {
			return nil, fault.New(sprintf("the stationary distribution on the directed graph %s has no closed form", t.graph.name),
				"use a directed graph with as many arrows into each node as out of it, such as ring:12,directed")
		}
		measure = func(int) float64 { return 1 }
	}
	pi := t.perNode(measure)
	all := total(pi)
	for u := range pi {
		pi[u] /= all
	}
	return pi, nil
}

// eliminated computes the stationary distribution by eliminating one node after the other, without
// any subtraction (Grassmann, Taksar and Heyman 1985).
func (t *Transition) eliminated() ([]float64, error) {
	n := t.Len()
	if n > denseLimit {
		return nil, fault.New(sprintf("the stationary distribution of weights %s is not computed for %d nodes", t.rule, n),
			sprintf("give a symmetric matrix, or at most %d nodes", denseLimit))
	}
	m := t.dense()
	for k := n - 1; k > 0; k-- {
		leaves := total(m.RawRowView(k)[:k])
		for u := range k {
			into := m.At(u, k) / leaves
			m.Set(u, k, into)
			sparse.Axpy(m.RawRowView(u)[:k], into, m.RawRowView(k)[:k])
		}
	}
	pi := make([]float64, n)
	pi[0] = 1
	for k := 1; k < n; k++ {
		for u := range k {
			pi[k] += float64(pi[u] * m.At(u, k))
		}
	}
	sparse.Scale(pi, 1/total(pi))
	return pi, nil
}

// total adds the numbers from first to last.
func total(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}

// SelfMass returns the mean and the largest probability to stay.
func (t *Transition) SelfMass() (mean, largest float64) {
	for u := range t.Len() {
		self := t.Self(u)
		mean += self / float64(t.Len())
		largest = max(largest, self)
	}
	return mean, largest
}
