package admmview

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/privacy"
)

// active is the assumption of bounds on rounds. They hold whatever observers send.
const active = "everybody but the observer follows the protocol, and no one is left out of a round"

// passive is the assumption of bounds on a token. If the token were clipped in one world only, it would no longer
// be the mean.
const passive = "everybody follows the protocol; observers pass on tokens as it says, and none near the edge of its public box, which honest ones meet with a probability below 2^-60"

// claim returns the claim of a number of a Plan. It lists the conditions of the theorem, one sentence each
// (docs/ADMM.md).
func (s Step) claim(accountant string, besides ...string) privacy.Claim {
	asserted, about := s.Asserted, []string(nil)
	if s.Source == "" {
		asserted = "every local objective is convex and as Lipschitz as its sensitivity says"
	} else {
		about = append(about, s.Source)
	}
	about = append(about, "every update is u + 2 lambda (x - z + eta/2) with fresh Gaussian noise, whatever the data; a key of the noise serves one release ever")
	if s.Inexact > 0 {
		about = append(about, fmt.Sprintf("proximal points are off by at most %.3g of what the data of one node can move them by", s.Inexact/2))
	} else {
		about = append(about, "proximal points are exact")
	}
	if s.Memory > 0 && s.Memory < 1 {
		about = append(about, fmt.Sprintf("every local objective is so smooth that a proximal step passes on at most %.4g of a difference", s.Memory))
	}
	about = append(about,
		"all variables are equal and public at the start; an observer sees the mean of all variables, its own and nothing else: no x, no other variable, no average over time",
		"who updates when does not depend on data; the observer may know it all")
	claim := privacy.Bound(accountant, asserted, append(about, besides...)...)
	claim.Gaussian = true
	if s.Kept {
		claim.Unit = privacy.Record
	}
	return claim
}
