package gossipview

import (
	"cmp"
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// samples are losses of releases that are Poisson samples, in one metric: they depend on how
// they are drawn and on one number, the squared shift over noise, and take many milliseconds
// each. It remembers them, and must not be used by several goroutines.
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

// sampleWidth is by how much, in its logarithm, a squared shift is rounded up at most where
// there are many: losses are then up to a thousandth more or so.
const sampleWidth = 0x1p-9

// about is exactly, or up to what sampleWidth makes of it more.
func (s *samples) about(of privacy.Poisson, muSquared float64) float64 {
	if muSquared == 0 {
		return 0
	}
	return s.exactly(of, math.Exp(math.Ceil(math.Log(muSquared)/sampleWidth)*sampleWidth)*(1+1e-12))
}

// draws are the different ways in which nodes draw, and of each the nodes.
func (p *Pairs) draws() map[privacy.Poisson][]int {
	draws := map[privacy.Poisson][]int{}
	for u, of := range p.Drawn {
		draws[of] = append(draws[of], u)
	}
	return draws
}

// maxDrawn is the largest loss of pairs that a limit concerns, nil: of all pairs of different
// nodes, as a function of sigma.
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
	maps.DeleteFunc(largest, func(of privacy.Poisson, value float64) bool { // who has a larger value and a larger rate loses more
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

// meanDrawn is the mean loss over all ordered pairs of different nodes as a function of sigma,
// by samples.about.
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
		sum := 0.0 // in one order, for it is rounded
		for i, of := range ways {
			for _, c := range counts[i] {
				sum += float64(float64(c.pairs) * s.about(of, c.value/(sigma*sigma)))
			}
		}
		return sum / p.ordered()
	}
}

// fewSamples is up to how many different losses are worked out exactly.
const fewSamples = 64

// sampledTable is At of all pairs, worked out beforehand; of many different ones by
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
