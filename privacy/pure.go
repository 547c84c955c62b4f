package privacy

import "github.com/hearsay-dp/hearsay/internal/math"

// PureMu returns the least mu such that N(mu,1) against N(0,1) dominates every (eps, 0)-DP
// mechanism, rounded up. The two trade-off functions meet where both errors are 1/(1 +
// e^eps). Elsewhere the Gaussian one is convex and lies below the chords of the
// mechanism's (Dong, Roth and Su 2022, section 2.2).
func PureMu(eps float64) float64 {
	switch {
	case eps == 0:
		return 0
	case math.IsInf(eps, 1):
		return eps
	}
	error := 1 / (1 + math.Exp(eps))
	return 2 * math.Sqrt2 * math.Erfcinv(2*error) * (1 + 1e-12)
}
