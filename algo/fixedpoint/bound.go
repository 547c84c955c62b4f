package fixedpoint

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Bound holds the parameters of 002, Theorem 8.5, in the form that is proved here. Let u* be the fixed point of R,
// blocks active with probability q by draws that do not depend on the past, a = lambda (1 - tau), N = E norm(noise)^2
// and zeta^2 at least E norm(e)^2 given the past. Then
//
//	E norm(u_k+1 - u*)^2 <= (1 - q a (2 - a)) D_k + q lambda^2 (N + zeta^2)        if e is 0 on average,
//	E norm(u_k+1 - u*)^2 <= (1 - q a) D_k + q lambda^2 (N + zeta^2/a)              for any e,
//
// where D_k is the same expectation after k steps. For the proof, squared norms are sums over blocks, each of which
// is updated with probability q, so that the whole update suffices. It brings u to at most (1 - a) times its distance
// from u*, and the noise is independent of everything else. With y = lambda norm(e)/a the second line follows from
// ((1-a) x + a y)^2 <= (1-a) x^2 + a y^2. The bound holds for every lambda in (0, 1] and any noise.
type Bound struct {
	Tau      float64 // R is tau-contractive, tau <= 1; 1: non-expansive
	Active   float64 // q in (0, 1]
	Lambda   float64 // in (0, 1]
	Noise2   float64 // N: parameters times the variance of a coordinate
	Error2   float64 // zeta^2
	Unbiased bool    // e is 0 on average, given the past
	Start2   float64 // norm(u_0 - u*)^2
}

// After returns an upper bound of E norm(u_k - u*)^2 after steps steps.
func (b Bound) After(steps int) float64 {
	rate, added := b.step()
	if rate == 1 {
		return b.Start2 + float64(float64(steps)*added)
	}
	left := math.Pow(rate, float64(steps))
	return float64(left*b.Start2) + (1-left)*added/(1-rate)
}

// Floor returns the limit of After for many steps. It is +Inf if nothing contracts and something is added.
func (b Bound) Floor() float64 {
	rate, added := b.step()
	if added == 0 {
		return 0
	}
	return added / (1 - rate)
}

// step returns the factor of the bound in one step, and the term added.
func (b Bound) step() (rate, added float64) {
	a, gain := float64(b.Lambda*(1-b.Tau)), float64(b.Active*b.Lambda*b.Lambda)
	switch {
	case b.Unbiased || b.Error2 == 0:
		return 1 - float64(b.Active*a*(2-a)), float64(gain * (b.Noise2 + b.Error2))
	default:
		return 1 - float64(b.Active*a), float64(gain * (b.Noise2 + b.Error2/a))
	}
}

// Printed returns the right side of 002, equation E.5 after k+1 steps, which is claimed for some lambda:
//
//	(1 - q^2 (1-tau)/8)^k D + 8 ((sqrt(p) sigma + zeta)/(sqrt(q) (1-tau)) + (p sigma^2 + zeta^2)/(q^3 (1-tau)^3)).
//
// It holds, because After at lambda 1 is below it, and without the condition on sigma. The lambda of its proof is
// ProofLambda. That is above 1 in all but the shortest range, where the iteration need not converge at all.
func (b Bound) Printed(k int) float64 {
	q, gap := b.Active, 1-b.Tau
	left := math.Pow(1-float64(q*q*gap/8), float64(k))
	return float64(left*b.Start2) + float64(8*((math.Sqrt(b.Noise2)+math.Sqrt(b.Error2))/(math.Sqrt(q)*gap)+(b.Noise2+b.Error2)/(q*q*q*gap*gap*gap)))
}

// ProofLambda returns the step size of 002, appendix E.1.2: (1 - q/(2 (1+c)))/(1-b) with b^2 = 1 - q (1-tau) and 1+c
// = (sqrt(p) sigma + zeta)/(sqrt(q) (1-tau)).
func (b Bound) ProofLambda() float64 {
	q, gap := b.Active, 1-b.Tau
	c := (math.Sqrt(b.Noise2) + math.Sqrt(b.Error2)) / (math.Sqrt(q) * gap)
	return (1 - q/(2*c)) / (1 - math.Sqrt(1-float64(q*gap)))
}

// Says describes the bound after steps steps, as a plan prints it behind a number.
func (b Bound) Says(steps int) string {
	return fmt.Sprintf("E|x - x*|^2 after %d steps, whose limit is %.4g (002 Theorem 8.5 as it holds; as printed, of a lambda that exists: %.4g): %v; the fixed point within %.4g of the start",
		steps, b.Floor(), b.Printed(steps-1), b, math.Sqrt(b.Start2))
}

// String describes the parameters of the bound.
func (b Bound) String() string {
	return fmt.Sprintf("an operator that contracts by %.6g, a relaxation of %g and blocks that are active with probability %.4g", b.Tau, b.Lambda, b.Active)
}
