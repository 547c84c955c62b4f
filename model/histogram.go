package model

import "github.com/hearsay-dp/hearsay/internal/math"

// Histogram estimates the shares of labels over Values classes: the shares with the least mean squared
// distance to the label's own, norm(theta - e_y)^2. It is Mean of
// labels that are corners of a simplex; features are not used.
type Histogram struct{ Values int }

// Name returns "histogram".
func (Histogram) Name() string { return "histogram" }

// Params returns the number of classes.
func (h Histogram) Params(int) int { return h.Values }

// Loss returns the squared distance, Brier's score.
func (h Histogram) Loss(theta, _ []float64, y float64) float64 {
	var sum float64
	for _, v := range theta {
		sum += float64(v * v)
	}
	return sum + 1 - float64(2*theta[ClassOf(y, h.Values)])
}

// Clipped returns Huber's function of the distance.
func (h Histogram) Clipped(theta, x []float64, y, clip float64) float64 {
	return 2 * huber(math.Sqrt(max(0, h.Loss(theta, x, y))), clip/2)
}

// Gradient sets dst to 2 (theta - e_y).
func (h Histogram) Gradient(dst, theta, _ []float64, y float64) {
	for i, v := range theta {
		dst[i] = 2 * v
	}
	dst[ClassOf(y, h.Values)] -= 2
}

// Correct returns false, because a share is not a class.
func (Histogram) Correct(_, _ []float64, _ float64) bool { return false }

// Guarantees returns guarantees that do not depend on the bound.
func (h Histogram) Guarantees(float64) Guarantees {
	return Guarantees{loss: h.Name(), bound: math.Inf(1), convex: true, clipSafe: true, smoothness: 2, strong: 2, lipschitz: math.Inf(1)}
}
