package fixedpoint

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Bound is what 002, Theorem 8.5 promises of a run, as it holds. With u* the fixed point
// of R, blocks active with probability q by draws that do not depend on the past, a = lambda
// (1 - tau), N = E norm(noise)^2 and zeta^2 at least E norm(e)^2 given the past,
//
//	E norm(u_k+1 - u*)^2 <= (1 - q a (2 - a)) D_k + q lambda^2 (N + zeta^2)        if e is 0 on average,
//	E norm(u_k+1 - u*)^2 <= (1 - q a) D_k + q lambda^2 (N + zeta^2/a)              whatever e is,
//
// D_k the same after k steps: squared norms are sums over blocks, of which each is updated
// with probability q, so that only the whole update counts; it leads (1 - a) times as far
// from u* at most, noise is independent of everything else, and ((1-a) x + a y)^2 <= (1-a) x^2 + a y^2
// with y = lambda norm(e)/a. Every lambda in (0, 1] will do, and any noise.
type Bound struct {
	Tau      float64 // R is tau-contractive, tau <= 1; 1: non-expansive
	Active   float64 // q in (0, 1]
	Lambda   float64 // in (0, 1]
	Noise2   float64 // N: parameters times the variance of a coordinate
	Error2   float64 // zeta^2
	Unbiased bool    // e is 0 on average, given the past
	Start2   float64 // norm(u_0 - u*)^2
}

// After bounds E norm(u_k - u*)^2 after so many steps.
func (b Bound) After(steps int) float64 {
	rate, added := b.step()
	if rate == 1 {
		return b.Start2 + float64(float64(steps)*added)
	}
	left := math.Pow(rate, float64(steps))
	return float64(left*b.Start2) + (1-left)*added/(1-rate)
}

// Floor is where that ends: +Inf where nothing contracts and something is added.
func (b Bound) Floor() float64 {
	rate, added := b.step()
	if added == 0 {
		return 0
	}
	return added / (1 - rate)
}

// step is what one step does to the bound.
func (b Bound) step() (rate, added float64) {
	a, gain := float64(b.Lambda*(1-b.Tau)), float64(b.Active*b.Lambda*b.Lambda)
	switch {
	case b.Unbiased || b.Error2 == 0:
		return 1 - float64(b.Active*a*(2-a)), float64(gain * (b.Noise2 + b.Error2))
	default:
		return 1 - float64(b.Active*a), float64(gain * (b.Noise2 + b.Error2/a))
	}
}

// Printed is 002, equation E.5 after k+1 steps: of a lambda that exists,
//
//	(1 - q^2 (1-tau)/8)^k D + 8 ((sqrt(p) sigma + zeta)/(sqrt(q) (1-tau)) + (p sigma^2 + zeta^2)/(q^3 (1-tau)^3)).
//
// It holds, for at lambda 1 After is below it, and without what it asks of sigma. The lambda
// of its proof is ProofLambda, which is above 1 in all but the shortest range, where the
// iteration need not converge at all.
func (b Bound) Printed(k int) float64 {
	q, gap := b.Active, 1-b.Tau
	left := math.Pow(1-float64(q*q*gap/8), float64(k))
	return float64(left*b.Start2) + float64(8*((math.Sqrt(b.Noise2)+math.Sqrt(b.Error2))/(math.Sqrt(q)*gap)+(b.Noise2+b.Error2)/(q*q*q*gap*gap*gap)))
}

// ProofLambda is the step size that 002, appendix E.1.2 takes: (1 - q/(2 (1+c)))/(1-b) with
// b^2 = 1 - q (1-tau) and 1+c = (sqrt(p) sigma + zeta)/(sqrt(q) (1-tau)).
func (b Bound) ProofLambda() float64 {
	q, gap := b.Active, 1-b.Tau
	c := (math.Sqrt(b.Noise2) + math.Sqrt(b.Error2)) / (math.Sqrt(q) * gap)
	return (1 - q/(2*c)) / (1 - math.Sqrt(1-float64(q*gap)))
}

// Says is the promise after so many steps, in words, for what a plan prints behind a number.
func (b Bound) Says(steps int) string {
	return fmt.Sprintf("E|x - x*|^2 after %d steps, whose limit is %.4g (002 Theorem 8.5 as it holds; as printed, of a lambda that exists: %.4g): %v; the fixed point within %.4g of the start",
		steps, b.Floor(), b.Printed(steps-1), b, math.Sqrt(b.Start2))
}

// String says what the bound counts on.
func (b Bound) String() string {
	return fmt.Sprintf("an operator that contracts by %.6g, a relaxation of %g and blocks that are active with probability %.4g", b.Tau, b.Lambda, b.Active)
}
