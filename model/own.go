package model

import "github.com/hearsay-dp/hearsay/internal/math"

// Own is half the squared distance to the example, 1/2 norm(theta - x)^2: one
// gradient step of size 1 lands on the (clipped) example itself, from zero.
// Gossip averages the results of that step (002 Algorithm 6.1); labels are not used.
type Own struct{ Mean }

// Name returns "own".
func (Own) Name() string { return "own" }

// Loss returns half the squared distance.
func (o Own) Loss(theta, x []float64, y float64) float64 { return o.Mean.Loss(theta, x, y) / 2 }

// Clipped returns Huber's function of the distance.
func (o Own) Clipped(theta, x []float64, y, clip float64) float64 {
	return huber(math.Sqrt(o.Mean.Loss(theta, x, y)), clip)
}

// Gradient sets dst to theta - x.
func (Own) Gradient(dst, theta, x []float64, _ float64) {
	for i, v := range x {
		dst[i] = theta[i] - v
	}
}

// Guarantees returns guarantees that do not depend on the bound.
func (o Own) Guarantees(float64) Guarantees {
	return Guarantees{loss: o.Name(), bound: math.Inf(1), convex: true, clipSafe: true, smoothness: 1, strong: 1, lipschitz: math.Inf(1)}
}
