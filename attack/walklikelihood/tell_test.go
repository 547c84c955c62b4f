package walklikelihood

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// MixtureDelta is the hockey-stick divergence at e^eps of a mixture of Gaussians of variance 1 from the one at 0:
//
//	delta = sup over events of sum_k w_k Phi(event - s_k) - e^eps Phi(event),    shifts s_k >= 0, weights of sum 1.
//
// The ratio of the two densities grows, so the event is a half line, found by bisection.
func MixtureDelta(weights, shifts []float64, eps float64) float64 {
	ratio := func(x float64) float64 {
		sum := 0.0
		for k, w := range weights {
			sum += float64(w * math.Exp(float64(shifts[k]*x)-float64(shifts[k]*shifts[k]/2)))
		}
		return math.Log(sum)
	}
	low, high := -40.0, 40.0
	for _, s := range shifts {
		high = max(high, s+40)
	}
	if !(ratio(high) > eps) {
		return 0
	}
	x := privacy.Bisect(low, high, func(x float64) bool { return ratio(x) > eps })
	delta := -math.Exp(eps) * upper(x)
	for k, w := range weights {
		delta += float64(w * upper(x-shifts[k]))
	}
	return max(0, delta)
}

// upper is the probability that a standard Gaussian exceeds x.
func upper(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
