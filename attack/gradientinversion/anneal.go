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

// An annealing looks for examples of a part of a run, behind all its sums at once: the least of the square of what a run with
// them does not explain, over the square of a noise, or of what rounding may leave in a sum where that is more, and of how far
// they are from a draw of what examples may be. The noise starts as large as what is not explained and falls to nothing, so that what messages hold weakly comes in once what
// they hold strongly is understood. Steps are Levenberg's and Marquardt's, with what their curvature adds
// (Transtrum and Sethna 2012). Beginning at a draw and not in the middle tells nodes apart that the messages hold
// alike at first. Where it ends before everything is explained, it begins anew with nodes drawn again whose labels have not come to one.
type annealing struct {
	*course
	belief
	free    []int  // places of the nodes that are looked for, ascending
	alike   []bool // of places: somebody looks the same to the attackers
	workers int
	say     func(string)
	budget  float64 // multiplications that may still be done
	unbound bool    // labels are not kept from being beyond 1
	slack   float64 // of normal equations; slack: they are where conjugate gradients begin

	e, home []float64 // where it is and where it is drawn to, in units of the belief
	best    []float64 // of what it came to, the one that leaves least
	least   float64   // square of what that does
	weights []float64 // of sums: less than one where rounding may be more than the noise that is allowed
	missed  []float64 // times these
	left    float64   // square of missed
	excess  float64   // root mean square of what is not explained, over what rounding may leave
	panels  [][]float64
	hessian []float64 // rows of size padded
}

// padded is how many columns there are, a multiple of 16.
func (s *annealing) padded() int { return len(s.panels) * tile.Width }

func (s *annealing) numbers() int { return len(s.free) * s.part.dim }

func (s *annealing) rms(square float64) float64 {
	return math.Sqrt(square / float64(len(s.part.want)))
}

// newAnnealing prepares one for nodes that are free.
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

// prepare makes room for what only steps of all numbers need.
func (s *annealing) prepare() {
	if s.panels != nil {
		return
	}
	for range (s.numbers() + tile.Width - 1) / tile.Width {
		s.panels = append(s.panels, make([]float64, len(s.part.want)*tile.Width))
	}
	s.hessian = make([]float64, s.padded()*s.padded())
}

// work is how many multiplications a step takes, about.
func work(free int, q *part) float64 {
	m := float64(free * q.dim)
	run := 0.0 // of how they move with one number
	for _, t := range q.turns {
		run += float64(float64(len(t.mix.Values)+3*len(t.entries)) * float64(q.dim))
	}
	return float64(m * (float64(m*float64(len(q.want))/2) + m*m/3 + run))
}

// lightest is the least weight of a sum, of which squares count: less would only cost precision.
const lightest = 1e-3

// allow weighs sums for a noise.
func (s *annealing) allow(noise float64) {
	for i, sum := range s.part.sums {
		s.weights[i] = max(lightest, 1/math.Hypot(1, sum.off/noise))
	}
}

// floor is a noise from which on less changes nothing.
func (s *annealing) floor() float64 {
	least := math.Inf(1)
	for _, sum := range s.part.sums {
		least = min(least, sum.off)
	}
	return least
}

// weigh multiplies rows of width numbers for each number of the sums by their weights.
func (s *annealing) weigh(rows []float64, width int) {
	width *= s.part.dim
	for i, w := range s.weights {
		scale(rows[i*width:(i+1)*width], w)
	}
}

// show sets z to what e stands for.
func (s *annealing) show(e []float64) {
	d := s.part.dim
	for i, u := range s.free {
		s.put(s.row(u), e[i*d:(i+1)*d])
	}
}

// try sets missed to what a run with e does not explain, and returns its square.
func (s *annealing) try(missed, e []float64) float64 {
	s.show(e)
	s.run()
	copy(missed, s.part.want)
	sparse.Axpy(missed, -1, s.heard)
	s.weigh(missed, 1)
	return sparse.Dot(missed, missed)
}

// over is the excess of missed.
func (s *annealing) over() float64 {
	sum, d := 0.0, s.part.dim
	for i, w := range s.weights {
		some := s.missed[i*d : (i+1)*d]
		by := 1 / (w * s.part.sums[i].off)
		sum += float64(sparse.Dot(some, some) * by * by)
	}
	return math.Sqrt(sum / float64(len(s.missed)))
}

// look works out how messages move with everything that is looked for, at e.
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

// label is the label of free node i, any number.
func (s *annealing) label(e []float64, i int) float64 {
	d := s.part.dim
	b := s.mean[d-1]
	for k := range d {
		b += float64(e[i*d+k] * s.dirs[k*d+d-1])
	}
	return b
}

// labelled reports whether the label of free node i has come to one.
func (s *annealing) labelled(i int) bool { return math.Abs(math.Abs(s.label(s.e, i))-1) <= labelled }

// beyond is how far the label of free node i is beyond 1 or -1.
func (s *annealing) beyond(e []float64, i int) float64 {
	b := s.label(e, i)
	return math.Copysign(max(0, math.Abs(b)-1), b)
}

// cost is what is made least.
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
	// noiseFalls is what the noise is divided by at a time, and deep how far it stays behind what is not explained.
	noiseFalls, deep = 4, 3
	// patient is how often in a row a step may win little while the noise is as low as that.
	patient = 4
	// still is how short a step is, all explained, for it to be the last: in units of the belief.
	still = 1e-10
	// swings is how often a step is shortened.
	swings = 30
	// stiff is how much more a label beyond 1 is minded than another number.
	stiff = 1e4
)

// explained reports whether only rounding is left.
func (s *annealing) explained() bool { return s.excess <= 1 }

// anneal goes on from e towards home, by part of the noise; it reports whether the messages are explained.
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
	s.left = s.try(s.missed, s.e) // what was tried last need not be where it is
	return s.explained()
}

const (
	// keeps is how likely a node is kept whose label has come to one, but for nearLabel.
	keeps, nearLabel = 0.85, 0.02
)

// hop begins anew, from the best so far: most nodes whose label has come to one stay, others are drawn.
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

// remember keeps the best so far.
func (s *annealing) remember() {
	if s.best == nil || s.left < s.least {
		s.best, s.least = append(s.best[:0], s.e...), s.left
	}
}
