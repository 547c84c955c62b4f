package walkpublished

import "github.com/hearsay-dp/hearsay/privacy"

// PublishedAt returns Published at noise multiplier sigma and delta in all. Half of delta goes to a
// contribution, by the classical Gaussian mechanism, and half to the count of contributions.
func (c CompleteSGD) PublishedAt(sigma, delta float64) (privacy.Guarantee, error) {
	eps0, err := privacy.ClassicalEpsilon(sigma, delta/2)
	if err != nil {
		return privacy.Guarantee{}, err
	}
	return c.Published(eps0, delta/2, delta/2)
}

// SpottedIn returns the Spotted of a node that contributes whenever the token comes to it in turns
// turns. The node contributes more often only with probability failure.
func SpottedIn(nodes, turns int, failure float64) Spotted {
	return Spotted{nodes, privacy.BinomialUpper(turns, 1/float64(max(1, nodes)), failure)}
}

// PublishedAt returns Published with advanced composition, at noise multiplier sigma and delta in
// all. A quarter of delta goes to a contribution, by the classical Gaussian mechanism, a quarter to
// composition and a quarter to the count.
func (s Spotted) PublishedAt(sigma, delta float64) (privacy.Guarantee, error) {
	eps0, err := privacy.ClassicalEpsilon(sigma, delta/4)
	if err != nil {
		return privacy.Guarantee{}, err
	}
	return s.Published(eps0, delta/4, delta/4, false)
}
