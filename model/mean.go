package model

import "github.com/hearsay-dp/hearsay/internal/math"

// Mean estimates the mean of the nodes' vectors by minimising the squared
// distance norm(theta - x)^2 (002 eq. 7.6); labels are not used.
//
// It is 2-smooth and 2-strongly convex and has no Lipschitz constant. Its
// clipped gradient is that of a Huber function of the distance, which is
// convex and 2-smooth.
type Mean struct{}

// Name returns "mean".
func (Mean) Name() string { return "mean" }

// Params returns the number of features.
func (Mean) Params(features int) int { return features }

// Loss returns the squared distance.
func (Mean) Loss(theta, x []float64, _ float64) float64 {
	var sum float64
	for i, v := range x {
		sum += float64((theta[i] - v) * (theta[i] - v))
	}
	return sum
}

// Clipped returns Huber's function of the distance.
func (m Mean) Clipped(theta, x []float64, y, clip float64) float64 {
	return 2 * huber(math.Sqrt(m.Loss(theta, x, y)), clip/2)
}

// Gradient sets dst to 2 (theta - x).
func (Mean) Gradient(dst, theta, x []float64, _ float64) {
	for i, v := range x {
		dst[i] = 2 * (theta[i] - v)
	}
}

// Correct returns false, because an average is not a class.
func (Mean) Correct(_, _ []float64, _ float64) bool { return false }

// Guarantees returns guarantees that do not depend on the bound.
func (m Mean) Guarantees(float64) Guarantees {
	return Guarantees{loss: m.Name(), bound: math.Inf(1), convex: true, clipSafe: true, smoothness: 2, strong: 2, lipschitz: math.Inf(1)}
}
