// Package attack says what a set of nodes makes of what it saw.
//
// Gossip is the attack on averaging (002, section 4.3): whose value attackers
// who pool their messages compute, the values when the messages are given, and
// the linear relations that they know between the others. Who is reconstructed
// is decided by the View of package privacy/gossipview, which is also the
// accountant: to be reconstructed is to have leakage 1.
//
// With noise of standard deviation sigma on every value, added once and before
// the first message, the attackers hold P(x + noise), P the projector on their
// view. The Fisher information in it about x_u is P_uu/sigma^2 when all other
// values are known. So no unbiased estimate of x_u has a variance below
// sigma^2/leakage, whatever else the attackers know, and BestEstimate has
// exactly that. When the other values are not known, a linear unbiased estimate
// exists only if u is reconstructed, and has variance sigma^2.
package attack
