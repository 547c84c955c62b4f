package walkpublished

import "github.com/hearsay-dp/hearsay/privacy"

// PublishedAt is Published at noise multiplier sigma and delta in all: half for a
// contribution, by the classical Gaussian mechanism, and half for the rest.
func (c CompleteSGD) PublishedAt(sigma, delta float64) (privacy.Guarantee, error) {
	eps0, err := privacy.ClassicalEpsilon(sigma, delta/2)
	if err != nil {
		return privacy.Guarantee{}, err
	}
	return c.Published(eps0, delta/2, delta/2)
}

// SpottedIn is what is Spotted of a node that contributes whenever the token comes
// to it in some turns: more often than that only with probability failure.
func SpottedIn(nodes, turns int, failure float64) Spotted {
	return Spotted{nodes, privacy.BinomialUpper(turns, 1/float64(max(1, nodes)), failure)}
}

// PublishedAt is Published, composed as its authors advise, at noise multiplier
// sigma and with a quarter of delta each for a contribution, by the classical
// Gaussian mechanism, for composition and for the count.
func (s Spotted) PublishedAt(sigma, delta float64) (privacy.Guarantee, error) {
	eps0, err := privacy.ClassicalEpsilon(sigma, delta/4)
	if err != nil {
		return privacy.Guarantee{}, err
	}
	return s.Published(eps0, delta/4, delta/4, false)
}
