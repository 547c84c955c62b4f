// Package gradientinversion is the attack on learning by gossip (002, section 4.4 and appendix A): D-GD and D-SGD, with one
// turn of averaging for each gradient or with several, with privacy noise or without.
//
// Attackers follow the protocol and pool their messages. Messages are linear in the values that nodes add, in known
// proportions. A Knowledge computes these from the public part of a run: the protocol and the weights of every turn. The effect
// of the attackers' own values is subtracted. If nodes' gradients were the same in all rounds (002, Assumption 4.7: up to
// independent noise), the rest would be the knowledge matrix (002, Algorithm 4.2) times one gradient for each node. A Solver
// solves for them by least squares, ordinary or weighted by the covariance of the noise (002, Algorithm A.1). Without noise,
// nodes that a run determines one by one are peeled off, exactly, however gradients change. Point computes the example behind a
// gradient.
//
// The noise of an estimate is exact, because the Solver is linear: see Solution.Gain. No unbiased estimate has less variance
// than a sound accountant allows.
package gradientinversion
