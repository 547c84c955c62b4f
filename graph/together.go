package graph

import (
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Together reports how the graphs of the first turns turns connect the nodes.
// apart is the number of turns in which the active nodes are not all
// connected. parts is the number of components that the edges of all turns
// leave.
func Together(s Sequence, turns step.Turn) (apart int, parts int) {
	all := newForest(s.Len())
	now := newForest(s.Len())
	for t := range turns {
		w, active := s.Matrix(t), s.Active(t)
		now.reset()
		all.join(w)
		now.join(w)
		there := len(active)
		if active == nil {
			there = s.Len()
		}
		if now.parts-(s.Len()-there) > 1 {
			apart++
		}
	}
	return apart, all.parts
}

// A forest is a partition of nodes by union and find.
type forest struct {
	parent []int32
	parts  int
}

func newForest(n int) *forest {
	f := &forest{parent: make([]int32, n)}
	f.reset()
	return f
}

func (f *forest) reset() {
	f.parts = len(f.parent)
	for v := range f.parent {
		f.parent[v] = int32(v)
	}
}

func (f *forest) find(v int32) int32 {
	for f.parent[v] != v {
		f.parent[v] = f.parent[f.parent[v]]
		v = f.parent[v]
	}
	return v
}

// join unites the nodes that w connects.
func (f *forest) join(w *sparse.Matrix) {
	for v := range w.N {
		columns, _ := w.Row(v)
		for _, u := range columns {
			if a, b := f.find(int32(v)), f.find(u); a != b {
				f.parent[a] = b
				f.parts--
			}
		}
	}
}
