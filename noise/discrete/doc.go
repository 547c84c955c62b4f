// Package discrete adds exact discrete Gaussian noise on a power-of-two grid, which is the noise of a real
// release. A released value is a whole number of grid steps. The set of values that can be released therefore
// does not depend on the data, and the floating-point attacks on Gaussian noise (Mironov 2012; Jin, McMurtry,
// Rubinstein and Ohrimenko 2022) do not apply.
//
// # Mechanism
//
// A vector x is rounded to the grid 2^k Z, each coordinate to its nearest point, and a draw of N_Z(0, s^2) grid
// steps is added to each coordinate. Prob[z] is proportional to exp(-z^2/(2 s^2)) on the integers (Canonne,
// Kamath and Steinke 2020, "CKS", Definition 1). Draws come from CKS Algorithm 3: a discrete Laplace draw, kept
// with a probability exp(-gamma) for a rational gamma. Every random decision compares uniform bits with a
// rational number, in integers. If 64 bits do not decide it, which happens about once in 2^60 draws, further
// bits decide it with integers of any size. The law is exact, not an approximation.
//
// # Privacy
//
// Rounding moves each of two neighbouring vectors by at most half a step a coordinate, so that their distance
// in d coordinates grows by at most sqrt(d) steps. EffectiveMultiplier charges this cost of the grid.
//
// Renyi divergence: for integer shifts v of d coordinates, the divergence of order alpha is at most alpha
// |v|^2/(2 s^2), as for the continuous Gaussian of the same s (CKS Theorem 4 and Proposition 5). So every
// guarantee by Renyi or concentrated privacy holds with the effective multiplier.
//
// (eps, delta) and trade-off functions: CKS gives zCDP, which does not imply the Gaussian's own delta(eps), or
// mu-GDP. These hold up to a factor that is computed here. Let s^2 = r^2 + w^2, and let y = v + N(0, r^2) be a
// continuous Gaussian mechanism. Round y at random: to the integer j with probability proportional to
// exp(-(j-y)^2/(2 w^2)). This commutes with integer shifts and is post-processing, so its result P is at least
// as private as the Gaussian mechanism with noise r. By Poisson summation the normaliser is
//
//	sum_j exp(-(j-y)^2/(2 w^2)) = sqrt(2 pi) w (1 + 2 sum_{m>=1} e^(-2 pi^2 w^2 m^2) cos(2 pi m y)),
//
// between sqrt(2 pi) w (1-h) and sqrt(2 pi) w (1+h), h = 2 sum_m e^(-2 pi^2 w^2 m^2).
// Because N(0, r^2) and N(0, w^2) convolve to N(0, s^2), P(j) is the density of
// N(0, s^2) at j up to a factor in [1/(1+h), 1/(1-h)]; and N_Z(0, s^2) is that
// density over its sum, which lies in [1, 1+h]. Hence, at every integer,
//
//	e^-eta <= N_Z(0, s^2)(j) / P(j) <= e^eta,   eta = ln((1+h)/(1-h)).
//
// Where every release is in the view, each is post-processing of its own continuous one. A run with N draws in
// all, however each depends on earlier ones, multiplies N such factors. Its law is within e^(+-N eta) of one
// made from continuous Gaussian noise of standard deviation r by post-processing. For any two neighbouring
// inputs and any set S of views,
//
//	Prob[S] - e^eps Prob'[S] <= delta_Gauss(eps) + 2 (e^(N eta) - 1),
//
// because only sets with Prob[S] > e^eps Prob'[S] matter, for which the factors move each side by e^(N eta) - 1
// at most. delta_Gauss is the delta of the continuous run. With w^2 = 8 and s >= 2^28 steps, eta is below 2e-68
// and r is below s by less than one part in 10^16. So delta(eps) of Balle and Wang 2018 and mu-GDP hold for the
// effective multiplier once ExtraDelta(N) is added to delta.
//
// # Noise of several hops
//
// This does not cover an observer who sees only the sum of several draws. A sum of multiples of different grids
// can reveal each of them, as multiples of 1 and of the square root of 2 do. Two rules follow.
//
// A token's noise must be added to the token, not to the update: make the update first, then call Add on the
// result with the noise's standard deviation in the token's unit. Rounding then removes the token's digits
// below the grid. Noise that is scaled by a step size and added would leave them visible. Each hop is x ->
// round(phi(x)) + noise, on that hop's own grid, and privacy amplification by iteration (Feldman, Mironov,
// Talwar and Thakurta 2018; by shifted interpolation, Bok, Su and Altschuler 2024) holds for it with a slack.
// If phi is non-expansive, round(phi) moves two tokens apart by sqrt(d) steps at most, and their difference is
// whole. The part of it that a hop's noise hides must be whole too: rounding it adds sqrt(d)/2 steps to the
// hidden part and as much to the rest. A plan for continuous noise that hides a_j in hop j thus becomes one
// that hides a_j + 2 sqrt(d) steps, and leaves the same distances. The last hop hides the rest, which is whole.
// Slack is the 2 sqrt(d) steps. In units of the sensitivity, rho = Slack/sensitivity turns an energy V = sum
// a_j^2 of m contributions over l hops into at most V + 2 rho m + l rho^2.
//
// Accountants of other linear combinations, such as exact gossip, assume continuous noise. Nothing here shows
// that weighted sums of grid values hide as much. Where every message that carries a draw is seen, the first
// argument holds.
//
// # What it does not hide
//
// The time of a draw depends on the draw. An attacker who can time single draws inside the process learns about
// the noise. Over a network the hop's own time hides it only if an operator delays replies.
package discrete
