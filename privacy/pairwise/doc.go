// Package pairwise prices noise that cancels between partners (DECOR: Allouah,
// Koloskova, El Firdoussi, Jaggi and Guerraoui 2024). In every round node i sends
//
//	y_i = x_i - gamma (g_i + z_i + sum_j s_ij r_ij),
//
// z_i ~ N(0, own^2) its own, r_ij = r_ji ~ N(0, pair^2) known to i and its
// partner j only, and s_ij = -s_ji = 1 or -1, so that the sum over all nodes
// holds the z alone. Partners share a secret: they need not exchange messages.
//
// An observer F is one node, a coalition or an outsider. F sees every message of every round and knows the r of
// its own secrets. H is everyone else, and L_H is the Laplacian of the secrets graph inside H. A contribution of u
// moves the mean of a Gaussian of covariance S = own^2 I + pair^2 L_H along e_u by its sensitivity D_u. Its exact
// loss is
//
//	mu^2 = D_u^2 e_u' S^-1 e_u,
//
// Energies of rounds add up. Each round is a Gaussian mechanism chosen by the past, because the values that nodes
// hold are a function of messages that everybody has seen. Only the sensitivity of gradients matters. Averaging
// without noise after a noisy message, however often, is post-processing. docs/PAIRWISE.md has the proofs, the
// conditions, and the statement for noise on a grid.
//
// Energies are effective resistances. Take the network in which every secret conducts pair^2 and every node is
// grounded through own^2: e_u' S^-1 e_u is the resistance between u and the ground. Both ways of computing a
// resistance round upwards and bound their own error. Elimination can do so because it never subtracts and
// resistances are monotone in conductances (Rayleigh). Conjugate gradients can because the energy of any flow is
// no less than the resistance (Thomson).
package pairwise
