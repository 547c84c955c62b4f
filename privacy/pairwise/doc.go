// Package pairwise prices noise that cancels between partners (DECOR: Allouah,
// Koloskova, El Firdoussi, Jaggi and Guerraoui 2024). In every round node i sends
//
//	y_i = x_i - gamma (g_i + z_i + sum_j s_ij r_ij),
//
// z_i ~ N(0, own^2) its own, r_ij = r_ji ~ N(0, pair^2) known to i and its
// partner j only, and s_ij = -s_ji = 1 or -1, so that the sum over all nodes
// holds the z alone. Partners share a secret: they need not exchange messages.
//
// An observer F, one node or a coalition or nobody, sees every message of every
// round and knows the r of its own secrets. H is everyone else, L_H the Laplacian of
// the secrets graph inside H. A contribution of u moves the mean of a Gaussian of covariance
// S = own^2 I + pair^2 L_H along e_u by its sensitivity D_u, so that it loses
//
//	mu^2 = D_u^2 e_u' S^-1 e_u,
//
// exactly, and rounds add up: what nodes hold is a function of what everybody has
// seen, so each round is a Gaussian mechanism chosen by the past. Nothing is asked
// of gradients but their sensitivity, and averaging without noise after a noisy
// message, however often, is post-processing. docs/PAIRWISE.md has the proofs, the
// conditions, and the statement for noise on a grid.
//
// Energies are effective resistances: in the network in which every secret conducts
// pair^2 and every node is grounded through own^2, e_u' S^-1 e_u is the resistance
// between u and the ground. Both ways of computing it round upwards and say by how
// much they may: elimination because it never subtracts and resistances are monotone in
// conductances (Rayleigh), conjugate gradients because the energy of any flow is no
// less than the resistance (Thomson).
package pairwise
