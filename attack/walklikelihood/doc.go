// Package walklikelihood is the attack on a token that walks. Attackers estimate contributions and compute
// likelihoods from the models that they received and sent.
//
// Between two times that one of them holds the token, others take l turns. Each adds a contribution and noise.
// Attackers know the sum of all additions, because they know the token that they sent and the one they got.
// Their knowledge of the path is all of it (Route), or the receiver, the sender and the number of turns away
// (Ends), or the number of turns alone (Hops).
//
// Updates are assumed to be linear, token <- keep token + size x (contribution + noise), with contributions
// that do not depend on the token. That holds for sums, for losses that are linear or clipped everywhere, and
// for means where nothing is clipped (keep is their contraction). There the attack is exact. Given the path
// the view is Gaussian. Its mean is each node's contribution times the number of its visits, and its variance
// is one draw of noise for each turn. Without the path it is the mixture of these, by the law of the number of
// visits given the attackers' knowledge (Hidden). Likelihood ratios are then the most powerful tests. For
// other losses the same numbers are a score. Bounds that it proves on real runs hold, and attackers who know
// the losses better may prove more.
//
// Attackers never prove more than a sound accountant charges, because it allows them the path and losses that
// are not linear. m^2/l, for m visits among l turns, is the energy of the even spread. An accountant's energy
// is that of the least spread among those that come no earlier than contributions (package privacy/walkpath).
package walklikelihood
