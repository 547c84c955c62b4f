package descent

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// deviations is how many standard deviations of noise a box leaves room for: a
// Gaussian is beyond with probability below 2^-188, so that even 2^128 values
// that enter steps meet the box with probability below 2^-60.
const deviations = 16

// largestBox keeps squares of what is in a box far from the end of the range of
// numbers.
const largestBox = 0x1p+300

// Bound is the half-width of the public box that every model is confined to
// before it enters a step and after it: the largest absolute value that an
// entry can have after so many updates from where a run begins, but for a
// probability below 2^-60 over a whole run. It is known to everybody from the spec
// alone:
//
//	largest initial entry + sum of step sizes x longest step (clip) + deviations x noise of all steps,
//
// or the radius if that is less. Without a clip there is no bound and the box is
// +Inf; a run whose penalty pushes models apart (StepSize x L2 > 2) has the
// largest box there is.
//
// With momentum m every step weighs up to 1/(1-m) in all values that follow: where averaging has the eigenvalue z it is
// the sum of r^j s^(k-j) over j, r and s the roots of y^2 - (m + z(1-c)) y + m z, c = StepSize x L2. They are at most 1 for
// every |z| <= 1 where c <= 2(1-m), and their product is at most m, so that the sum is at most that of m^j. Where a
// run begins weighs at most (1+m)/(1-m), and 1 without a penalty. Beyond that, and of falling steps with a penalty,
// nothing is proved: the largest box.
//
// Confining is the projection on a convex set, which moves no two models
// further apart, so what is proved for non-expansive steps holds with it. To
// refuse a model for its values would be a step that is not even continuous.
func (l *Local) Bound(updates int) float64 { return l.BoundWith(updates, 1) }

// BoundWith is Bound where noise is drawn so many times an update, draws >= 1.
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

// largest is the largest absolute value in x, 0 without any.
func largest(x []float64) (most float64) {
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}

// Confine moves x to the nearest point of the box of half-width bound, +Inf
// meaning everything. What is not a number becomes 0.
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
	return 0 // not a number
}

// Within reports whether x is in the box of half-width bound.
func Within(x []float64, bound float64) bool { return sparse.Within(x, bound) }
