package flow

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// The audit's losses are as flat as possible at every node. Other losses can leak more if noise of nodes
// off the way would hide u's data. If such a node forgets its input (Phi constant), or reflects it, its
// noise does not come through, or comes with the other sign. Here every node j has a curve r_j from -1
// to 1, Phi_j(x) = r_j L_j x, the same in all rounds. One quadratic loss for each node gives that. Any r
// is allowed, and the audit of the run with these losses is a lower bound. The search climbs to a good
// r.

// An Attack holds quadratic losses that leak much.
type Attack struct {
	Energy float64   // a lower bound on the leakage to the observers, at least the audit's
	Curves []float64 // r_j of every node
}

// mostBending is the largest number of multiplications of weights for an attack, some seconds at most.
const mostBending = 1e9

// candidate limits the work on one set of curves.
var candidate = effort{gradients: 120, inner: 1e-6}

// Attack searches for losses that leak as much as possible of u to the observers, who follow the
// protocol. It returns the better of the audit's losses and curved ones. It takes some hundred times as
// long as Audit where Audit is quick, and is Audit where Audit is slow.
func (a *Accountant) Attack(u int, observers ...int) (Attack, error) {
	if err := a.p.checkPair(u, observers); err != nil {
		return Attack{}, err
	}
	if a.rounds != nil {
		attained, curve := a.attackVeils(a.must(observers).veils, u, curvesTried, veilAttack)
		return Attack{Energy: a.attained(u, attained), Curves: slices.Repeat([]float64{curve}, a.n)}, nil
	}
	seen := a.seenBy(observers)
	part := a.heard(u, seen)
	if err := part.fits(); err != nil {
		return Attack{}, err
	}
	b := &bending{part: part, left: mostBending}
	best := b.solve(ones(part.n), attack)
	flat := best.energy
	for _, start := range b.starts(a.hops([]int{u}, a.back), a.hops(a.watched(observers), a.forward)) {
		if b.left > 0 {
			best = better(best, b.climb(b.solve(start, candidate)))
		}
	}
	if best.energy > flat {
		best = better(best, b.solve(best.curves, attack))
	}
	found := Attack{Energy: a.attained(u, best.energy), Curves: ones(a.n)}
	for k, j := range part.nodes {
		found.Curves[j] = best.curves[k]
	}
	return found, nil
}

// watched returns the observers. For the public, who sees all last messages, it returns all nodes.
func (a *Accountant) watched(observers []int) []int {
	if len(observers) > 0 {
		return observers
	}
	all := make([]int, a.n)
	for j := range all {
		all[j] = j
	}
	return all
}

func ones(n int) []float64 {
	x := make([]float64, n)
	for j := range x {
		x[j] = 1
	}
	return x
}

// A bending is the search for one pair, on the nodes that its flow reaches.
type bending struct {
	*part
	left float64 // multiplications left
}

// A bent holds one set of curves that was tried.
type bent struct {
	curves []float64
	energy float64
	slopes []float64 // of half the energy, by curve
}

// bend returns the accountant whose nodes have these curves.
func (a *Accountant) bend(curves []float64) *Accountant {
	c := *a
	c.spread = nil
	for t := range a.spread {
		l := level{each: make([]float64, a.n)}
		for j := range l.each {
			l.each[j] = a.spread[t].at(j) * curves[j]
		}
		c.spread = append(c.spread, l)
	}
	return &c
}

// solve returns the energy and slopes of curves.
func (b *bending) solve(curves []float64, work effort) bent {
	s := b.bend(curves).newTest([]int{b.source}, b.stops)
	spare := s.solve(work)
	slopes := b.slopes(s, curves)
	for _, w := range b.forward {
		b.left -= 2 * float64(work.gradients) * float64(b.p.Rounds) * float64(len(w.Values)) / float64(len(b.forward))
	}
	return bent{curves: curves, energy: s.attained(spare)[0], slopes: slopes}
}

// moduli returns s with the moduli of entries that curves make negative.
func (s *test) moduli() *test {
	negative := false
	for _, l := range s.spread {
		for _, x := range l.each {
			negative = negative || x < 0
		}
	}
	if !negative {
		return s
	}
	accountant, block, other := *s.Accountant, *s.block, *s
	accountant.spread = nil
	for _, l := range s.spread {
		each := make([]float64, len(l.each))
		for j, x := range l.each {
			each[j] = math.Abs(x)
		}
		accountant.spread = append(accountant.spread, level{each: each, all: l.all})
	}
	block.Accountant, other.block = &accountant, &block
	return &other
}

func better(x, y bent) bent {
	if y.energy > x.energy {
		return y
	}
	return x
}

// slopes returns the derivatives of half the energy by the curves, at the best combinations. With p =
// G'w scaled so that the shift equals the variance, they are
//
//	sum over t of p_t[j] L (W R_(t-1))[j],    R_t = s_t e_u - variance p_t + r L W R_(t-1) where not seen.
func (b *bending) slopes(s *test, curves []float64) []float64 {
	p := s.weight
	s.back(p, s.w)
	shift, spread := 0.0, 0.0
	for t := range p {
		shift += float64(b.gives[t].at(b.source) * p[t][b.source])
		for j, x := range p[t] {
			spread += float64(b.variance(t, j) * x * x)
		}
	}
	slopes := make([]float64, b.n)
	if !(spread > 0) {
		return slopes
	}
	by := shift / spread
	rest, arrived := make([]float64, b.n), make([]float64, b.n)
	for t := range p {
		if t > 0 {
			b.arrive(arrived, rest, t, 1)
		}
		for j, x := range arrived {
			slopes[j] += float64(by * p[t][j] * x)
			rest[j] = float64(curves[j]*x) - float64(b.variance(t, j)*by*p[t][j])
		}
		rest[b.source] += b.gives[t].at(b.source)
		for j, stop := range b.stops[t] {
			if stop {
				rest[j] = 0
			}
		}
	}
	return slopes
}

// climb moves the curves as long as nearby ones leak more: first all the way in the direction of the
// slopes, then shorter.
func (b *bending) climb(now bent) bent {
	for b.left > 0 {
		next, found := b.further(now)
		if !found {
			return now
		}
		now = next
	}
	return now
}

// strides lists the lengths of moves along the slopes, in units of the steepest slope.
var strides = []float64{1e12, 30, 3, 0.5, 0.05}

func (b *bending) further(now bent) (bent, bool) {
	steepest := 0.0
	for _, x := range now.slopes {
		steepest = max(steepest, math.Abs(x))
	}
	if steepest == 0 {
		return now, false
	}
	for _, stride := range strides {
		curves := make([]float64, b.n)
		for j, x := range now.slopes {
			curves[j] = max(-1, min(1, now.curves[j]+stride*x/steepest))
		}
		if next := b.solve(curves, candidate); next.energy > now.energy*(1+1e-4) {
			return next, true
		}
		if b.left <= 0 {
			break
		}
	}
	return now, false
}

// starts returns the curves to begin from: all flat, and flat only at nodes on a shortest path from u to
// an observer, or on one that is a little longer. Other nodes then forget.
func (b *bending) starts(from, to []int32) (all [][]float64) {
	all = append(all, ones(b.n))
	shortest := int32(math.MaxInt32)
	for _, j := range b.nodes {
		if from[j] >= 0 && to[j] >= 0 {
			shortest = min(shortest, from[j]+to[j])
		}
	}
	for detour := range int32(3) {
		curves := make([]float64, b.n)
		for k, j := range b.nodes {
			if from[j] >= 0 && to[j] >= 0 && from[j]+to[j] <= shortest+detour {
				curves[k] = 1
			}
		}
		all = append(all, curves)
	}
	return all
}

// hops returns the number of messages from the nearest of some nodes to each, in any rounds. It returns
// -1 for a node that none reach. The rows of ms list the nodes that a node sends to, or hears.
func (a *Accountant) hops(nodes []int, ms []*sparse.Matrix) []int32 {
	hops := make([]int32, a.n)
	for j := range hops {
		hops[j] = -1
	}
	var front []int32
	for _, j := range nodes {
		hops[j] = 0
		front = append(front, int32(j))
	}
	for far := int32(1); len(front) > 0; far++ {
		var next []int32
		for k, w := range ms {
			if k > 0 && w == ms[k-1] {
				continue
			}
			for _, j := range front {
				columns, _ := w.Row(int(j))
				for _, i := range columns {
					if hops[i] < 0 {
						hops[i] = far
						next = append(next, i)
					}
				}
			}
		}
		front = next
	}
	return hops
}
