package model

// A Margined model is Linear with a loss that is convex in the margin z = x'theta (plus
// the intercept). Proximal operators can be solved for such models.
type Margined interface {
	Linear
	// Bend returns the first and the second derivative of the loss in z for label y. The second
	// is at least 0, and one of the two one-sided ones where they differ.
	Bend(z, y float64) (slope, curvature float64)
}

// corner is the width, in margin or in units of the label, of the rounded corner of a loss.
// The slope goes from one end to the other in a straight line, so that
// 53 bits can represent loss and slope. The loss is nowhere further
// than corner/2 from the one with a sharp corner.
const corner = 0x1p-10

// bent returns a slope as long as it is within limit of 0, and the end of that range
// beyond, where the curvature is 0.
func bent(slope, steep, limit float64) (clipped, curvature float64) {
	switch {
	case slope > limit:
		return limit, 0
	case slope < -limit:
		return -limit, 0
	}
	return slope, steep
}

// weightOf returns the weight of a label. A weight of 0 means 1.
func weightOf(y, negative, positive float64) float64 {
	w := negative
	if y > 0 {
		w = positive
	}
	if w == 0 {
		return 1
	}
	return w
}

// Bend returns slope and curvature of the logistic loss.
func (l Logistic) Bend(z, y float64) (slope, curvature float64) {
	slope = l.slopeAt(z, y)
	w := l.weight(y)
	p := slope / w
	if p < 0 {
		p = -p
	}
	return slope, w * p * (1 - p)
}

// Bend returns slope and curvature of half the squared residual.
func (Ridge) Bend(z, y float64) (slope, curvature float64) { return z - y, 1 }
