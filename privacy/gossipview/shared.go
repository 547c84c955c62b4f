package gossipview

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/exact"
	"github.com/hearsay-dp/hearsay/internal/parallel"
)

// Observers who stand close to each other hear many of the same nodes. Where what those say is
// all that symmetry allows, one proof (saturate.go) serves them all.

// shared is what is proved once of the views of single observers of fixed gossip. A nil one holds nothing.
type shared struct {
	whole []*exact.Cells // by observer: cells whose functions its view holds, all of them; nil: none are known
}

// share works it out on as many goroutines as workers.
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

// wholeOn are the cells with the given nodes alone, if what these say is proved to be all functions constant on
// them, else nil.
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

// saturates reports whether the view of a single observer is proved to be all that symmetry allows by
// what it shares with others. Let it hold all functions constant on some cells. Members of a cell of size s whose unit vectors
// it holds besides add as many dimensions as there are, or s-1 if they are all. More
// than the cells of the view are not possible.
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

// A group are observers who all hear, or are, some nodes.
type group struct {
	observers []int
	heard     []int // ascending
}

// groups puts observers together, as many as keep enough nodes in common for their messages to
// hold everything. Nodes with the same neighbours say nearly the same and count once.
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

// common counts what observers hear in common.
type common struct {
	closed [][]int // whom each node hears, and itself: ascending
	kind   []int   // of a node: the same for all with the same neighbours, themselves included
	kinds  int
	stamp  []int // of a kind: the last count that it was part of
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

// different is how many kinds some nodes are of.
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

// both are the nodes that u hears too.
func (c *common) both(nodes []int, u int) (both []int) {
	for _, w := range nodes {
		if _, heard := slices.BinarySearch(c.closed[u], w); heard {
			both = append(both, w)
		}
	}
	return both
}

// closest is the observer in no group who keeps most in common with one, at least need kinds; -1 if
// there is none.
func (c *common) closest(one group, need int) int {
	best, most := -1, need-1
	var met []int
	for _, w := range one.heard {
		for _, u := range c.closed[w] { // who hears w: weights are symmetric
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
