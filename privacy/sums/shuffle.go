package sums

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// FeldmanEpsilon returns the loss of n = users shuffled answers of an eps0-DP
// randomiser (Feldman, McMillan and Talwar 2020, Theorem 3.1; 002, Theorem
// D.3). It returns an error unless eps0 <= ln(n/(16 ln(2/delta))):
//
//	ln(1 + tanh(eps0/2) (8 sqrt(exp(eps0) ln(4/delta)/n) + 8 exp(eps0)/n)).
func FeldmanEpsilon(eps0, delta float64, users int) (float64, error) {
	if err := cmp.Or(privacy.CheckLoss(eps0), privacy.CheckDeltas(delta), privacy.CheckCount(users, "users")); err != nil {
		return 0, err
	}
	n := float64(users)
	if most := math.Log(n / (16 * math.Log(2/delta))); !(eps0 <= most) {
		return 0, fault.New(
			fmt.Sprintf("amplification of epsilon %g by %d shuffled users at delta %g is out of its range: at most %.4g", eps0, users, delta, most),
			"take more users, a smaller epsilon or a larger delta")
	}
	e := math.Exp(eps0)
	return math.Log1p(math.Tanh(eps0/2) * (float64(8*math.Sqrt(e*math.Log(4/delta)/n)) + 8*e/n)), nil
}
