package sums

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// ErlingssonEpsilon is the loss of users >= 100 shuffled answers of an
// eps0-DP randomiser, eps0 < 1/2, at delta < 1/100 (Erlingsson et al. 2019,
// Corollary 9, as 002 prints it in Theorem B.1; the source asks for 1000):
//
//	12 eps0 sqrt(ln(1/delta)/n).
//
// It may exceed eps0.
func ErlingssonEpsilon(eps0, delta float64, users int) (float64, error) {
	if err := cmp.Or(privacy.CheckLoss(eps0), privacy.CheckDeltas(delta)); err != nil {
		return 0, err
	}
	if users < 100 || eps0 >= 0.5 || delta >= 0.01 {
		return 0, fault.New(
			fmt.Sprintf("Erlingsson's amplification of epsilon %g by %d users at delta %g is out of its range", eps0, users, delta),
			"it needs at least 100 users, epsilon below 0.5 and delta below 0.01; use Feldman, McMillan and Talwar")
	}
	return 12 * eps0 * math.Sqrt(-math.Log(delta)/float64(users)), nil
}
