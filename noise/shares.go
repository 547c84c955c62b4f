package noise

import (
	"fmt"
	"slices"
)

// Shares say of every node which share of the mean that it releases one record is at
// most: one over the number of its examples. They are public, and with them one
// record is the unit of privacy: replacing it by any other moves the mean by no more
// than twice the clipping norm times the share, as long as no other example's weight
// follows from it.
type Shares struct {
	of      []float64
	largest float64
	rates   []float64 // see NewPoissonShares; nil: every example is in
}

// MostRecords is the largest number of examples, whole or declared, that Share
// allows for.
const MostRecords = 1 << 26

// Share is that of one record among n examples, 1 <= n <= MostRecords, of which there
// may be more than n, up to MostRecords.
//
// It is raised by what rounding can add. Of two sums of m vectors of norm C that
// differ in one of them, each of the m additions may round differently, by u k C, u =
// 2^-53, at the k-th: u C m (m+1) in all, which is u m (m+1)/2 of 2 C (Casacuberta,
// Shoemate, Vadhan and Wagaman 2022 show that this is no theory). 2/m + u (m+1) is
// convex in m, so that at n and at MostRecords it is largest. That is twice what is needed, and
// covers as well a record that one of the sums is without (NewPoissonShares): u C m (m+1)
// is u m (m+1) of the C that it moves.
func Share(n int) float64 {
	if n < 1 || n > MostRecords {
		panic(fmt.Sprintf("noise: a share of one record among %d", n))
	}
	m := float64(n)
	return 1 / m * (1 + float64(0x1p-52*(m+2)*(m+2)))
}

// NewShares borrows the share of each node, in (0, 2]; at least one.
func NewShares(of []float64) *Shares { return newShares(of, 2) }

func newShares(of []float64, most float64) *Shares {
	s := &Shares{of: of, largest: slices.Max(of)}
	if !(slices.Min(of) > 0) || !(s.largest <= most) {
		panic(fmt.Sprintf("noise: shares from %g to %g", slices.Min(of), s.largest))
	}
	return s
}

// NewPoissonShares are those of nodes that release the sum over a Poisson sample of
// their examples, over the number of examples to expect in it: each example is in with the
// node's rate, in (0, 1], by a coin of its own that nobody else sees. of are the shares of
// an example that is in: Share, over the rate.
func NewPoissonShares(of, rates []float64) *Shares {
	least := slices.Min(rates)
	if !(least > 0) || !(slices.Max(rates) <= 1) || len(rates) != len(of) {
		panic(fmt.Sprintf("noise: %d rates of %d nodes, from %g to %g", len(rates), len(of), least, slices.Max(rates)))
	}
	s := newShares(of, 3/least)
	s.rates = rates
	return s
}
