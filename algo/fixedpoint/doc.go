// Package fixedpoint is the noisy fixed-point iteration of 002, Algorithm 8.1: an
// operator R over blocks of a vector u, of which some are active in a step,
//
//	u_b <- u_b + lambda (R_b(u) + e_b + noise - u_b)   for every active block b,
//
// all of them from the same u. What an operator computes is R_b(u) + e_b: that it is
// inexact, because only some of the data were drawn or a proximal point was found to a
// tolerance, is its own matter.
//
// Instances are operators: ForwardBackward is DP-SGD, DP proximal SGD and DP coordinate
// descent (002, Propositions 8.3 and 8.4), Consensus is ADMM. Bound is what Theorem 8.5 promises, as it
// holds, and Printed as it is printed.
package fixedpoint
