package gradientinversion

import (
	"math"
	"slices"
)

// Unlooked are examples that were not looked for in all messages at once, or not to the end, for that takes too long.
type Unlooked struct {
	Nodes []int   // not looked for at all
	Short []int   // looked for until the work was done that may be
	Work  float64 // an Attack's, at least, with which Nodes would be looked for; +Inf: with none, for that takes too much memory
}

// mostHeld is how many numbers an annealing may hold: 4 GB.
const mostHeld = 1 << 29

// held is how many numbers it would: how messages move with what is looked for, and three matrices of its size.
func held(free int, q *part) float64 {
	m := float64(free * q.dim)
	return m * (float64(len(q.want)) + float64(3*m))
}

// least is how much work there must be to look for some examples of a part: that of a few steps.
func least(free int, q *part) float64 {
	if held(free, q) > mostHeld {
		return math.Inf(1)
	}
	return leastSteps * min(work(free, q), liftWork(free, q)+float64(lastWork*work(free, q)))
}

// A lookout keeps count of who is looked for, by nodes.
type lookout struct {
	looked, short []bool
	needs         []float64 // work that was missing for the part that a node is in
}

func newLookout(n int) *lookout {
	return &lookout{make([]bool, n), make([]bool, n), make([]float64, n)}
}

// leave notes nodes that are not looked for, as that takes so much work.
func (l *lookout) leave(q *part, free []int, needs float64) {
	for _, i := range free {
		l.needs[q.nodes[i]] = needs / float64(len(free))
	}
}

// look notes nodes that are.
func (l *lookout) look(q *part, free []int) {
	for _, i := range free {
		l.looked[q.nodes[i]] = true
	}
}

// stop notes that the work ended before all was tried that is.
func (l *lookout) stop(q *part, free []int) {
	for _, i := range free {
		l.short[q.nodes[i]] = true
	}
}

// unlooked is what comes of it where so much work was done and these were found; nil: nobody was left out.
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
