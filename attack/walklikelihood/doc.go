// Package walklikelihood is the attack on a token that walks: what attackers make of the models that
// they were handed and handed on.
//
// Between two times that one of them holds the token, others take l turns: each adds a
// contribution and noise. Attackers know what they sent and got, so they know the sum of
// what was added, and of the path no more than their knowledge says: all of it
// (Route), or to and from whom the token went and how many turns it was away (Ends), or the number of
// turns alone (Hops).
//
// Updates are taken to be linear, token <- keep x token + size x (contribution + noise), with
// contributions that do not depend on the token. So they are for sums, for losses that
// are linear or clipped everywhere, and for means where nothing is clipped (keep holds
// what they contract). There the attack is exact: given the path what is seen is Gaussian, its mean as often a
// node's contribution as the path visited the node and its variance as many draws of noise as there
// were turns, and without the path it is the mixture of these, by the law of the number of visits given
// what is known (Hidden). Likelihood ratios are then the best tests that there are. For other losses the same
// numbers are a score like any other: what is proved by it of real runs is true, and
// attackers who know the losses better may prove more.
//
// What attackers can prove is never more than what a sound accountant charges, which allows
// them the path, and losses that are not linear: m^2/l, m visits among l turns, is the
// energy of the spread that is even, and an accountant's is that of the least one of those that come
// no earlier than contributions (package privacy/walkpath).
package walklikelihood
