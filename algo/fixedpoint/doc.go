// Package fixedpoint implements the noisy fixed-point iteration of 002, Algorithm 8.1, with an operator R over blocks
// of a vector u, of which some are active in a step:
//
//	u_b <- u_b + lambda (R_b(u) + e_b + noise - u_b)   for every active block b,
//
// All active blocks are updated from the same u. An operator computes R_b(u) + e_b. The error e_b depends on the
// operator: only some of the data were drawn, or a proximal point was found to a tolerance.
//
// ForwardBackward is the operator of DP-SGD, DP proximal SGD and DP coordinate descent (002, Propositions 8.3 and
// 8.4), Consensus that of ADMM. Bound has the bound of Theorem 8.5 as proved here (After), and as printed (Printed).
package fixedpoint
