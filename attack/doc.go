// Package attack computes the information that a set of nodes gains from its
// messages.
//
// Gossip is the attack on averaging (002, section 4.3). It finds the nodes
// whose value attackers who pool their messages compute, their values if the
// messages are given, and the linear relations that the attackers know between
// the other values. The View of package privacy/gossipview decides who is
// reconstructed. It is also the accountant: a node is reconstructed if its
// leakage is 1.
//
// With noise of standard deviation sigma on every value, added once and before
// the first message, the attackers hold P(x + noise), P the projector on their
// view. Its Fisher information about x_u is P_uu/sigma^2 if all other values
// are known. So no unbiased estimate of x_u has a variance below
// sigma^2/leakage, whatever else the attackers know, and BestEstimate has
// exactly that. If the other values are not known, a linear unbiased estimate
// exists only if u is reconstructed, and has variance sigma^2.
package attack
