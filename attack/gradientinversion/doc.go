// Package gradientinversion is the attack on learning by gossip (002, section 4.4 and appendix A):
// D-GD and D-SGD, with one turn of averaging for each gradient or with several, with
// privacy noise or without.
//
// Attackers follow the protocol and pool what they receive. Messages are linear in what
// nodes add to their values, in known proportions: a Knowledge works them out from
// what is public of a run, the protocol and the weights of every turn. What the
// attackers' own values brought about they subtract. If nodes' gradients were the same in
// all rounds (002, Assumption 4.7: but for independent noise), what is left would be the
// knowledge matrix (002, Algorithm 4.2) times one gradient a node; a Solver solves for
// these in the sense of least squares, ordinary or weighted by the covariance of the noise
// (002, Algorithm A.1). Without noise nodes that a run gives away one by one are peeled off, exactly and whatever gradients do.
// Point goes from a gradient to the example behind it.
//
// The noise of an estimate is exact, for the Solver is linear: see Solution.Gain. No unbiased
// estimate can do better than any sound accountant says (Floor).
package gradientinversion
