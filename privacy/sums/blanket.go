package sums

import (
	"sort"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A blanket describes the random answers among which one answer of a
// RandomResponse is hidden. Only the two values that the hidden answer may truly
// be count. A binomial number of the others' random answers falls on them.
type blanket struct {
	trials int
	chance float64
}

// among returns the blanket of one answer among those of users in all, the
// hidden one included. Each other node answers randomly with probability gamma,
// and then gives one of the two values with probability 2/L.
func (r RandomResponse) among(users int) blanket {
	return blanket{users - 1, 2 * r.Other()}
}

// beside returns the blanket of answers that are known to be random.
func (r RandomResponse) beside(answers int) blanket {
	return blanket{answers, 2 / float64(r.Values)}
}

// ShuffledEpsilon returns an upper bound on the loss at delta of one answer in a
// histogram (or shuffle) of the answers of users >= 1 nodes, by bisection. It is
// never above Epsilon.
func (r RandomResponse) ShuffledEpsilon(delta float64, users int) float64 {
	return r.hiddenEpsilon(delta, r.among(users))
}

// ShuffledDelta returns an upper bound on delta at eps >= 0 of the same
// histogram.
//
// Let a and b be the two values that the hidden answer may truly be. Tell the
// observer more: the truthful answers, and where the random answers fell that
// are neither a nor b. The rest of its view is the number of a among N = B + 1
// answers, where B are random ones (Balle, Bell, Gascon and Nissim 2019 call
// them the blanket). Take the likelihood of that number j given B, relative to N
// fair coins and up to a factor common to both worlds. It is p j + q (N-j) if
// the truth is a, and p (N-j) + q j if it is b. Here p is Truth and q is Other.
// So
//
//	delta <= E_B E_j [2/N ((p - q e^eps) j - (p e^eps - q) (N - j))]_+ .
//
// B may be rounded down, because one more random answer only hides more.
func (r RandomResponse) ShuffledDelta(eps float64, users int) float64 {
	return r.hiddenDelta(eps, r.among(users))
}

// hiddenEpsilon inverts hiddenDelta, from above.
func (r RandomResponse) hiddenEpsilon(delta float64, b blanket) float64 {
	alone, law := r.Epsilon(), b.law()
	lo, hi := 0.0, alone
	for hi-lo > 1e-9*alone {
		mid := (lo + hi) / 2
		if r.expectedDelta(mid, law) > delta {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

func (r RandomResponse) hiddenDelta(eps float64, b blanket) float64 {
	return r.expectedDelta(eps, b.law())
}

// expectedDelta returns the mean delta over the number of random answers.
func (r RandomResponse) expectedDelta(eps float64, law blanketLaw) float64 {
	delta := 0.0
	for i, p := range law.weights {
		delta += float64(p * r.deltaGiven(eps, law.random[i]))
	}
	return min(1, delta)
}

// A blanketLaw is the law of the number of random answers, rounded down.
type blanketLaw struct {
	random  []int
	weights []float64
}

// cells is the number of cells that the window of likely numbers is divided
// into.
const cells = 100

// law returns the law rounded down. Numbers below the window become 0, those
// above it its end, and the others the beginning of their cell.
func (b blanket) law() blanketLaw {
	least, most := b.window()
	width := 1 + (most-least)/cells
	law := blanketLaw{[]int{0}, []float64{b.below(least)}}
	for lo := least; lo <= most; lo += width {
		hi := lo + width
		if hi > most {
			hi = b.trials + 1
		}
		law.random, law.weights = append(law.random, lo), append(law.weights, b.between(lo, hi))
	}
	return law
}

func (b blanket) mean() int { return int(float64(b.trials) * b.chance) }

// tail returns P(B >= k).
func (b blanket) tail(k int) float64 { return privacy.BinomialTail(b.trials, b.chance, k) }

// below returns P(B < k).
func (b blanket) below(k int) float64 {
	return privacy.BinomialTail(b.trials, 1-b.chance, b.trials-k+1)
}

// between returns P(lo <= B < hi), from the side on which it does not cancel.
func (b blanket) between(lo, hi int) float64 {
	switch {
	case lo > b.mean():
		return b.tail(lo) - b.tail(hi)
	case hi <= b.mean():
		return b.below(hi) - b.below(lo)
	}
	return 1 - b.tail(hi) - b.below(lo)
}

// window returns a range that B leaves on each side with probability at most
// 1e-18.
func (b blanket) window() (least, most int) {
	const outside = 1e-18
	mean := b.mean()
	least = sort.Search(mean, func(k int) bool { return b.below(k+1) > outside })
	most = mean + sort.Search(b.trials-mean, func(k int) bool { return b.tail(mean+k+1) <= outside })
	return least, most
}

// deltaGiven returns the delta with random >= 0 random answers on the two
// values.
//
// With j binomial of N fair coins, E[j; j >= k] = N/2 P(j' >= k-1) for j'
// binomial of N-1.
func (r RandomResponse) deltaGiven(eps float64, random int) float64 {
	n := random + 1
	gain, loss := r.Truth()-float64(r.Other()*math.Exp(eps)), float64(r.Truth()*math.Exp(eps))-r.Other()
	if gain <= 0 {
		return 0
	}
	from := int(math.Floor(float64(n)*(loss/(gain+loss)))) + 1 // least j with gain j > loss (N - j)
	if from > n {
		return 0
	}
	tail, shifted := privacy.BinomialTail(n, 0.5, from), privacy.BinomialTail(n-1, 0.5, from-1)
	return max(0, float64((gain+loss)*shifted)-float64(2*loss*tail))
}
