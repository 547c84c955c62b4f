package model

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// margin returns x'theta, plus the intercept theta[len(x)] if there is one.
func margin(theta, x []float64) float64 {
	z := sparse.Dot(x, theta)
	if len(theta) > len(x) {
		z += theta[len(x)]
	}
	return z
}

// scale sets dst to slope times (x, 1), the gradient of a loss of the margin.
func scale(dst []float64, slope float64, x []float64) {
	head := dst[:len(x)]
	for i, v := range x {
		head[i] = slope * v
	}
	if len(dst) > len(x) {
		dst[len(x)] = slope
	}
}

// extended returns a bound on the norm of (x, 1), or of x without an intercept, for norm(x) <= bound.
func extended(bound float64, intercept bool) float64 {
	if intercept {
		return math.Hypot(bound, 1)
	}
	return bound
}

// linearParams returns the length of theta for a linear model.
func linearParams(features int, intercept bool) int {
	if intercept {
		return features + 1
	}
	return features
}
