package gossipview

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/exact"
	"github.com/hearsay-dp/hearsay/internal/parallel"
)

// Observers close to each other hear many of the same nodes. If the messages of those nodes give every function
// that symmetry allows, one proof (saturate.go) serves all of the observers.

// shared holds proofs for the views of single observers of fixed gossip. A nil one holds none.
type shared struct {
	whole []*exact.Cells // by observer: cells such that its view holds every function constant on them; nil: unknown
}

// share computes the shared proofs on at most workers goroutines. It returns nil where it cannot prove
// anything.
func (g *Accountant) share(workers int) *shared {
	if !g.fixed || g.steps == 0 || g.parts[0].small == nil {
		return nil
	}
	groups := g.groups()
	s := &shared{whole: make([]*exact.Cells, g.n)}
	parallel.Each(len(groups), workers, func(i int) {
		if cells := g.wholeOn(groups[i].heard); cells != nil {
			for _, v := range groups[i].observers {
				s.whole[v] = cells
			}
		}
	})
	return s
}

// wholeOn returns the cells in which the given nodes are single, if the messages of these nodes are proved to
// give every function constant on the cells, else nil.
func (g *Accountant) wholeOn(heard []int) *exact.Cells {
	p, f := g.parts[0], exact.Fields()[1]
	cells := exact.Equitable(p.transposed, p.residues[1], f, heard)
	enough := len(cells.Size)
	if enough < g.n && !exact.NewQuotient(p.transposed, cells).Check(p.transposed, p.residues[1], f) {
		return nil
	}
	if exact.KrylovRank(p.small, heard, g.steps, enough) < enough {
		return nil
	}
	return cells
}

// saturates reports whether the shared proofs show that the view of a single observer is the largest that
// symmetry allows. Suppose it holds all functions constant on some cells. If it also holds the unit vectors of
// m members of a cell of size s, these add m dimensions, or s-1 if m = s. More dimensions than the cells of the
// view are not possible.
func (s *shared) saturates(k *krylov, observers []int) bool {
	if s == nil || len(observers) != 1 || s.whole[observers[0]] == nil {
		return false
	}
	cells := s.whole[observers[0]]
	members := make(map[int32]int)
	for _, w := range k.alone {
		members[cells.Of[w]]++
	}
	rank := len(cells.Size)
	for cell, count := range members {
		rank += min(count, cells.Size[cell]-1)
	}
	return rank == len(k.cells.Size)
}

// A group holds observers who all hear, or are, some nodes.
type group struct {
	observers []int
	heard     []int // ascending
}

// groups partitions observers into groups that share enough heard nodes for their messages to give everything.
// Nodes with the same neighbours send nearly the same messages and count once.
func (g *Accountant) groups() (groups []group) {
	c := newCommon(g)
	need := (c.kinds+g.steps-1)/g.steps + 1
	for v := range g.n {
		one := group{[]int{v}, c.closed[v]}
		if c.done[v] || c.different(one.heard) < need {
			continue
		}
		c.done[v] = true
		for u := c.closest(one, need); u >= 0; u = c.closest(one, need) {
			c.done[u] = true
			one.observers, one.heard = append(one.observers, u), c.both(one.heard, u)
		}
		if len(one.observers) > 1 {
			groups = append(groups, one)
		}
	}
	return groups
}

// common counts the nodes that observers hear in common.
type common struct {
	closed [][]int // the nodes that each node hears, and itself: ascending
	kind   []int   // by node: equal for nodes with the same neighbours, themselves included
	kinds  int
	stamp  []int // by kind: the last count that included it
	counts int
	done   []bool // observers that are in a group
	in     []bool // scratch: false between calls
}

func newCommon(g *Accountant) *common {
	c := &common{closed: make([][]int, g.n), kind: make([]int, g.n), done: make([]bool, g.n), in: make([]bool, g.n)}
	known := make(map[string]int)
	for v := range c.closed {
		c.closed[v] = append(g.heard([]int{v}, 0), v)
		slices.Sort(c.closed[v])
		key := fmt.Sprint(c.closed[v])
		kind, found := known[key]
		if !found {
			kind = len(known)
			known[key] = kind
		}
		c.kind[v] = kind
	}
	c.kinds, c.stamp = len(known), make([]int, len(known))
	return c
}

// different returns the number of kinds of some nodes.
func (c *common) different(nodes []int) (count int) {
	c.counts++
	for _, w := range nodes {
		if kind := c.kind[w]; c.stamp[kind] != c.counts {
			c.stamp[kind] = c.counts
			count++
		}
	}
	return count
}

// both returns those of nodes that u hears too.
func (c *common) both(nodes []int, u int) (both []int) {
	for _, w := range nodes {
		if _, heard := slices.BinarySearch(c.closed[u], w); heard {
			both = append(both, w)
		}
	}
	return both
}

// closest returns the observer in no group that has most kinds in common with one, at least need. It returns -1
// if there is none.
func (c *common) closest(one group, need int) int {
	best, most := -1, need-1
	var met []int
	for _, w := range one.heard {
		for _, u := range c.closed[w] { // nodes that hear w, because weights are symmetric
			if c.in[u] || c.done[u] {
				continue
			}
			c.in[u] = true
			met = append(met, u)
			if count := c.different(c.both(one.heard, u)); count > most {
				best, most = u, count
			}
		}
	}
	for _, u := range met {
		c.in[u] = false
	}
	return best
}
