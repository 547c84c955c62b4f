package federation

import (
	"github.com/hearsay-dp/hearsay/federation/budget"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
)

// Cost returns the allowed losses in the form that adds up over runs. one holds towards any one participant if nobody
// deviates. all holds towards everybody together, whatever they do.
func (p *Plan) Cost() (one, all budget.Loss) {
	return p.Accepted().costOfOne(), p.costOfAll(p.Contributions)
}

// costOfOne bounds the loss towards each participant.
func (p *Plan) costOfOne() (worst budget.Loss) {
	for i, law := range p.laws {
		if i > 0 && p.plain[i] == p.plain[i-1] { // for example if everything is public
			continue
		}
		l := p.costOf(law)
		l.Epsilon, l.Delta = min(p.loss(law, p.Sigma, p.Delta), math.MaxFloat64), p.Delta
		worst = budget.Worst(worst, l)
	}
	return worst
}

// costOf returns the loss of a law. A curved law's view is (epsilon, delta)-private. Except with probability delta it reveals
// no more than randomised response of epsilon (Kairouz, Oh and Viswanath 2015), which reveals no more than a Gaussian
// (privacy.PureMu).
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

// costOfAll returns the loss of that many contributions if all of them are public.
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

// spentCost returns the losses spent with contributed contributions. The loss one is capped by the plan, unless there are more
// contributions than planned.
func (p *Plan) spentCost(contributed, late int) (one, all budget.Loss) {
	all = p.costOfAll(contributed)
	if contributed > p.Contributions {
		return all, all
	}
	return budget.Least(p.after(late).costOfOne(), all), all
}
