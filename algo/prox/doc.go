// Package prox solves for proximal operators of a node's losses,
//
//	prox(w) = the p that minimises 1/2 norm(p - w)^2 + (weight/n) sum of loss_i(p),
//
// with losses that are functions of a margin, each clipped (model.Objective). Such an
// operator moves no two points further apart, whatever the weight and however the
// losses bend, and its point is w less weight times a mean of clipped gradients, at the
// point itself: p = w - (weight/n) sum of s_i x_i. What is handed back are the slopes
// s_i; each is one that its loss can have, so that whoever steps along them moves by
// no more than clipping allows, however well they were found.
//
// With r = p - w + (weight/n) sum of s_i(p) x_i, the residual at any p,
//
//	norm(w - (weight/n) sum of s_i(p) x_i  -  prox(w)) <= norm(r),
//
// because with G the sum, r = (p - p*) + (G(p) - G(p*)), whose two parts have an inner
// product of at least 0, and what is stepped to is off by the second part alone. So
// norm(r) certifies what was found.
package prox
