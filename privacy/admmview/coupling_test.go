package admmview

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// A loss is a convex function on the plane by its proximal operator at gamma = 1.
type loss func(w complex128) complex128

// someLoss draws one with gradients up to lip and, if curvature is above 0, with that smoothness.
func someLoss(r *rand.Rand, lip, curvature float64) loss {
	at := complex(r.NormFloat64(), r.NormFloat64()) * complex(lip, 0)
	along := cmplx.Rect(1, 2*math.Pi*r.Float64())
	kind := r.IntN(4)
	if curvature > 0 {
		kind = 3 * r.IntN(2)
	}
	switch kind {
	case 0:
		return func(w complex128) complex128 { return w - complex(lip, 0)*along }
	case 1: // a cone
		return func(w complex128) complex128 { return w - ball(w-at, lip) }
	case 2: // a ridge
		return func(w complex128) complex128 {
			t := real((w - at) * cmplx.Conj(along))
			return w - complex(max(-lip, min(lip, t)), 0)*along
		}
	}
	if curvature == 0 {
		curvature = 3 * r.Float64()
	}
	return func(w complex128) complex128 { // a bowl that becomes a cone
		return w - ball((w-at)*complex(curvature/(1+curvature), 0), lip)
	}
}

// ball projects on the ball of a radius.
func ball(x complex128, radius float64) complex128 {
	if a := cmplx.Abs(x); a > radius {
		return x * complex(radius/a, 0)
	}
	return x
}

// someRegulariser draws a proximal operator that shrinks, cuts off or projects.
func someRegulariser(r *rand.Rand) loss {
	cut := 0.3 * r.Float64()
	switch r.IntN(3) {
	case 0:
		return func(w complex128) complex128 { return w / complex(1+cut, 0) }
	case 1:
		return func(w complex128) complex128 { return w - ball(w, cut) }
	}
	return func(w complex128) complex128 { return ball(w, cut) }
}

// A world is one of the two runs.
type world struct {
	variables []complex128
	mean      complex128
}

// next is the variable of a holder after an update from z without noise.
func (w *world) next(s Step, holder int, z complex128, f loss) complex128 {
	u := w.variables[holder]
	return u + complex(2*s.Lambda, 0)*(f(complex(ratio(s.Shrink), 0)*(2*z-u))-z)
}

func (w *world) set(holder int, u complex128) {
	w.mean += (u - w.variables[holder]) / complex(float64(len(w.variables)), 0)
	w.variables[holder] = u
}

// A couple of runs on real losses, side by side, of which the second has its noise moved as the plan says.
type couple struct {
	t          *rapid.T
	r          *rand.Rand
	plan       *Plan
	one, two   world
	losses     []loss
	other      loss // of u in the second world
	regularise loss
	moves      []complex128 // effects of u's data, contribution by contribution
	paid       float64
}

func newCouple(t *rapid.T) *couple {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	n := 2 + r.IntN(5)
	s := Step{Lambda: []float64{0.5, 0.5, 0.5, 0.2, 0.8, 1}[r.IntN(6)], Regularised: r.IntN(2) == 0, Kept: r.IntN(3) == 0}
	lip, curvature := 1/(4*s.Lambda), 0.0 // so that 4 lambda L gamma is 1
	if r.IntN(3) == 0 {
		curvature = 0.05 + 2*r.Float64()
		s.Memory = curvature / (1 + curvature)
	}
	if r.IntN(3) == 0 {
		s.Shrink = 0.2 + 0.8*r.Float64()
	}
	c := &couple{t: t, r: r, plan: NewPlan(s, n, 0), regularise: func(w complex128) complex128 { return w }}
	if s.Regularised {
		c.regularise = someRegulariser(r)
	}
	start := complex(r.NormFloat64(), r.NormFloat64())
	for range n {
		l := lip
		if s.Kept {
			l *= 10
		}
		c.losses = append(c.losses, someLoss(r, l, curvature))
		c.one.variables, c.two.variables = append(c.one.variables, start), append(c.two.variables, start)
	}
	c.one.mean, c.two.mean = start, start
	c.other = someLoss(r, lip, curvature)
	if s.Kept { // another record adds a slope
		slope := cmplx.Rect(2*lip, 7*r.Float64())
		c.other = func(w complex128) complex128 { return c.losses[0](w - slope) }
	}
	return c
}

// vector returns the vector that a row of the plan stands for.
func (c *couple) vector(row []float64) (v complex128) {
	for k, x := range row {
		v += complex(x, 0) * c.moves[k]
	}
	return v
}

// turn runs both worlds through one update and checks the assumptions of the plan.
func (c *couple) turn(t Turn, z1, z2 complex128, mean float64) {
	p, s := c.plan, c.plan.step
	f1 := c.losses[t.Holder]
	f2 := f1
	if t.Holder == p.u {
		f2 = c.other
	}
	if t.How == Drifts {
		f1 = func(w complex128) complex128 { return w }
		f2 = f1
	}
	before, sum := c.vector(p.rows[t.Holder]), c.vector(p.sum)
	n1, n2 := c.one.next(s, t.Holder, z1, f1), c.two.next(s, t.Holder, z2, f2)
	if t.How == Stays {
		n1, n2 = c.one.variables[t.Holder], c.two.variables[t.Holder]
	}
	if p.contributes(t) {
		centre := complex(p.own.keep, 0)*before + complex(p.own.drift*mean, 0)*sum
		c.moves = append(c.moves, n2-n1-centre)
	}
	cost := p.energy
	p.turn(t, mean)
	if k := len(p.units); p.contributes(t) && cmplx.Abs(c.moves[k-1]) > p.units[k-1]*(1+1e-9)+1e-9 {
		c.t.Fatalf("%+v: contribution %d moves by %g, at most %g is planned for", s, k, cmplx.Abs(c.moves[k-1]), p.units[k-1])
	}
	shift := c.vector(p.rows[t.Holder]) - (n2 - n1)
	paid := real(shift)*real(shift) + imag(shift)*imag(shift)
	if most := p.energy - cost; paid > most*(1+1e-9)+1e-9 {
		c.t.Fatalf("%+v: a turn of %d took a shift of energy %g, planned %g", s, t.Holder, paid, most)
	}
	c.paid += paid
	noise := complex(c.r.NormFloat64(), c.r.NormFloat64())
	c.one.set(t.Holder, n1+noise)
	c.two.set(t.Holder, n2+noise+shift)
}

// look checks that the two worlds look the same.
func (c *couple) look() {
	clear(c.plan.sum)
	if d := cmplx.Abs(c.two.mean - c.one.mean); d > 1e-9 {
		c.t.Fatalf("%+v: the observer sees a difference of %g", c.plan.step, d)
	}
	if c.paid > c.plan.energy*(1+1e-9)+1e-9 {
		c.t.Fatalf("%+v: shifts of energy %g, planned %g", c.plan.step, c.paid, c.plan.energy)
	}
}

// On losses with kinks, slopes and curvature, in a plane, a run beside one with
// other data at u, whose noise is moved as planned, shows observers the
// same, at the energy that was said beforehand.
func TestThePlanHidesRealLosses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newCouple(t)
		n, together := len(c.losses), rapid.Bool().Draw(t, "rounds")
		for range rapid.IntRange(1, 6).Draw(t, "looks") {
			turns := c.someTurns(n, together)
			c.plan.foresee(turns)
			mean := 1 / float64(n)
			z1, z2 := c.regularise(c.one.mean), c.regularise(c.two.mean)
			for _, turn := range turns {
				if together {
					mean = 0
				} else {
					z1, z2 = c.regularise(c.one.mean), c.regularise(c.two.mean)
				}
				c.turn(turn, z1, z2, mean)
			}
			c.look()
		}
	})
}

func (c *couple) someTurns(n int, together bool) (turns []Turn) {
	if together {
		for _, j := range c.r.Perm(n) {
			if c.r.IntN(3) > 0 {
				turns = append(turns, Turn{Holder: j})
			}
		}
		for i, t := range turns {
			if t.Holder == 0 {
				turns[0], turns[i] = turns[i], turns[0]
			}
		}
		return turns
	}
	for range c.r.IntN(9) {
		j := c.r.IntN(n)
		turns = append(turns, Turn{j, []How{Updates, Updates, Updates, Updates, Drifts, Stays}[c.r.IntN(6)]})
	}
	return turns
}
