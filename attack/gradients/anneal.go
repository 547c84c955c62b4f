package gradients

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/internal/tile"
	"github.com/hearsay-dp/hearsay/sparse"
)

// An annealing looks for the examples that peeling leaves, behind all messages at once: the least of the square of what a run with
// them does not explain, over the square of a noise, and of how far they are from a draw of what examples may be. The noise
// starts as large as what is not explained and falls to nothing, so that what messages hold weakly comes in once what
// they hold strongly is understood. Steps are Levenberg's and Marquardt's, with what their curvature adds
// (Transtrum and Sethna 2012). Beginning at a draw and not in the middle tells nodes apart that the messages hold
// alike at first.
type annealing struct {
	*course
	belief
	free    []int // nodes that are looked for, ascending
	workers int
	say     func(string)
	floor   float64 // root mean square of what rounding leaves unexplained
	budget  float64 // multiplications that may still be done

	e, home []float64 // where it is and where it is drawn to, in units of the belief
	missed  []float64
	left    float64 // square of missed
	panels  [][]float64
	hessian []float64 // rows of size padded
	pull    []float64 // the transpose of how messages move, times missed
}

// padded is how many columns there are, a multiple of 16.
func (s *annealing) padded() int { return len(s.panels) * tile.Width }

func (s *annealing) numbers() int { return len(s.free) * s.seen.Dim }

func (s *annealing) rms(square float64) float64 {
	return math.Sqrt(square / float64(len(s.seen.Heard)))
}

// newAnnealing prepares one for nodes that are free.
func newAnnealing(c *course, b belief, free []int) *annealing {
	s := &annealing{course: c, belief: b, free: free, missed: make([]float64, len(c.seen.Heard))}
	c.slot, c.dirs = make([]int, c.knowledge.Len()), b.dirs
	for u := range c.slot {
		c.slot[u] = -1
	}
	for i, u := range free {
		c.slot[u] = i
	}
	count := (s.numbers() + tile.Width - 1) / tile.Width
	for range count {
		s.panels = append(s.panels, make([]float64, len(c.seen.Heard)*tile.Width))
	}
	s.hessian = make([]float64, s.padded()*s.padded())
	s.pull = make([]float64, s.padded())
	return s
}

// work is how many multiplications a step takes, about.
func (s *annealing) work() float64 {
	m := float64(s.numbers())
	return m*m*float64(len(s.seen.Heard))/2 + m*m*m
}

// try sets missed to what a run with e does not explain, and returns its square.
func (s *annealing) try(missed, e []float64) float64 {
	d := s.seen.Dim
	for i, u := range s.free {
		s.put(s.row(u), e[i*d:(i+1)*d])
	}
	s.run()
	copy(missed, s.seen.Heard)
	sparse.Axpy(missed, -1, s.heard)
	return sparse.Dot(missed, missed)
}

// look works out how messages move with everything that is looked for, at e.
func (s *annealing) look() {
	s.left = s.try(s.missed, s.e)
	s.budget -= s.work()
	parallel.Each(len(s.panels), s.workers, func(b int) { s.panel(s.panels[b], b*tile.Width) })
	p := s.padded()
	parallel.Each(len(s.panels), s.workers, func(a int) {
		var sums tile.Tile
		for b := range a + 1 {
			tile.Cross(&sums, s.panels[a], s.panels[b])
			for i := range tile.Width {
				copy(s.hessian[(a*tile.Width+i)*p+b*tile.Width:], sums[i*tile.Width:(i+1)*tile.Width])
			}
		}
		s.turn(a, s.missed, s.pull)
	})
}

// turn adds up columns of panel a, weighed by weights.
func (s *annealing) turn(a int, weights, dst []float64) {
	sum := dst[a*tile.Width : (a+1)*tile.Width]
	clear(sum)
	for i, w := range weights {
		sparse.Axpy(sum, w, s.panels[a][i*tile.Width:(i+1)*tile.Width])
	}
}

// along is how messages move with v.
func (s *annealing) along(v []float64) []float64 {
	out := make([]float64, len(s.missed))
	for a, panel := range s.panels {
		some := v[min(len(v), a*tile.Width):min(len(v), (a+1)*tile.Width)]
		for i := range out {
			out[i] += sparse.Dot(some, panel[i*tile.Width:i*tile.Width+len(some)])
		}
	}
	return out
}

// factor factorises the hessian over the square of a noise with damping beside.
func (s *annealing) factor(noise, damp float64) (*mat.Cholesky, bool) {
	m, p, by := s.numbers(), s.padded(), 1/(noise*noise)
	sum := 0.0
	for i := range m {
		sum += s.hessian[i*p+i]
	}
	damp += sum / float64(m) * by * 1e-16
	h := mat.NewSymDense(m, nil)
	parallel.Each(m, s.workers, func(i int) {
		for j := range i + 1 {
			h.SetSym(j, i, s.hessian[i*p+j]*by)
		}
		h.SetSym(i, i, h.At(i, i)+damp)
	})
	var c mat.Cholesky
	return &c, c.Factorize(h)
}

// solve is x with (hessian/noise^2 + damp) x = b.
func solve(c *mat.Cholesky, b []float64) []float64 {
	x := make([]float64, len(b))
	_ = c.SolveVecTo(mat.NewVecDense(len(x), x), mat.NewVecDense(len(b), b)) // a poor condition is what damping is for
	return x
}

// step is Levenberg's and Marquardt's towards home, nil where it bends too much; draw is the weight of home.
func (s *annealing) step(noise, damp, draw float64) []float64 {
	c, ok := s.factor(noise, draw+damp)
	if !ok {
		return nil
	}
	m, by := s.numbers(), 1/(noise*noise)
	g := make([]float64, m)
	for i := range g {
		g[i] = s.pull[i]*by - draw*(s.e[i]-s.home[i])
	}
	v := solve(c, g)
	const h = 0.1
	e, missed := make([]float64, m), make([]float64, len(s.missed))
	copy(e, s.e)
	sparse.Axpy(e, h, v)
	s.try(missed, e)
	bend := s.along(v)
	for i := range bend {
		bend[i] = 2 / h * ((s.missed[i]-missed[i])/h - bend[i])
	}
	pull := make([]float64, s.padded())
	parallel.Each(len(s.panels), s.workers, func(a int) { s.turn(a, bend, pull) })
	scale(pull, -by/2)
	more := solve(c, pull[:m])
	if !(4*math.Sqrt(sparse.Dot(more, more)) < 0.75*math.Sqrt(sparse.Dot(v, v))) {
		return nil
	}
	sparse.Axpy(v, 1, more)
	return v
}

// cost is what is made least.
func (s *annealing) cost(square float64, e []float64, noise, draw float64) float64 {
	sum := square / (noise * noise)
	for i := range e {
		sum += draw * (e[i] - s.home[i]) * (e[i] - s.home[i])
	}
	return sum
}

const (
	// falls is what the noise is divided by at a time, patient how often in a row in vain.
	noiseFalls, patient = 4, 5
	// swings is how often a step is shortened.
	swings = 14
)

// explained reports whether only rounding is left.
func (s *annealing) explained() bool { return s.rms(s.left) <= s.floor }

// anneal goes on from e towards home, draw its weight; it reports whether the messages are explained.
func (s *annealing) anneal(draw float64, steps int) bool {
	s.look()
	noise, damp, vain := s.rms(s.left), 1e-3, 0
	for range steps {
		if s.explained() || s.budget <= 0 || !(noise > 0) {
			break
		}
		before := s.cost(s.left, s.e, noise, draw)
		e, dropped := make([]float64, len(s.e)), -1.0
		missed := make([]float64, len(s.missed))
		for range swings {
			if v := s.step(noise, damp, draw); v != nil {
				copy(e, s.e)
				sparse.Axpy(e, 1, v)
				if dropped = before - s.cost(s.try(missed, e), e, noise, draw); dropped > 0 {
					break
				}
			}
			damp = max(damp, 1e-6) * 5
		}
		if !(dropped > 0) {
			noise, damp = noise/noiseFalls, 1e-3
			if vain++; vain > patient {
				break
			}
			continue
		}
		copy(s.e, e)
		damp /= 5
		s.look()
		if s.say != nil {
			s.say(fmt.Sprintf("looking for %d examples in all messages: unexplained %.1e, down to %.1e", len(s.free), s.rms(s.left), s.floor))
		}
		if dropped < 0.03*(before-dropped) || dropped < 1 {
			noise, damp, vain = noise/noiseFalls, min(damp, 1e-2), 0
		}
	}
	return s.explained()
}

// draw begins anew at a draw.
func (s *annealing) draw(rng *rand.Rand, width float64) {
	s.home = make([]float64, s.numbers())
	for i := range s.home {
		s.home[i] = width * rng.NormFloat64()
	}
	s.e = append(s.e[:0], s.home...)
}
