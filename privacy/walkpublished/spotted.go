package walkpublished

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// Spotted counts the contributions of u that v can tell from the rest of a walk on the complete
// graph. These are the contributions directly before or after a turn of v (002, Definition D.13),
// because nodes know from whom they have the token and to whom they hand it. Nodes >= 3.
// Contributions >= 1 is the number of all contributions of u.
type Spotted struct{ Nodes, Contributions int }

func (s Spotted) check(delta float64) error {
	return cmp.Or(privacy.CheckNodes(s.Nodes), privacy.CheckCount(s.Contributions, "contributions of a node"), privacy.CheckDeltas(delta))
}

// CountPublished returns the number of 002, Proposition D.14, which is exceeded with probability at
// most delta: the Chernoff bound of a binomial of N_u trials and chance 2/n. It is an error outside
// Chernoff's range.
//
// The law is not quite that binomial. One turn of v between two of u spots both, so that spotted
// contributions come in pairs.
func (s Spotted) CountPublished(delta float64) (float64, error) {
	if err := s.check(delta); err != nil {
		return 0, err
	}
	return privacy.ChernoffUpper(2*float64(s.Contributions)/float64(s.Nodes), delta)
}

// Count returns a number that spotted contributions exceed with probability at most delta. The node
// after each contribution of u is v with chance 1/n whatever came before. In reversed time the same
// holds for the node before it. Each of these two binomials of chance 1/n may fail with delta/2.
func (s Spotted) Count(delta float64) (int, error) {
	if err := s.check(delta); err != nil {
		return 0, err
	}
	side := privacy.BinomialUpper(s.Contributions, 1/float64(s.Nodes), delta/2)
	return min(s.Contributions, 2*side), nil
}

// Published returns the loss of 002, Proposition D.14: that of the spotted contributions, eps each,
// by simple composition if simple, else by advanced composition. It fails with probability at most
// deltaCount, plus deltaPrime if advanced.
//
// The advanced form is printed without the factor 2 under the root that it has in Theorem 5.5:
// sqrt(k ln(1/deltaPrime)) eps, where composition gives sqrt(2 k ln(1/deltaPrime)) eps. The deltas
// of the k contributions themselves are left out.
func (s Spotted) Published(eps, deltaPrime, deltaCount float64, simple bool) (privacy.Guarantee, error) {
	if err := cmp.Or(privacy.CheckLoss(eps), privacy.CheckDeltas(deltaPrime)); err != nil {
		return privacy.Guarantee{}, err
	}
	k, err := s.CountPublished(deltaCount)
	if err != nil {
		return privacy.Guarantee{}, err
	}
	g := privacy.Guarantee{Claim: privacy.Claim{Accountant: "spotted contributions, simple composition", Status: privacy.Published,
		Assumptions: s.assumptions(k)}, Epsilon: k * eps, Delta: deltaCount}
	if !simple {
		g.Accountant, g.Delta = "spotted contributions, advanced composition", deltaCount+deltaPrime
		g.Epsilon = float64(math.Sqrt(k*-math.Log(deltaPrime))*eps) + float64(k*eps*math.Expm1(eps))
	}
	return g, nil
}

// Sound returns the exact loss of the spotted contributions as public Gaussian releases at noise
// multiplier sigma, at delta in all. Half of delta goes to the count. The loss of contributions
// that are not spotted adds to it.
func (s Spotted) Sound(sigma, delta float64) (privacy.Guarantee, error) {
	if err := privacy.CheckSigma(sigma); err != nil {
		return privacy.Guarantee{}, err
	}
	k, err := s.Count(delta / 2)
	if err != nil {
		return privacy.Guarantee{}, err
	}
	eps := privacy.GaussianLoss(float64(k), sigma, privacy.Metric{Delta: delta / 2})
	return privacy.Guarantee{Claim: privacy.Claim{Accountant: "spotted contributions, composed Gaussians", Status: privacy.Sound,
		Assumptions: s.assumptions(float64(k))}, Epsilon: eps, Delta: delta}, nil
}

func (s Spotted) assumptions(count float64) []string {
	return []string{
		"the token goes to a uniform node each turn",
		fmt.Sprintf("at most %.4g of %d contributions are directly before or after the observer's turns", count, s.Contributions),
		"this is the loss of the spotted contributions alone, to be added to one that takes the path to be hidden",
	}
}
