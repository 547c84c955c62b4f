package privacy

import (
	"fmt"
	"math"
)

// Spotted counts the contributions of u that v can tell from the rest of a
// walk on the complete graph when nodes know from whom they have the token and
// to whom they hand it: those directly before or after a turn of v (002,
// Definition D.13). Nodes >= 3; Contributions >= 1 of u.
type Spotted struct{ Nodes, Contributions int }

func (s Spotted) check(delta float64) error {
	return firstError(checkNodes(s.Nodes), checkCount(s.Contributions, "contributions of a node"), checkDeltas(delta))
}

// CountPublished is the number of 002, Proposition D.14, exceeded with
// probability at most delta: Chernoff on a binomial of N_u trials and chance
// 2/n. It is an error outside Chernoff's range.
//
// The law is not quite that binomial: one turn of v between two of u spots
// both, so that spotted contributions come in pairs.
func (s Spotted) CountPublished(delta float64) (float64, error) {
	if err := s.check(delta); err != nil {
		return 0, err
	}
	return ChernoffUpper(2*float64(s.Contributions)/float64(s.Nodes), delta)
}

// Count is a number that spotted contributions exceed with probability at most
// delta. The node after each contribution of u is v with chance 1/n whatever
// came before, and so, the other way round in time, is the node before it:
// two binomials of chance 1/n, of which each may fail with delta/2.
func (s Spotted) Count(delta float64) (int, error) {
	if err := s.check(delta); err != nil {
		return 0, err
	}
	side := BinomialUpper(s.Contributions, 1/float64(s.Nodes), delta/2)
	return min(s.Contributions, 2*side), nil
}

// Published is 002, Proposition D.14: the loss eps_s of the spotted
// contributions, eps each, by simple composition (simple) or advanced, but for
// probability deltaCount and deltaPrime.
//
// The advanced form is printed without the factor 2 under the root that it has
// in Theorem 5.5: sqrt(k ln(1/deltaPrime)) eps where composition gives
// sqrt(2 k ln(1/deltaPrime)) eps; and the deltas of the contributions
// themselves, k of them, are left out.
func (s Spotted) Published(eps, deltaPrime, deltaCount float64, simple bool) (Guarantee, error) {
	if err := firstError(checkLoss(eps), checkDeltas(deltaPrime)); err != nil {
		return Guarantee{}, err
	}
	k, err := s.CountPublished(deltaCount)
	if err != nil {
		return Guarantee{}, err
	}
	g := Guarantee{Claim{"spotted contributions, simple composition", Published, s.assumptions(k)}, k * eps, deltaCount}
	if !simple {
		g.Accountant, g.Delta = "spotted contributions, advanced composition", deltaCount+deltaPrime
		g.Epsilon = math.Sqrt(k*-math.Log(deltaPrime))*eps + k*eps*math.Expm1(eps)
	}
	return g, nil
}

// Sound is the exact loss of the spotted contributions as public Gaussian
// releases at noise multiplier sigma, at delta in all, half of it for the
// count. What is not spotted adds to it.
func (s Spotted) Sound(sigma, delta float64) (Guarantee, error) {
	if err := checkSigma(sigma); err != nil {
		return Guarantee{}, err
	}
	k, err := s.Count(delta / 2)
	if err != nil {
		return Guarantee{}, err
	}
	eps := gaussianLoss(float64(k), sigma, Metric{Delta: delta / 2})
	return Guarantee{Claim{"spotted contributions, composed Gaussians", Sound, s.assumptions(float64(k))}, eps, delta}, nil
}

func (s Spotted) assumptions(count float64) []string {
	return []string{
		"the token goes to a uniform node each turn",
		fmt.Sprintf("at most %.4g of %d contributions are directly before or after the observer's turns", count, s.Contributions),
		"this is the loss of the spotted contributions alone, to be added to one that takes the path to be hidden",
	}
}
