package gradientinversion

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// A lifting solves the problem of an annealing with more unknowns: besides examples, the slope of each gradient, free of the protocol.
// Sums are linear in the products of both. So examples follow from slopes by least squares, with one matrix for all their numbers, and
// only slopes remain (variable projection, Golub and Pereyra 1973). A penalty pulls slopes towards those of the protocol, weakly at
// first. The problem is much less curved than that of a run with the examples, where information about a late turn must come through
// all turns before. The time of a step does not depend on the number of an example's columns.
type lifting struct {
	*annealing
	takes  []take      // gradients, by number
	number []int       // by turn and node, as in course.at: number of its gradient; -1: none is taken
	open   []int       // numbers of the gradients whose slopes are unknown
	reach  *mat.Dense  // derivative of sums by slope times z: a column for each gradient
	within *mat.Dense  // derivative of the models of open gradients: a row for each
	guess  [][]float64 // first positions of examples; nil: near the mean
	now    *stand      // its last position; nil: it has not begun
	spread float64     // scale of the differences of slopes
	first  float64     // noise at which slopes may be that far from the protocol's
	tight  int         // index in powers: how the penalty grows
}

// A take is a gradient that a node takes.
type take struct{ turn, node int }

// mostOpen is the largest number of unknown slopes. Some six matrices with that many rows and columns are held.
const mostOpen = 6000

// lift prepares a lifting. It returns nil if there are too many slopes, or too little work is left.
func (s *annealing) lift() *lifting {
	l := &lifting{annealing: s}
	if leastSteps*liftWork(len(s.free), s.part) > s.budget || !l.list() {
		return nil
	}
	return l
}

// liftWork returns about the number of multiplications of a step.
func liftWork(free int, q *part) float64 {
	open := 0.0
	for _, t := range q.turns[1:] {
		for _, e := range t.entries {
			if e.contributes {
				open++
			}
		}
	}
	n, rows := float64(free), float64(len(q.sums)+free)
	return float64(3*standWork*rows*n*n) + float64(open*(float64(2*rows*n)+float64(open*(float64(rows/2)+n+open*2/3))))
}

// standWork is the number of multiplications of an orthogonal factorisation and its use, over the rows times the squared columns.
const standWork = 3

// turn reports whether try number k is a lifting's. That is every other one, or all if restarts of an annealing take too long. The
// first one is a lifting's if there are more numbers in sums than unknown ones.
func (l *lifting) turn(k int) bool {
	switch {
	case l == nil:
		return false
	case l.lengthy():
		return true
	case len(l.part.want) > l.numbers()+len(l.open):
		return k%2 == 0
	}
	return k%2 == 1
}

// lengthy reports whether the work left is too little for a few restarts of an annealing.
func (s *annealing) lengthy() bool {
	const few = 3
	return few*annealSteps*work(len(s.free), s.part) > s.budget
}

// list lists the gradients and computes all derivatives by them. It returns false if no slopes are unknown, or too many.
func (l *lifting) list() bool {
	q := l.part
	l.number = make([]int, len(q.turns)*len(q.nodes))
	for i := range l.number {
		l.number[i] = -1
	}
	for t, turn := range q.turns {
		for _, e := range turn.entries {
			if e.contributes && e.keep != 0 {
				l.number[t*len(q.nodes)+e.node] = len(l.takes)
				l.takes = append(l.takes, take{t, e.node})
			}
		}
	}
	if len(l.takes) > 2*mostOpen {
		return false
	}
	l.play(make([]float64, len(l.number))) // models without gradients
	cols := len(l.takes)
	l.reach = mat.NewDense(len(q.sums), cols, nil)
	var models [][]float64
	row := 0
	q.carry(cols, make([]float64, len(q.nodes)*cols), false, func(e entry, t int, x []float64) {
		i := l.number[t*len(q.nodes)+e.node]
		if i < 0 {
			return
		}
		if l.isOpen(i, x) {
			l.open = append(l.open, i)
			models = append(models, divided(x, e.keep))
		}
		x[i] -= e.rate
	}, func(t int, x []float64) { row = q.gather(l.reach.RawMatrix().Data, x, cols, t, row) })
	if len(l.open) == 0 || len(l.open) > mostOpen {
		return false
	}
	l.within = mat.NewDense(len(l.open), cols, nil)
	for i, m := range models {
		l.within.SetRow(i, m)
	}
	return true
}

// isOpen reports whether the slope of a gradient is unknown. It is known at a model of 0, unless the gradient is clipped.
func (l *lifting) isOpen(i int, moves []float64) bool {
	return square(moves)+square(l.at[l.spot(i)].theta) != 0
}

// spreads returns the standard deviation of slopes from their means over the nodes, in a run with drawn examples.
func (l *lifting) spreads(rng *rand.Rand) float64 {
	e := make([]float64, l.numbers())
	for i := range e {
		e[i] = step.Normal(rng)
	}
	l.try(l.missed, e)
	sum := 0.0
	for t := range l.part.turns {
		var own []float64
		for _, i := range l.open {
			if k := l.takes[i]; k.turn == t {
				own = append(own, l.place(k.turn, k.node).scale)
			}
		}
		mean := 0.0
		for _, x := range own {
			mean += x / float64(len(own))
		}
		for _, x := range own {
			sum += float64((x - mean) * (x - mean))
		}
	}
	return max(1e-6, math.Sqrt(sum/float64(len(l.open))))
}

// begin returns the slopes of a run with e.
func (l *lifting) begin(e []float64) []float64 {
	l.try(l.missed, e)
	slopes := make([]float64, len(l.number))
	for i, k := range l.number {
		if k >= 0 {
			slopes[i] = l.at[i].scale
		}
	}
	return slopes
}

// spot returns the index of the slope of a gradient by turn and node.
func (l *lifting) spot(i int) int { return l.takes[i].turn*len(l.part.nodes) + l.takes[i].node }

// powers are those of the noise with which the penalty on slopes grows, one pass after the other. It starts with slopes that may be
// loose times as far apart as they are in drawn runs.
var powers = [...]float64{0.3, 0.4, 0.5, 0.6}

const (
	// liftFalls is the divisor of the noise at a time.
	liftFalls, loose = 3, 3
	// liftSteps is the largest number of steps at a time. A step that wins less than liftLittle is the last.
	liftSteps, liftLittle = 25, 0.5
	// liftBehind is how often in a row the residual may exceed the noise, which then does not fall. tightBehind is the same for a
	// stronger penalty, when a weaker one explained the sums.
	liftBehind, tightBehind = 4, 2
	// jitter is the first distance of examples from the mean, in units of the belief. Nodes that look alike would stay alike without
	// it.
	jitter = 1e-3
)

// run goes from home with a weak penalty as far as it can, and sets e to the examples found. It reports whether all sums may be
// explained, with free slopes.
func (l *lifting) run(rng *rand.Rand) bool {
	l.spread = loose * l.spreads(rng)
	l.allow(math.Inf(1))
	l.first, l.tight = l.rms(l.try(l.missed, l.home)), 0
	return l.pass()
}

// A landing is a position of a lifting.
type landing struct {
	now     *stand
	home, e []float64
	excess  float64
	labels  int
	tight   int
}

func (l *lifting) landing() *landing {
	return &landing{l.now, l.home, slices.Clone(l.e), l.excess, l.labels(), l.tight}
}

// back returns to a landing.
func (l *lifting) back(to *landing) {
	l.now, l.home, l.e, l.excess, l.tight = to.now, to.home, slices.Clone(to.e), to.excess, to.tight
}

// tighten continues with penalties that grow faster, up to powers[most], as long as all sums are explained and no labels are lost.
func (l *lifting) tighten(most int) {
	for l.tight < most && l.budget > 0 {
		before := l.landing()
		l.home = slices.Clone(l.e)
		l.tight++
		if !l.pass() || l.labels() < before.labels {
			l.back(before)
			return
		}
	}
}

// labels returns the number of converged labels.
func (l *lifting) labels() (count int) {
	for i := range l.free {
		if l.labelled(i) {
			count++
		}
	}
	return count
}

// pass goes from home until nothing more is explained. It reports whether the sums are explained.
func (l *lifting) pass() bool {
	l.e = slices.Clone(l.home)
	l.allow(math.Inf(1))
	noise, floor := l.rms(l.try(l.missed, l.e)), l.floor()
	slopes, damp, behind := l.begin(l.home), 1e-3/(l.spread*l.spread), 0
	most := liftBehind
	if l.tight > 0 {
		most = tightBehind
	}
	for noise > floor && behind < most && l.budget > 0 {
		if behind == 0 {
			noise = max(noise/liftFalls, floor)
		}
		l.allow(noise)
		l.now = l.descend(l.stands(slopes, noise, l.spread*math.Pow(noise/l.first, powers[l.tight])), &damp)
		left := l.rms(square(l.now.missed.RawMatrix().Data))
		if behind++; left <= noise {
			behind = 0
		}
		copy(l.e, l.now.e)
		slopes = l.refreshed()
		if l.say != nil {
			const doing = "looking for %d examples in messages of %d turns: %.1e times what rounding may leave is unexplained"
			l.say(fmt.Sprintf(doing, len(l.free), len(l.part.turns), left/floor))
		}
	}
	l.left = l.try(l.missed, l.e)
	l.excess = l.over()
	return behind == 0 && noise <= floor
}

// descend takes steps as long as they win something.
func (l *lifting) descend(now *stand, damp *float64) *stand {
	for range liftSteps {
		next := l.improve(now, damp)
		if next == nil {
			break
		}
		won := now.cost - next.cost
		if now = next; won < liftLittle || l.budget <= 0 {
			break
		}
	}
	return now
}

// refreshed returns the slopes, with those that are not open recomputed for the examples.
func (l *lifting) refreshed() []float64 {
	l.unexplained(l.now.e, l.now.slopes)
	fresh := slices.Clone(l.now.slopes)
	for i := range l.takes {
		fresh[l.spot(i)] = l.at[l.spot(i)].scale
	}
	for _, i := range l.open {
		fresh[l.spot(i)] = l.now.slopes[l.spot(i)]
	}
	return fresh
}

// improve takes a step that lowers the cost. It returns nil if none does.
func (l *lifting) improve(now *stand, damp *float64) *stand {
	const (
		tries         = 20
		stiffer, less = 10, 8
	)
	l.budget -= liftWork(len(l.free), l.part)
	n := l.normal(now)
	for range tries {
		if v := l.step(now, n, *damp); v != nil {
			if next := l.stands(l.moved(now, 1, v), now.noise, now.pull); next.cost < now.cost {
				*damp /= less
				return next
			}
		}
		*damp = max(*damp*stiffer, 1e-4/(now.pull*now.pull))
	}
	return nil
}

// step returns a Levenberg-Marquardt step with its second-order correction. It returns nil if the correction is too large.
func (l *lifting) step(now *stand, n *normal, damp float64) []float64 {
	c := n.factor(damp)
	if c == nil {
		return nil
	}
	v := l.solve(n, c, l.residual(now), damp)
	const h = 0.1
	bend := l.residual(l.stands(l.moved(now, h, v), now.noise, now.pull))
	sparse.Axpy(bend, 1, l.residual(l.stands(l.moved(now, -h, v), now.noise, now.pull)))
	sparse.Axpy(bend, -2, l.residual(now))
	more := l.solve(n, c, bend, damp)
	scale(more, 0.5/(h*h))
	if !(square(more) < square(v)/8) {
		return nil
	}
	sparse.Axpy(v, 1, more)
	return v
}

// solve returns the step for a residual, and counts its work.
func (l *lifting) solve(n *normal, c *mat.Cholesky, r []float64, damp float64) []float64 {
	v, taken := conjugate(n, c, r, damp)
	size, height := float64(len(v)), float64(len(l.part.sums)+len(l.free))
	l.budget -= float64(float64(taken) * size * (float64(3*size) + float64(2*height*float64(l.part.dim))))
	return v
}

// moved returns the slopes moved by by times v.
func (l *lifting) moved(now *stand, by float64, v []float64) []float64 {
	slopes := slices.Clone(now.slopes)
	for i, x := range v {
		slopes[l.spot(l.open[i])] += float64(by * x)
	}
	return slopes
}

// kick restarts from the last position and redraws the nodes whose slopes are furthest from the protocol's. The first time it starts
// near the mean, or at the guesses.
func (l *lifting) kick(rng *rand.Rand) {
	l.home = make([]float64, l.numbers())
	if l.now == nil {
		for i := range l.home {
			l.home[i] = jitter * step.Normal(rng)
		}
		for i, e := range l.guess {
			copy(l.home[i*l.part.dim:], e)
		}
		return
	}
	worst, most := make([]float64, len(l.part.nodes)), 0.0
	for i, off := range l.now.off {
		u := l.takes[l.open[i]].node
		worst[u] = max(worst[u], math.Abs(off))
		most = max(most, worst[u])
	}
	const tenth = 0.1
	copy(l.home, l.now.e)
	for i, u := range l.free {
		if worst[u] <= most*math.Pow(tenth, rng.Float64()) {
			continue
		}
		for k := i * l.part.dim; k < (i+1)*l.part.dim; k++ {
			l.home[k] = width * step.Normal(rng)
		}
	}
}
