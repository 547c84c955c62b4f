package pairwise

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/privacy"
)

// Worst returns, for every node, the largest energy of all its contributions towards any size others. These see
// every message and pool the noise of their edges. size 0 stands for an outsider. Beside them the worst Problem.Absent
// others miss each round. If trying all coalitions takes
// too long the result is an upper bound, and the claim says so.
func (a *Accountant) Worst(size, workers int) ([]float64, privacy.Claim, error) {
	n := a.p.Pairs.N
	if size < 0 || size >= n {
		return nil, privacy.Claim{}, fault.New(fmt.Sprintf("%d colluders among %d nodes", size, n), fmt.Sprintf("give a number from 0 to %d", n-1))
	}
	worst, claim := a.beside(nil, size+a.absent(size), workers)
	return worst, claim, nil
}

// beside returns the largest energies towards a coalition, which must be ascending, with any size other nodes.
func (a *Accountant) beside(coalition []int, size, workers int) ([]float64, privacy.Claim) {
	worst, claim := a.mostResistant(coalition, size, workers)
	for u := range worst {
		worst[u] *= a.unit(u)
	}
	return worst, claim
}

// mostResistant returns the largest resistances towards a coalition, which must be ascending, with any size other nodes.
func (a *Accountant) mostResistant(coalition []int, size, workers int) ([]float64, privacy.Claim) {
	if a.exactly(coalition, size) {
		return a.tried(coalition, size, workers), a.Claim()
	}
	return a.kept(coalition, size), a.looser(size)
}

// exactly reports whether all sets of size nodes beside a coalition can be tried.
func (a *Accountant) exactly(coalition []int, size int) bool {
	n := float64(a.p.Pairs.N)
	switch {
	case size == 0:
		return true
	case a.p.Class != nil && size == 1 && coalition == nil:
		return a.EveryCost() <= 5*ExactCost
	}
	return subsetsOf(a.p.Pairs.N-len(coalition), size)*math.Pow(n, 3)/2 <= ExactCost
}

// tried returns the largest resistance of every node over all sets of size nodes beside a coalition. Members get NaN.
func (a *Accountant) tried(coalition []int, size, workers int) []float64 {
	n := a.p.Pairs.N
	if size == 0 {
		return a.resistances(coalition, workers)
	}
	worst := make([]float64, n)
	for _, f := range coalition {
		worst[f] = math.NaN()
	}
	if size == 1 && a.p.Class != nil && coalition == nil { // all nodes are alike, so node 0 stands for every observer and every node loses the same at worst
		one := slices.Max(a.resistances([]int{0}, workers)[1:])
		for u := range worst {
			worst[u] = one
		}
		return worst
	}
	const batch = 256
	coalitions, left := make([][]int, 0, batch), batch
	flush := func() {
		results := make([][]float64, len(coalitions))
		parallel.Each(len(coalitions), workers, func(k int) { results[k] = a.resistances(coalitions[k], 1) })
		for _, r := range results {
			for u, x := range r {
				if x > worst[u] { // false for members, whose entry is NaN
					worst[u] = x
				}
			}
		}
		coalitions, left = coalitions[:0], batch
	}
	rest := make([]int, 0, n)
	for u := range n {
		if _, member := slices.BinarySearch(coalition, u); !member {
			rest = append(rest, u)
		}
	}
	choose(len(rest), size, func(c []int) {
		one := slices.Clone(coalition)
		for _, at := range c {
			one = append(one, rest[at])
		}
		coalitions = append(coalitions, one)
		if left--; left == 0 {
			flush()
		}
	})
	flush()
	return worst
}

// choose calls do with every size-element subset of 0..n-1, borrowed. size must be at least 1.
func choose(n, size int, do func([]int)) {
	c := make([]int, size)
	var next func(at, from int)
	next = func(at, from int) {
		if at == size {
			do(c)
			return
		}
		for x := from; x <= n-size+at; x++ {
			c[at] = x
			next(at+1, x+1)
		}
	}
	next(0, 0)
}

// kept returns, for every node u outside a coalition, an upper bound on its resistance after any size others join it. Members get NaN. A tree of edges
// at u has one branch per neighbour of u, and branches share no node. So each colluder removes at most one branch,
// and removing a whole branch removes at least as much conductance as removing a part of it. Omitting the edges
// outside the tree raises the resistance (Rayleigh). With G the conductances of the branches to the ground,
//
//	e_u' S^-1 e_u <= 1/(1 + sum of all G but the size largest).
func (a *Accountant) kept(coalition []int, size int) []float64 {
	v := a.p.viewOf(coalition)
	resistances := make([]float64, len(v.honest))
	t := newTree(v)
	for u := range resistances {
		switch {
		case !v.honest[u]:
			resistances[u] = math.NaN()
		case a.p.Class != nil && u > 0 && coalition == nil:
			resistances[u] = resistances[0]
		default:
			resistances[u] = t.kept(u, size)
		}
	}
	return resistances
}

// kept returns the bound of Accountant.kept on the resistance of node u.
func (t *tree) kept(u, size int) float64 {
	branches := t.branches(int32(u))
	slices.SortFunc(branches, func(x, y float64) int { return cmp.Compare(x, y) })
	sum := 1.0
	for _, g := range branches[:max(0, len(branches)-size)] {
		sum += g
	}
	return min(1, (1+float64(1.01*ulp*float64(3*len(t.v.honest)+len(branches)+8)))/sum)
}

// A tree is scratch memory for the tree of one root after another. Branches grow by one node in turn.
type tree struct {
	v      *view
	owner  []int32 // by node: the last root whose tree has it, plus 1
	ground []float64
}

func newTree(v *view) *tree {
	return &tree{v: v, owner: make([]int32, len(v.honest)), ground: make([]float64, len(v.honest))}
}

// branches returns the conductance from u to the ground through each of its neighbours. Its tree grows breadth
// first, each branch by one node in turn. Conductances are right up to a factor of 1 + 3n ulp, because all terms
// are positive.
func (t *tree) branches(u int32) []float64 {
	mark := u + 1
	t.owner[u] = mark
	var order []grown
	var frontier [][]int32
	for _, w := range t.v.neighbours(u) {
		t.owner[w] = mark
		order = append(order, grown{w, u})
		frontier = append(frontier, []int32{w})
	}
	roots := len(order)
	for alive := true; alive; {
		alive = false
		for b := range frontier {
			if next, from := t.next(&frontier[b], mark); next >= 0 {
				order, alive = append(order, grown{next, from}), true
				frontier[b] = append(frontier[b], next)
			}
		}
	}
	for _, g := range order {
		t.ground[g.node] = 1
	}
	for i := len(order) - 1; i >= roots; i-- {
		t.ground[order[i].from] += t.inSeries(order[i].node)
	}
	conductances := make([]float64, roots)
	for i := range conductances {
		conductances[i] = t.inSeries(order[i].node)
	}
	return conductances
}

// grown is a node of a tree and its parent.
type grown struct{ node, from int32 }

// inSeries returns the conductance to the ground through node and the edge above it.
func (t *tree) inSeries(node int32) float64 {
	c, g := t.v.conductance, t.ground[node]
	return float64(c / (c + g) * g)
}

// next takes a free node beside the first node of a branch's frontier that has one, and returns both. It returns
// -1 if there is none.
func (t *tree) next(frontier *[]int32, mark int32) (node, from int32) {
	for len(*frontier) > 0 {
		head := (*frontier)[0]
		for _, w := range t.v.neighbours(head) {
			if t.owner[w] != mark {
				t.owner[w] = mark
				return w, head
			}
		}
		*frontier = (*frontier)[1:]
	}
	return -1, -1
}
