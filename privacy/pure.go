package privacy

import "github.com/hearsay-dp/hearsay/internal/math"

// PureMu is the mu of the least Gaussian view that says as much as any (eps, 0)-DP
// mechanism: both are as hard to tell apart where the two kinds of error are alike, 1/(1 +
// e^eps), and a trade-off that is convex lies below the chords of the mechanism's (Dong,
// Roth and Su 2022, section 2.2). It is rounded up.
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
