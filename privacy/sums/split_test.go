package sums

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/privacy"
)

// However a delta is split, no formula ends above the given delta.
func TestSharedDeltaIsNotExceeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes, turns := rapid.IntRange(3, 2000).Draw(t, "nodes"), rapid.IntRange(1, 20000).Draw(t, "turns")
		sigma, delta := rapid.Float64Range(1, 100).Draw(t, "sigma"), math.Exp(rapid.Float64Range(-30, -2).Draw(t, "ln delta"))
		c := Complete{nodes, turns}
		for name, find := range map[string]func() (privacy.Guarantee, error){
			"complete": func() (privacy.Guarantee, error) { return c.PublishedAt(sigma, delta) },
			"proved":   func() (privacy.Guarantee, error) { return c.ProvedAt(sigma, delta) },
			"ring": func() (privacy.Guarantee, error) {
				return Ring{Nodes: nodes, Rounds: min(turns, 50)}.PublishedAt(sigma, delta)
			},
			"histogram": func() (privacy.Guarantee, error) {
				return CompleteHistogram(c).PublishedAt(min(1, 1/sigma), delta)
			},
		} {
			if g, err := find(); err == nil && !(g.Delta <= delta*(1+1e-9)) {
				t.Fatalf("%s: delta %g of %g", name, g.Delta, delta)
			}
		}
	})
}

// A spread is the mean of means, and the extremes of all walks.
func TestSpreadOverWalks(t *testing.T) {
	var s Spread
	means, least, most := 0.0, math.Inf(1), 0.0
	for k := range uint64(3) {
		p := DrawWalk(5, 40, rand.New(rand.NewPCG(k, 1))).Energies()
		s.Add(p, privacy.Claim{})
		mean, low, high := p.Summary()
		means, least, most = means+mean/3, min(least, low), max(most, high)
	}
	if math.Abs(s.Mean()-means) > 1e-12*means || s.Least != least || s.Most != most || s.Walks != 3 {
		t.Errorf("%+v, want mean %g from %g to %g", s, means, least, most)
	}
}
