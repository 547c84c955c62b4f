// Package prox solves for proximal operators of a node's losses,
//
//	prox(w) = the p that minimises 1/2 norm(p - w)^2 + (weight/n) sum of loss_i(p),
//
// with losses that are functions of a margin, each clipped (model.Objective). Such an
// operator is non-expansive for every weight and every curvature of the
// losses. Its point is w less weight times a mean of clipped gradients at the
// point itself: p = w - (weight/n) sum of s_i x_i. The solver returns the slopes
// s_i. Each is a slope that its loss can have, so that a step along them moves by
// no more than clipping allows, however accurate they are.
//
// With r = p - w + (weight/n) sum of s_i(p) x_i, the residual at any p,
//
//	norm(w - (weight/n) sum of s_i(p) x_i  -  prox(w)) <= norm(r),
//
// because with G the sum, r = (p - p*) + (G(p) - G(p*)). The inner product of the two parts
// is at least 0, and the point of the step is off by the second part alone. So
// norm(r) certifies the error of the answer.
package prox
