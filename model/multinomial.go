package model

import "github.com/hearsay-dp/hearsay/internal/math"

// Multinomial is multinomial logistic regression: the cross entropy
// w_y (log sum exp(z) - z_y) of outputs z = W (x, 1), one for each class, with
// public weights w of the classes. The parameters are W, a row for each class,
// and then the constants, with an intercept.
//
// For norm(x, 1) <= B it is convex, w B^2/2-smooth and sqrt(2) w B-Lipschitz with
// w the largest weight: the Hessian in z is diag(p) - pp', whose eigenvalues are
// at most 1/2, and its gradient p - e_y, whose norm is at most sqrt(2). Its
// gradients are not clip safe: clipped, they need not be the gradient of any
// function, except where the clip never binds.
type Multinomial struct{ dense }

// NewMultinomial returns a regression for that many classes, at least 2. weights are those of the
// classes; nil means all 1.
func NewMultinomial(classes int, intercept bool, weights []float64) Multinomial {
	if classes < 2 || weights != nil && len(weights) != classes {
		panic("model: a multinomial regression of fewer than 2 classes, or with other weights")
	}
	return Multinomial{dense{head: head{classes, weights}, intercept: intercept}}
}

// Name returns "multinomial".
func (Multinomial) Name() string { return "multinomial" }

// Guarantees returns the guarantees for norm(x) <= bound.
func (m Multinomial) Guarantees(bound float64) Guarantees {
	b, w := extended(bound, m.intercept), m.head.largest()
	return Guarantees{loss: m.Name(), bound: b, convex: true, smoothness: w * b * b / 2, lipschitz: math.Sqrt2 * w * b, classifies: true}
}
