package walkpublished

import (
	"cmp"

	"github.com/hearsay-dp/hearsay/privacy"
)

// PublishedRDP is 002, Proposition D.11: contributions times
// 4 alpha L^2 ln(n)/(n std^2), which is alpha ln(n)/(n sigma^2) with sigma in
// units of the sensitivity 2L, under std >= L sqrt(2 alpha (alpha-1)), the
// condition Needed.
//
// The sum it comes from leaves out part of a probability: Complete.Printed.
func (c CompleteSGD) PublishedRDP(contributions int, sigma, order float64) (float64, privacy.Claim, error) {
	charge := Charge{contributions, privacy.Metric{Order: order}, privacy.Needed}
	if err := cmp.Or(c.check(), charge.check(sigma)); err != nil {
		return 0, privacy.Claim{}, err
	}
	each := order * Complete{c.Nodes, c.Turns}.Printed() / (sigma * sigma)
	return float64(contributions) * each, c.claim(), nil
}
