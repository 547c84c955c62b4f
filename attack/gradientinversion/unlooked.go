package gradientinversion

import (
	"math"
	"slices"
)

// Unlooked holds the nodes that the joint search left out, or ended early for, because the search takes too long.
type Unlooked struct {
	Nodes []int   // not searched for at all
	Short []int   // searched for until the work was used up
	Work  float64 // the least Work of an Attack that would include Nodes; +Inf: none would, because it takes too much memory
}

// mostHeld is the largest count of numbers that an annealing may hold: 4 GB.
const mostHeld = 1 << 29

// held returns the count that it would hold: the derivatives of messages, and three matrices of that width.
func held(free int, q *part) float64 {
	m := float64(free * q.dim)
	return m * (float64(len(q.want)) + float64(3*m))
}

// least returns the least work to search for some examples of a part: that of a few steps. It returns +Inf if memory
// does not suffice.
func least(free int, q *part) float64 {
	if held(free, q) > mostHeld {
		return math.Inf(1)
	}
	return leastSteps * min(work(free, q), liftWork(free, q)+float64(lastWork*work(free, q)))
}

// A lookout records, by node, the state of the search.
type lookout struct {
	looked, short []bool
	needs         []float64 // missing work for the part that a node is in
}

func newLookout(n int) *lookout {
	return &lookout{make([]bool, n), make([]bool, n), make([]float64, n)}
}

// leave records nodes that are not searched for, because that needs needs multiplications.
func (l *lookout) leave(q *part, free []int, needs float64) {
	for _, i := range free {
		l.needs[q.nodes[i]] = needs / float64(len(free))
	}
}

// look records nodes that are searched for.
func (l *lookout) look(q *part, free []int) {
	for _, i := range free {
		l.looked[q.nodes[i]] = true
	}
}

// stop records that the work ended before all tries were done.
func (l *lookout) stop(q *part, free []int) {
	for _, i := range free {
		l.short[q.nodes[i]] = true
	}
}

// unlooked returns the nodes left out, given the work done and the nodes found. It returns nil if there are none.
func (l *lookout) unlooked(done float64, found func(u int) bool) *Unlooked {
	x := &Unlooked{Work: done}
	for u, needs := range l.needs {
		switch {
		case found(u):
		case l.short[u], l.looked[u] && needs > 0 && !math.IsInf(needs, 1):
			x.Short = append(x.Short, u)
		case needs > 0:
			x.Nodes, x.Work = append(x.Nodes, u), x.Work+needs
		}
	}
	if slices.Concat(x.Nodes, x.Short) == nil {
		return nil
	}
	return x
}
