package gradientinversion

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/internal/tile"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// An annealing searches for the examples of a part of a run in all its sums at once. It minimises the squared residual of a run with
// them, over a squared noise, plus their squared distance from a draw of the belief. Where rounding of a sum may be more than the
// noise, rounding counts. The noise starts as large as the residual and falls to nothing, so that weakly determined directions come in
// after strongly determined ones. Steps are Levenberg-Marquardt steps with second-order corrections (Transtrum and Sethna 2012). A
// start at a draw, not at the mean, separates nodes that the messages treat alike at first. If the search ends before everything is
// explained, it restarts and redraws the nodes whose labels have not converged to 1 or -1.
type annealing struct {
	*course
	belief
	free    []int  // places of the unknown nodes, ascending
	alike   []bool // by place: the attackers may confuse the node with another
	workers int
	say     func(string)
	budget  float64 // multiplications left
	unbound bool    // labels may go beyond 1 and -1
	slack   float64 // relative diagonal of the normal equations; from the constant slack on, conjugate gradients refine their solution

	e, home []float64 // position and the draw that attracts it, in units of the belief
	best    []float64 // the position of least residual so far
	least   float64   // its squared residual
	weights []float64 // of sums: below 1 where rounding may be more than the allowed noise
	missed  []float64 // residual, times the weights
	left    float64   // square of missed
	excess  float64   // root mean square of the residual over the possible rounding
	panels  [][]float64
	hessian []float64 // rows of size padded
}

// padded returns the number of columns, rounded up to a multiple of 16.
func (s *annealing) padded() int { return len(s.panels) * tile.Width }

func (s *annealing) numbers() int { return len(s.free) * s.part.dim }

func (s *annealing) rms(square float64) float64 {
	return math.Sqrt(square / float64(len(s.part.want)))
}

// newAnnealing prepares an annealing for free nodes.
func newAnnealing(c *course, b belief, free []int) *annealing {
	s := &annealing{course: c, belief: b, free: free, slack: roughly, missed: make([]float64, len(c.part.want))}
	c.slot, c.dirs = make([]int, len(c.part.nodes)), b.root
	for u := range c.slot {
		c.slot[u] = -1
	}
	for i, u := range free {
		c.slot[u] = i
	}
	s.weights = make([]float64, len(c.part.sums))
	s.allow(math.Inf(1))
	return s
}

// prepare allocates the memory that only joint steps need.
func (s *annealing) prepare() {
	if s.panels != nil {
		return
	}
	for range (s.numbers() + tile.Width - 1) / tile.Width {
		s.panels = append(s.panels, make([]float64, len(s.part.want)*tile.Width))
	}
	s.hessian = make([]float64, s.padded()*s.padded())
}

// work returns about the number of multiplications of a step.
func work(free int, q *part) float64 {
	m := float64(free * q.dim)
	run := 0.0 // for the derivatives by one number
	for _, t := range q.turns {
		run += float64(float64(len(t.mix.Values)+3*len(t.entries)) * float64(q.dim))
	}
	return float64(m * (float64(m*float64(len(q.want))/2) + m*m/3 + run))
}

// lightest is the least weight of a sum. Weights are squared, so a smaller one would only cost precision.
const lightest = 1e-3

// allow sets the weights of sums for a noise.
func (s *annealing) allow(noise float64) {
	for i, sum := range s.part.sums {
		s.weights[i] = max(lightest, 1/math.Hypot(1, sum.off/noise))
	}
}

// floor returns a noise below which a smaller one changes nothing.
func (s *annealing) floor() float64 {
	least := math.Inf(1)
	for _, sum := range s.part.sums {
		least = min(least, sum.off)
	}
	return least
}

// weigh multiplies rows of width numbers for each number of the sums by the sums' weights.
func (s *annealing) weigh(rows []float64, width int) {
	width *= s.part.dim
	for i, w := range s.weights {
		scale(rows[i*width:(i+1)*width], w)
	}
}

// show sets z to the examples of e.
func (s *annealing) show(e []float64) {
	d := s.part.dim
	for i, u := range s.free {
		s.put(s.row(u), e[i*d:(i+1)*d])
	}
}

// try sets missed to the weighted residual of a run with e, and returns its square.
func (s *annealing) try(missed, e []float64) float64 {
	s.show(e)
	s.run()
	copy(missed, s.part.want)
	sparse.Axpy(missed, -1, s.heard)
	s.weigh(missed, 1)
	return sparse.Dot(missed, missed)
}

// over returns the excess of missed.
func (s *annealing) over() float64 {
	sum, d := 0.0, s.part.dim
	for i, w := range s.weights {
		some := s.missed[i*d : (i+1)*d]
		by := 1 / (w * s.part.sums[i].off)
		sum += float64(sparse.Dot(some, some) * by * by)
	}
	return math.Sqrt(sum / float64(len(s.missed)))
}

// look computes the residual at e, its derivatives by all unknown numbers, and their Gram matrix.
func (s *annealing) look() {
	s.prepare()
	s.left = s.try(s.missed, s.e)
	s.excess = s.over()
	s.budget -= work(len(s.free), s.part)
	parallel.Each(len(s.panels), s.workers, func(b int) {
		s.panel(s.panels[b], b*tile.Width)
		s.weigh(s.panels[b], tile.Width)
	})
	p := s.padded()
	parallel.Each(len(s.panels), s.workers, func(a int) {
		var sums tile.Tile
		for b := range a + 1 {
			tile.Cross(&sums, s.panels[a], s.panels[b])
			for i := range tile.Width {
				copy(s.hessian[(a*tile.Width+i)*p+b*tile.Width:], sums[i*tile.Width:(i+1)*tile.Width])
			}
		}
	})
}

// label returns the label of free node i, any number.
func (s *annealing) label(e []float64, i int) float64 {
	d := s.part.dim
	b := s.mean[d-1]
	for k := range d {
		b += float64(e[i*d+k] * s.dirs[k*d+d-1])
	}
	return b
}

// labelled reports whether the label of free node i has converged to 1 or -1.
func (s *annealing) labelled(i int) bool { return math.Abs(math.Abs(s.label(s.e, i))-1) <= labelled }

// beyond returns the distance of the label of free node i beyond 1 or -1, with the label's sign, or 0.
func (s *annealing) beyond(e []float64, i int) float64 {
	b := s.label(e, i)
	return math.Copysign(max(0, math.Abs(b)-1), b)
}

// cost returns the objective.
func (s *annealing) cost(square float64, e []float64, draw, bound float64) float64 {
	for i := range e {
		square += float64(draw * (e[i] - s.home[i]) * (e[i] - s.home[i]))
	}
	for i := range s.free {
		off := s.beyond(e, i)
		square += float64(bound * off * off)
	}
	return square
}

const (
	// noiseFalls is the divisor of the noise at a time. The noise stays at least the residual over deep.
	noiseFalls, deep = 4, 3
	// patient is the largest number of steps in a row with little gain once the noise is that low.
	patient = 4
	// still is the length of a step, in units of the belief, below which the search ends if everything is explained.
	still = 1e-10
	// swings is the largest number of times that a step is shortened.
	swings = 30
	// stiff is the weight of a label beyond 1, relative to another number.
	stiff = 1e4
)

// explained reports whether the residual may be rounding alone.
func (s *annealing) explained() bool { return s.excess <= 1 }

// anneal runs at most steps steps from e. part is the weight of the distance from home, over the squared noise. It reports whether the
// messages are explained.
func (s *annealing) anneal(part float64, steps int) bool {
	s.allow(math.Inf(1))
	noise := s.rms(s.try(s.missed, s.e))
	s.allow(noise)
	s.look()
	damp, idle, floor := 1e-3*noise*noise, 0, s.floor()
	for range steps {
		if s.budget <= 0 || !(noise > 0) {
			break
		}
		draw, bound := part*noise*noise, stiff*noise*noise
		if s.unbound {
			bound = 0
		}
		before := s.cost(s.left, s.e, draw, bound)
		e, dropped := make([]float64, len(s.e)), -1.0
		missed := make([]float64, len(s.missed))
		for k := range swings {
			if s.explained() && k > 1 {
				break
			}
			if v := s.step(draw, bound, damp); v != nil {
				copy(e, s.e)
				sparse.Axpy(e, 1, v)
				if dropped = before - s.cost(s.try(missed, e), e, draw, bound); dropped > 0 {
					break
				}
			}
			damp = max(damp*5, 1e-6*noise*noise)
		}
		if !(dropped > 0) {
			break
		}
		moved := 0.0
		for i, x := range e {
			moved = max(moved, math.Abs(x-s.e[i]))
		}
		copy(s.e, e)
		damp /= 5
		left := s.rms(sparse.Dot(missed, missed))
		if dropped < 0.03*(before-dropped) || dropped < noise*noise {
			least := max(left/deep, floor)
			if noise <= least*1.01 {
				if idle++; idle > patient {
					break
				}
			} else {
				idle = 0
			}
			noise = max(noise/noiseFalls, least)
			s.allow(noise)
		}
		s.look()
		if s.say != nil {
			s.say(fmt.Sprintf("looking for %d examples in all messages: %.1e times what rounding may leave is unexplained", len(s.free), s.excess))
		}
		if s.explained() && moved < still {
			break
		}
	}
	s.left = s.try(s.missed, s.e) // the last trial need not be at e
	return s.explained()
}

const (
	// keeps is the probability of keeping a node whose label is within nearLabel of 1 or -1.
	keeps, nearLabel = 0.85, 0.02
)

// hop restarts from the best position so far. It keeps most nodes with converged labels and draws the others, at distance width.
func (s *annealing) hop(rng *rand.Rand, width float64) {
	d := s.part.dim
	home := make([]float64, s.numbers())
	for i := range s.free {
		if s.best != nil && math.Abs(math.Abs(s.label(s.best, i))-1) < nearLabel && rng.Float64() < keeps {
			copy(home[i*d:(i+1)*d], s.best[i*d:])
			continue
		}
		for k := range d {
			home[i*d+k] = width * step.Normal(rng)
		}
	}
	s.home, s.e = home, append(s.e[:0], home...)
}

// remember keeps the best position so far.
func (s *annealing) remember() {
	if s.best == nil || s.left < s.least {
		s.best, s.least = append(s.best[:0], s.e...), s.left
	}
}
