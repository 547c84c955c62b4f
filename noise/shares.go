package noise

import (
	"fmt"
	"slices"
)

// Shares holds for every node the largest share of one record in the mean that the node releases: one over the
// number of its examples. Shares are public. With them one record is the unit of privacy: replacing it moves
// the mean by at most twice the clipping norm times the share, if no other example's weight depends on it.
type Shares struct {
	of      []float64
	largest float64
	rates   []float64 // see NewPoissonShares; nil: no sampling
}

// MostRecords is the largest number of examples, whole or declared, that Share allows for.
const MostRecords = 1 << 26

// Share returns the share of one record among n examples, 1 <= n <= MostRecords. It holds for any number of
// examples from n to MostRecords.
//
// Share includes the effect of rounding. Take two sums of m vectors of norm C that differ in one of them. Each
// of the m additions may round differently, by u k C at the k-th, u = 2^-53. That is u C m (m+1) in all, or u m
// (m+1)/2 of 2 C (Casacuberta, Shoemate, Vadhan and Wagaman 2022 show that such effects occur). 2/m + u (m+1)
// is convex in m, so that it is largest at n or at MostRecords. The result is twice the necessary amount. It
// therefore also covers a record that one of the sums lacks (NewPoissonShares): u C m (m+1) is u m (m+1) of the
// C that it moves.
func Share(n int) float64 {
	if n < 1 || n > MostRecords {
		panic(fmt.Sprintf("noise: a share of one record among %d", n))
	}
	m := float64(n)
	return 1 / m * (1 + float64(0x1p-52*(m+2)*(m+2)))
}

// NewShares returns the Shares of nodes, each in (0, 2]; there must be at least one. It keeps of.
func NewShares(of []float64) *Shares { return newShares(of, 2) }

func newShares(of []float64, most float64) *Shares {
	s := &Shares{of: of, largest: slices.Max(of)}
	if !(slices.Min(of) > 0) || !(s.largest <= most) {
		panic(fmt.Sprintf("noise: shares from %g to %g", slices.Min(of), s.largest))
	}
	return s
}

// NewPoissonShares returns the Shares of nodes that release the sum over a Poisson sample of their examples,
// divided by its expected number. Each example is in the sample with the node's rate, in (0, 1], by an
// independent draw that no other node sees. of holds the shares of an example in the sample: Share over the
// rate.
func NewPoissonShares(of, rates []float64) *Shares {
	least := slices.Min(rates)
	if !(least > 0) || !(slices.Max(rates) <= 1) || len(rates) != len(of) {
		panic(fmt.Sprintf("noise: %d rates of %d nodes, from %g to %g", len(rates), len(of), least, slices.Max(rates)))
	}
	s := newShares(of, 3/least)
	s.rates = rates
	return s
}
