package federation

import (
	"github.com/hearsay-dp/hearsay/federation/budget"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
)

// Cost is what the plan may cost, as it adds up over runs: towards any one participant, while nobody deviates, and towards
// everybody together, whatever they do.
func (p *Plan) Cost() (one, all budget.Loss) { return p.costOfOne(), p.costOfAll(p.Contributions) }

// costOfOne bounds the loss towards each participant.
func (p *Plan) costOfOne() (worst budget.Loss) {
	for i, law := range p.laws {
		if i > 0 && p.plain[i] == p.plain[i-1] { // as where all is public
			continue
		}
		l := p.costOf(law)
		l.Epsilon, l.Delta = min(p.loss(law, p.Sigma, p.Delta), math.MaxFloat64), p.Delta
		worst = budget.Worst(worst, l)
	}
	return worst
}

// costOf is the loss of a law. A view that is no Gaussian's is (epsilon, delta)-private: but for probability delta it tells no
// more than randomised response of epsilon (Kairouz, Oh and Viswanath 2015), and that no more than a Gaussian (privacy.PureMu).
func (p *Plan) costOf(law *walkpath.Law) budget.Loss {
	if law.IsCurved() {
		mu := privacy.PureMu(p.loss(law, p.Sigma, p.Delta))
		l := budget.Gaussian(mu * mu)
		l.Failure = p.Delta
		return l
	}
	l := budget.Curve(law.MuSquared(p.Sigma), func(order float64) float64 { return law.RDP(order, p.Sigma) })
	l.Failure = p.noise.ExtraDelta
	return l
}

// costOfAll is the loss of so many contributions, all public.
func (p *Plan) costOfAll(contributions int) budget.Loss {
	if contributions == 0 && p.besides == 0 {
		return budget.Loss{}
	}
	seen := p.seen(contributions, p.Sigma)
	l := budget.Gaussian(seen + p.besides)
	if p.samples() {
		drawn := privacy.Poisson{Rate: p.rate, Steps: contributions}
		l = budget.Curve(seen, func(order float64) float64 { return drawn.Loss(seen, privacy.Metric{Order: order}) })
	}
	l.Failure, l.Epsilon, l.Delta = p.noise.ExtraDelta, min(p.local(contributions, p.Sigma, p.Delta), math.MaxFloat64), p.Delta
	return l
}

// spentCost is what so many contributions have cost: to each observer no more than the plan says, unless there were more of them.
func (p *Plan) spentCost(contributed int) (one, all budget.Loss) {
	all = p.costOfAll(contributed)
	if contributed > p.Contributions {
		return all, all
	}
	return budget.Least(p.costOfOne(), all), all
}
