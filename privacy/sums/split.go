package sums

import (
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// The functions below split one delta among the terms of the published formulas,
// because the papers leave that open. Losses of one contribution are those of the
// classical Gaussian mechanism at noise multiplier sigma.

// PublishedAt returns Published at delta in all: a third each for visits, cycles,
// in equal shares, and composition.
func (c Complete) PublishedAt(sigma, delta float64) (privacy.Guarantee, error) {
	return c.split(sigma, delta, c.Published)
}

// ProvedAt returns Proved at delta in all, split as by PublishedAt.
func (c Complete) ProvedAt(sigma, delta float64) (privacy.Guarantee, error) {
	return c.split(sigma, delta, c.Proved)
}

func (c Complete) split(sigma, delta float64, formula func(eps0, deltaCycle, deltaPrime, deltaHat float64) (privacy.Guarantee, error)) (privacy.Guarantee, error) {
	cycles, _ := c.Cycles(delta / 3)
	each := delta / 3 / cycles
	eps0, err := privacy.ClassicalEpsilon(sigma, each)
	if err != nil {
		return privacy.Guarantee{}, err
	}
	return formula(eps0, each, delta/3, delta/3)
}

// PublishedAt returns Published for answers of loss local, at delta in all, split
// as by Complete.PublishedAt.
func (c CompleteHistogram) PublishedAt(local, delta float64) (privacy.Guarantee, error) {
	cycles, _ := Complete(c).Cycles(delta / 3)
	return c.Published(local, delta/3/max(1, cycles), delta/3, delta/3)
}

// PublishedAt returns Published at delta in all: half for the releases, in equal
// shares, and half for their composition.
func (r Ring) PublishedAt(sigma, delta float64) (privacy.Guarantee, error) {
	each := delta / 2 / float64(max(1, r.Rounds))
	eps0, err := privacy.ClassicalEpsilon(sigma, each)
	if err != nil {
		return privacy.Guarantee{}, err
	}
	return r.Published(eps0, each, delta/2)
}

// PublishedAt returns RingHistogramPublished at delta in all, split as by
// Ring.PublishedAt. local is its eps per receipt.
func (h RingHistogram) PublishedAt(values int, local, delta float64) (privacy.Guarantee, error) {
	g, _, err := RingHistogramPublished(h.Nodes, h.Rounds, values, local, delta/2/float64(max(1, h.Rounds)), delta/2)
	return g, err
}

// PublishedAt returns Published at delta in all: half for the contributions and
// half for their composition, in equal shares of the cycles.
func (w ActualWalk) PublishedAt(sigma, delta float64) (*PairValues, privacy.Claim, error) {
	each := delta / 2 / float64(slices.Max(w.Visits()))
	eps0, err := privacy.ClassicalEpsilon(sigma, each)
	if err != nil {
		return nil, privacy.Claim{}, err
	}
	pairs, _, claim, err := w.Published(eps0, each)
	return pairs, claim, err
}

// DrawWalk returns a random walk on the complete graph. Every holder is a uniform
// node.
func DrawWalk(nodes, turns int, r *rand.Rand) ActualWalk {
	w := ActualWalk{Nodes: nodes, Holders: make([]int32, turns)}
	for t := range w.Holders {
		w.Holders[t] = r.Int32N(int32(max(1, nodes)))
	}
	return w
}

// A Spread gathers the losses of pairs over drawn walks: means over walks, extremes
// over all.
type Spread struct {
	privacy.Claim
	Walks       int
	Least, Most float64
	sum         float64
}

// Add adds the losses of one more walk.
func (s *Spread) Add(p *PairValues, c privacy.Claim) {
	mean, least, most := p.Summary()
	if s.Walks == 0 {
		s.Least = math.Inf(1)
	}
	s.Claim, s.Walks = c, s.Walks+1
	s.sum, s.Least, s.Most = s.sum+mean, min(s.Least, least), max(s.Most, most)
}

// Mean returns the mean over all pairs and walks.
func (s *Spread) Mean() float64 { return s.sum / float64(s.Walks) }
