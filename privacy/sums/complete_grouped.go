package sums

import "github.com/hearsay-dp/hearsay/internal/math"

// grouped holds gains of excursions by length, for large graphs. Long lengths that differ by one in
// groupWidth share one bound.
type grouped struct {
	nodes  int
	groups []lengths // lengths 1 to most-1; length 0 gains nothing
	last   float64   // gain of the longest
	most   int       // its length
}

// A lengths says that excursions of first..end-1 turns have gains of at most gain.
type lengths struct {
	first, end int
	gain       float64
}

const groupWidth = 1 << 10

// grouped bounds c.gains. An excursion of l turns, first <= l < end, has no more of u than one of
// end-1, and its energy m^2/l is at most (1 + 1/groupWidth) m^2/(end-1).
func (c Complete) grouped(rate float64) grouped {
	g := grouped{nodes: c.Nodes, most: longExcursion * c.Nodes}
	q := 1 / float64(c.Nodes-1)
	one := newExcursions(rate, q, float64(g.most+1))
	more := newExcursions(rate*(1+1./groupWidth), q, float64(g.most+1))
	for l := 1; l < g.most; {
		end := min(g.most, l+l/groupWidth+1)
		if end == l+1 {
			g.groups = append(g.groups, lengths{l, end, one.gain(l)})
		} else {
			g.groups = append(g.groups, lengths{l, end, more.gain(end - 1)})
		}
		l = end
	}
	g.last = one.gain(g.most)
	return g
}

// drift is c.drift for these gains. With p = 1/n, r = (1-p) exp(-theta) and L the longest length, at
// which excursions are cut, its value is
//
//	p exp(-theta) A + (exp(-theta) - 1)(1 - r^L)/(1-r) + gain of L x r^L,
//
// A being the sum over groups of gain (r^first - r^end)/(1-r). The part independent of gains, the sum
// over l < L of p (1-p)^l (exp(-theta (l+1)) - 1) and (1-p)^L (exp(-theta L) - 1), is a geometric
// series. The slope guides Newton's steps and bounds nothing: it counts every length of a group as the
// group's middle.
func (g grouped) drift(theta float64) (value, slope float64) {
	p := 1 / float64(g.nodes)
	log := math.Log1p(-p) - theta // of r
	rest := -math.Expm1(log)
	power, width, fall := math.Exp(log), 0, 0.0 // r^first, r^width - 1
	for _, of := range g.groups {
		if of.end-of.first != width {
			width = of.end - of.first
			fall = math.Expm1(log * float64(width))
		}
		part := float64(-of.gain * power * fall)
		value += part
		slope -= float64(part * float64(of.first+of.end+1) / 2)
		power = float64(power * (1 + fall))
	}
	each := p * math.Exp(-theta) / rest
	longest, most := math.Exp(log*float64(g.most)), float64(g.most)
	value = float64(each*value) + (math.Expm1(-theta)*-math.Expm1(log*most))/rest + float64(g.last*longest)
	// each (1/rest - longest (most + 1/rest)) is the sum over l < L of p (l+1) (1-p)^l exp(-theta (l+1)).
	slope = float64(each*slope) - float64(each*(1/rest-float64(longest*(most+1/rest)))) - float64((1+g.last)*longest*most)
	return value, slope
}
