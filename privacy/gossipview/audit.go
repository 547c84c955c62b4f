package gossipview

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// Direction sets dst, one weight a node, to P e_u, the part of node u's value that lies in the view. The
// observers compute the inner product of it with the nodes' noisy values from their messages. No statistic of
// the observers depends on u's value in any other way. It is an error unless the view was decided, in exact
// arithmetic or by a wide margin.
func (v *View) Direction(dst []float64, u int) error {
	if len(dst) != v.n {
		panic(fmt.Sprintf("privacy/gossipview: a direction of %d weights for %d nodes", len(dst), v.n))
	}
	if v.certainty != Confirmed && v.certainty != Clear {
		return fault.New(fmt.Sprintf("the view is %s: what it holds is bounded from above only", v.certainty),
			"audit fewer steps, a smaller graph or another observer")
	}
	for w := range dst {
		dst[w] = v.Product(u, w)
	}
	return nil
}

// AuditMu returns the shift over noise with which the observers can tell apart two values of node u that differ
// by the sensitivity, at noise multiplier sigma > 0. The attack is the likelihood-ratio test of their Gaussian
// view, which weighs the noisy values by Direction. The shift over noise is
//
//	<P e_u, e_u> / (sigma norm(P e_u)),
//
// a lower bound of the mu of any sound accountant. It is 0 if nothing of u arrives.
func (v *View) AuditMu(u int, sigma float64) (float64, privacy.Claim, error) {
	direction := make([]float64, v.n)
	if err := cmp.Or(privacy.CheckSigma(sigma), v.Direction(direction, u)); err != nil {
		return 0, privacy.Claim{}, err
	}
	claim := privacy.Claim{Accountant: "gossip, likelihood ratio", Status: privacy.Audit, Assumptions: []string{
		"u's value changes by the full sensitivity, and the observers know all other values but for their noise",
		"the observers combine all their messages into one number",
	}}
	square := 0.0
	for _, weight := range direction {
		square += float64(weight * weight)
	}
	if square == 0 {
		return 0, claim, nil
	}
	return max(0, direction[u]) / (sigma * math.Sqrt(square)), claim, nil
}
