package descent

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// deviations is the number of standard deviations of noise that a box leaves room for. A Gaussian exceeds it with
// probability below 2^-188, so that even among 2^128 values that enter steps one meets the box with probability below
// 2^-60.
const deviations = 16

// largestBox bounds a box such that squares of its values are far below the float64 range.
const largestBox = 0x1p+300

// Bound returns the half-width of the public box that every model is confined to before and after a step. It bounds
// the absolute value of every entry after updates updates from the initial model, except with probability below 2^-60
// over a whole run. The spec alone determines it:
//
//	largest initial entry + sum of step sizes x longest step (clip) + deviations x noise of all steps,
//
// or the radius if that is less. Without a clip there is no bound and the result is +Inf. A run whose penalty is
// expansive (StepSize x L2 > 2) has the largest box.
//
// With momentum m every step weighs up to 1/(1-m) in all later values. Where averaging has the eigenvalue z, the
// weight is the sum of r^j s^(k-j) over j, where r and s are the roots of y^2 - (m + z(1-c)) y + m z, c = StepSize x
// L2. The roots are at most 1 for every |z| <= 1 if c <= 2(1-m). Their product is at most m, so that the sum is at
// most that of m^j. The initial model weighs at most (1+m)/(1-m), and 1 without a penalty. For larger c, and for
// falling steps with a penalty, nothing is proved and the box is the largest.
//
// Confining is the projection on a convex set, which is non-expansive. So results for non-expansive steps hold with
// it. Refusing a model for its values would be a step that is not even continuous.
func (l *Local) Bound(updates int) float64 { return l.BoundWith(updates, 1) }

// BoundWith returns Bound for noise that is drawn draws >= 1 times an update.
func (l *Local) BoundWith(updates int, draws float64) float64 {
	if math.IsInf(l.Noise.Clip, 1) {
		return math.Inf(1)
	}
	bound := float64(l.Noise.Clip*l.Noise.Most()*l.StepSize.sum(updates, 1)) + float64(deviations*l.Noise.Std()*math.Sqrt(draws*l.StepSize.sum(updates, 2)))
	begin := largest(l.Initial)
	if m := l.Momentum; m > 0 {
		bound /= 1 - m
		if c := l.StepSize.Largest() * l.Objective.L2; c > 0 {
			begin *= (1 + m) / (1 - m)
			if c > 2*(1-m) || l.StepSize.Power > 0 {
				bound = math.Inf(1)
			}
		}
	}
	bound += begin
	if l.StepSize.Largest()*l.Objective.L2 > 2 && !l.Proximal {
		bound = math.Inf(1)
	}
	if l.Radius > 0 {
		bound = min(bound, l.Radius)
	}
	return min(bound*(1+0x1p-20), largestBox) // far more than the round-off of a run
}

// largest returns the largest absolute value in x, or 0 if x is empty.
func largest(x []float64) (most float64) {
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}

// Confine moves x to the nearest point of the box of half-width bound. +Inf means no box. NaN becomes 0.
func Confine(x []float64, bound float64) {
	if math.IsInf(bound, 1) || sparse.Within(x, bound) {
		return
	}
	for i, v := range x {
		if !(math.Abs(v) <= bound) {
			x[i] = confined(v, bound)
		}
	}
}

func confined(v, bound float64) float64 {
	switch {
	case v > bound:
		return bound
	case v < -bound:
		return -bound
	}
	return 0 // NaN
}

// Within reports whether x is in the box of half-width bound.
func Within(x []float64, bound float64) bool { return sparse.Within(x, bound) }
