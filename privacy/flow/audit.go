package flow

import "github.com/hearsay-dp/hearsay/internal/math"

// The audit takes quadratic losses: Phi_j(x) = L x. Then the coalition's view is
// one joint Gaussian, G z + shift g, with z the noise of everybody else. Any
// combination w of the view has a shift of w'g at a variance of |G'w|^2. So
// (w'g)^2/|G'w|^2 is a lower bound on the leakage for every w. The best w solves
// (G G')w = g, and is then the whole leakage. Earlier messages are subtracted
// first. So G'w equals w at seen messages. Elsewhere it is the weight of w in the
// noise there, on its way: one pass backward.

// attack limits the conjugate gradients of an audit.
var attack = effort{gradients: 400, inner: 1e-10}

// Audit returns a lower bound on the leakage of u to the observers, in units of
// the energy: mu^2 sigma^2 of an explicit attack. All losses are quadratic with
// the Lipschitz constants of the problem. The bound is exact up to the last
// digits for them. It is 0 if averaged rounds were not decided.
func (a *Accountant) Audit(u int, observers ...int) (float64, error) {
	if err := a.p.checkPair(u, observers); err != nil {
		return 0, err
	}
	if a.rounds != nil {
		attained, _ := a.attackVeils(a.must(observers).veils, u, curvesTried[:1], veilAttack)
		return a.attained(u, attained), nil
	}
	part := a.heard(u, a.seenBy(observers))
	if err := part.fits(); err != nil {
		return 0, err
	}
	return a.attained(u, part.newTest([]int{part.source}, part.stops).best(attack)[0]), nil
}

// A test holds one combination of the messages for each source, where the block
// stops.
type test struct {
	*block
	w      [][]float64 // the combinations, 0 at unseen messages
	weight [][]float64 // scratch: the weight of each message's noise in them
}

func (a *Accountant) newTest(sources []int, seen [][]bool) *test {
	s := &test{block: a.newBlock(sources, seen)}
	s.w, s.weight = s.plan, s.rounds()
	return s
}

// back sets p to G'w.
func (s *test) back(p, w [][]float64) {
	for t := len(p) - 1; t >= 0; t-- {
		s.later(p, t)
		copy(p[t], s.scratch)
		s.at(t, true, func(k int) { p[t][k] = w[t][k] })
	}
}

// at visits the entries of a round that are seen, or those that are not.
func (s *test) at(t int, seen bool, visit func(k int)) {
	for j, stop := range s.stops[t] {
		if stop == seen {
			for k := j * s.cols; k < (j+1)*s.cols; k++ {
				visit(k)
			}
		}
	}
}

// gram sets g = (G G')w.
func (s *test) gram(g, w [][]float64) {
	p := s.weight
	s.back(p, w)
	for t := range g {
		s.arrived(g[t], t)
		for k := range g[t] {
			g[t][k] += float64(s.variance(t, k/s.cols) * p[t][k])
		}
		s.pass(g, t)
	}
}

// shift sets g to the change of the seen messages by the sources' data.
func (s *test) shift(g [][]float64) {
	for t := range g {
		s.arrived(g[t], t)
		s.enter(g[t], t)
		s.pass(g, t)
	}
}

// pass sends on the unseen entries of g, and leaves the seen ones in g.
func (s *test) pass(g [][]float64, t int) {
	clear(s.scratch)
	s.at(t, false, func(k int) { s.scratch[k], g[t][k] = g[t][k], 0 })
}

// best finds combinations by conjugate gradients and returns the energies that
// they attain.
func (s *test) best(work effort) []float64 {
	r := s.solve(work)
	return s.attained(r)
}

// solve finds combinations, and returns a scratch array.
func (s *test) solve(work effort) [][]float64 {
	r, d, g := s.rounds(), s.rounds(), s.rounds()
	s.shift(r)
	for t := range r {
		copy(d[t], r[t])
	}
	size := s.product(r, r)
	target := make([]float64, s.cols)
	for k, x := range size {
		target[k] = x * work.inner * work.inner
	}
	for i := 0; i < work.gradients && above(size, target); i++ {
		s.gram(g, d)
		along := ratios(size, s.product(d, g))
		s.combine(s.w, along, d)
		for k := range along {
			along[k] = -along[k]
		}
		s.combine(r, along, g)
		next := s.product(r, r)
		turn := ratios(next, size)
		for t := range d {
			for lo := 0; lo < len(d[t]); lo += s.cols {
				for k := range s.cols {
					d[t][lo+k] = r[t][lo+k] + float64(turn[k]*d[t][lo+k])
				}
			}
		}
		size = next
	}
	return g
}

// combine adds by times y to x, source by source.
func (s *test) combine(x [][]float64, by []float64, y [][]float64) {
	for t := range x {
		for lo := 0; lo < len(x[t]); lo += s.cols {
			y := y[t][lo : lo+s.cols]
			for k := range x[t][lo : lo+s.cols] {
				x[t][lo+k] += float64(by[k] * y[k])
			}
		}
	}
}

// attained returns (w'g)^2/|G'w|^2 for each source, rounded down. Entries of G'w
// are sums over paths. The moduli of the same sums, m, bound the rounding errors.
// m is scratch. w'g is computed as the sum of s_t (G'w)_t at the source.
func (s *test) attained(m [][]float64) []float64 {
	p := s.weight
	s.normalise()
	s.back(p, s.w)
	for t := range s.w {
		for k, x := range s.w[t] {
			s.w[t][k] = math.Abs(x)
		}
	}
	s.moduli().back(m, s.w)
	unit := float64(float64(s.p.Rounds*(s.longest+8)) * 0x1p-52)
	shift, slack, spread, noisy := make([]float64, s.cols), make([]float64, s.cols), make([]float64, s.cols), make([]bool, s.cols)
	for t := range m {
		for k, u := range s.sources {
			x := s.gives[t].at(u)
			shift[k] += float64(x * p[t][u*s.cols+k])
			slack[k] += float64(x * m[t][u*s.cols+k])
		}
		for at := range m[t] {
			std := s.noise[t].at(at / s.cols)
			width := float64(std * (math.Abs(p[t][at]) + float64(unit*m[t][at])))
			spread[at%s.cols] += float64(width * width)
			noisy[at%s.cols] = noisy[at%s.cols] || std > 0 && m[t][at] > 0
		}
	}
	attained := make([]float64, s.cols)
	for k := range attained {
		sure := math.Abs(shift[k]) - float64(2*unit*slack[k]) - vanished
		switch {
		case !(sure > 0):
		case !noisy[k]:
			attained[k] = math.Inf(1)
		default:
			attained[k] = float64(sure / raised(spread[k]+vanished, 2*s.n*len(m)) * sure * (1 - 0x1p-50))
		}
	}
	return attained
}

// vanished bounds the total underflow in combinations whose largest entry is 1.
const vanished = 1e-280

// normalise scales the largest entry of each combination to 1.
func (s *test) normalise() {
	largest := make([]float64, s.cols)
	for t := range s.w {
		for k, x := range s.w[t] {
			largest[k%s.cols] = max(largest[k%s.cols], math.Abs(x))
		}
	}
	for t := range s.w {
		for k := range s.w[t] {
			if by := largest[k%s.cols]; by > 0 {
				s.w[t][k] /= by
			}
		}
	}
}
