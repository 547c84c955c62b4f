package gossipview

import (
	"cmp"
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// samples caches losses of releases from Poisson samples, in one metric. A loss depends on the sampling and on
// the squared shift over noise, and takes many milliseconds. It is not safe for concurrent use.
type samples struct {
	m     privacy.Metric
	known map[sampled]float64
}

type sampled struct {
	privacy.Poisson
	muSquared float64
}

func newSamples(m privacy.Metric) *samples { return &samples{m, map[sampled]float64{}} }

func (l *Losses) samples() *samples {
	if l.sample == nil {
		l.sample = newSamples(l.Metric)
	}
	return l.sample
}

func (s *samples) exactly(of privacy.Poisson, muSquared float64) float64 {
	if muSquared == 0 {
		return 0
	}
	key := sampled{of, muSquared}
	loss, found := s.known[key]
	if !found {
		loss = of.Loss(muSquared, s.m)
		s.known[key] = loss
	}
	return loss
}

// sampleWidth is the largest amount by which the logarithm of a squared shift is rounded up if there are many.
// Losses then grow by about a thousandth at most.
const sampleWidth = 0x1p-9

// about returns the loss at a squared shift that is rounded up by at most sampleWidth.
func (s *samples) about(of privacy.Poisson, muSquared float64) float64 {
	if muSquared == 0 {
		return 0
	}
	return s.exactly(of, math.Exp(math.Ceil(math.Log(muSquared)/sampleWidth)*sampleWidth)*(1+1e-12))
}

// draws returns the different samplings, and the nodes of each.
func (p *Pairs) draws() map[privacy.Poisson][]int {
	draws := map[privacy.Poisson][]int{}
	for u, of := range p.Drawn {
		draws[of] = append(draws[of], u)
	}
	return draws
}

// maxDrawn returns, as a function of sigma, the largest loss of the pairs that a limit concerns. A nil limit
// concerns all pairs of different nodes.
func (p *Pairs) maxDrawn(s *samples, l *privacy.Limit) func(sigma float64) float64 {
	if l == nil {
		l = &privacy.Limit{}
	}
	largest := map[privacy.Poisson]float64{}
	for of, nodes := range p.draws() {
		for _, u := range nodes {
			for v := range p.N {
				if l.Concerns(u, v) {
					largest[of] = max(largest[of], p.At(u, v))
				}
			}
		}
	}
	maps.DeleteFunc(largest, func(of privacy.Poisson, value float64) bool { // dominated by a larger value and a larger rate
		for other, more := range largest {
			if other != of && other.Steps == of.Steps && other.Rate >= of.Rate && more >= value {
				return true
			}
		}
		return false
	})
	return func(sigma float64) float64 {
		most := 0.0
		for of, value := range largest {
			most = max(most, s.exactly(of, value/(sigma*sigma)))
		}
		return most
	}
}

// meanDrawn returns, as a function of sigma, the mean loss over all ordered pairs of different nodes, by
// samples.about.
func (p *Pairs) meanDrawn(s *samples) func(sigma float64) float64 {
	draws := p.draws()
	ways := slices.SortedFunc(maps.Keys(draws), func(a, b privacy.Poisson) int {
		return cmp.Or(cmp.Compare(a.Rate, b.Rate), cmp.Compare(a.Steps, b.Steps))
	})
	counts := make([][]count, len(ways))
	for i, of := range ways {
		counts[i] = p.counts(draws[of])
	}
	return func(sigma float64) float64 {
		sum := 0.0 // in a fixed order, because sums round
		for i, of := range ways {
			for _, c := range counts[i] {
				sum += float64(float64(c.pairs) * s.about(of, c.value/(sigma*sigma)))
			}
		}
		return sum / p.ordered()
	}
}

// fewSamples is the largest number of different losses that are computed exactly.
const fewSamples = 64

// sampledTable returns At of all pairs, computed in advance. If there are many different losses it uses
// samples.about.
func (l *Losses) sampledTable() func(u, v int) float64 {
	p, s, different := l.pairs, l.samples(), map[sampled]bool{}
	key := func(u, v int) sampled { return sampled{p.Drawn[u], p.At(u, v) / (l.Sigma * l.Sigma)} }
	for u := range p.N {
		for v := range p.N {
			different[key(u, v)] = true
		}
	}
	loss := s.exactly
	if len(different) > fewSamples {
		loss = s.about
	}
	known := make(map[sampled]float64, len(different))
	for k := range different {
		known[k] = loss(k.Poisson, k.muSquared)
	}
	return func(u, v int) float64 { return known[key(u, v)] }
}
