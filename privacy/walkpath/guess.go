package walkpath

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// Guess returns an upper bound of the probability that an observer's guess between two equally likely data sets
// of the node is right, at noise multiplier sigma > 0. delta in (0, 1) is used only for laws without energies
// and for sampled records.
//
// Given the path the view is Gaussian, and its total variation distance is a concave function of the energy.
// The distance at the mean energy therefore bounds the mean distance (Jensen). This holds for any law that
// bounds the mean, such as one that exceeds the law of the path in the increasing convex order.
func (l *Law) Guess(sigma, delta float64) float64 {
	if l.curve != nil || l.sampled() {
		return privacy.Guess(l.Epsilon(delta, sigma), delta)
	}
	own := l.multiplier(sigma)
	return guessOf(l.Mean(), own, l.Besides)
}

// guessOf returns the Guess of a mean energy, at a node's own noise multiplier own.
func guessOf(mean, own, besides float64) float64 {
	return privacy.GuessGaussian(math.Hypot(math.Sqrt(mean)/own, math.Sqrt(besides)))
}

// Guess returns the largest Law.Guess of all pairs.
func (p *Laws) Guess(sigma, delta float64) float64 {
	worst := 0.5
	for k, relative := range p.ranks.values {
		if relative == 0 {
			continue
		}
		for class, l := range p.laws {
			if p.ranks.pairs[k][class] > 0 {
				worst = max(worst, l.Guess(sigma/relative, delta))
			}
		}
		if p.ranks.rest[k] > 0 {
			worst = max(worst, p.local.Guess(sigma/relative, delta))
		}
	}
	return worst
}

// Guess returns the largest Law.Guess of all pairs, by the first moments of their energies.
func (m *Moments) Guess(sigma float64) float64 {
	worst, relatives, n := 0.5, m.Walk.Relatives(), m.Walk.Nodes
	for u := range n {
		relative, most := relatives.At(u), 0.0
		for v := range n {
			if u != v {
				most = max(most, m.mean(u, v))
			}
		}
		if relative > 0 {
			worst = max(worst, guessOf(most, sigma/relative, m.Walk.Besides))
		}
	}
	return worst
}

// mean returns an upper bound of the mean energy of a pair.
func (m *Moments) mean(u, v int) float64 {
	mean := min(math.Exp(float64(m.of(u, v)[0])), float64(m.Walk.Most()))
	if law := m.Refined[Pair{u, v}]; law != nil {
		mean = min(mean, law.Mean())
	}
	return mean
}
