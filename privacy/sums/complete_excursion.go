package sums

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// excursions computes E exp(rate m^2/l) - 1 for m ~ B(l, q), q <= 1/2. It is the cost of
// u's contributions to an excursion of l turns.
type excursions struct {
	rate, q float64
	parts   []excursionPart
}

// An excursionPart covers the counts m with m/l above most/excursionStep, up to most.
// E[exp(rate m^2/l); part] <= exp(l exponent).
type excursionPart struct{ most, exponent float64 }

const excursionStep = 1.2

func newExcursions(rate, q, longest float64) excursions {
	e := excursions{rate: rate, q: q}
	for most := 1.0; most*longest >= 1; most /= excursionStep {
		e.parts = append(e.parts, excursionPart{most, chernoffExponent(rate*most, q, most/excursionStep)})
	}
	return e
}

// chernoffExponent returns x with E[exp(rate m); m/l >= share] <= exp(l x). That part is
// (1-q+q e^rate)^l times the tail of another binomial, of chance t = q e^rate/(1-q+q
// e^rate). Its tail above the mean is at most exp(-l D), with D the divergence of share
// from t. chernoffExponent returns +Inf if share is at most t.
func chernoffExponent(rate, q, share float64) float64 {
	tilt := 1 + float64(q*math.Expm1(rate))
	t := q * math.Exp(rate) / tilt
	if share <= t {
		return math.Inf(1)
	}
	divergence := float64(share * math.Log(share/t))
	if share < 1 {
		divergence += float64((1 - share) * math.Log((1-share)/(1-t)))
	}
	return math.Log(tilt) - divergence
}

// gain returns the value for l turns, with a bound on the terms it leaves out, about a
// millionth. Consecutive terms exp(rate m^2/l) - 1 are computed from each other by the
// factors exp(rate (2m+1)/l), and these by the factor exp(2 rate/l).
func (e excursions) gain(l int) float64 {
	length, odds := float64(l), e.q/(1-e.q)
	sum, p := 0.0, math.Exp(length*math.Log1p(-e.q))
	check := int(float64(length*e.q)+float64(8*math.Sqrt(length*e.q))) + 4
	more, rise, each := 0.0, math.Expm1(e.rate/length), math.Expm1(2*e.rate/length)
	for m := 1; m <= l; m++ {
		p *= odds * (length - float64(m) + 1) / float64(m)
		if gain := e.rate * float64(m) * float64(m) / length; gain > 500 {
			sum += math.Exp(privacy.LogBinomial(l, e.q, m) + gain)
		} else {
			more += float64((1 + more) * rise)
			rise += float64((1 + rise) * each)
			sum += float64(p * more)
		}
		if m >= check {
			if rest := e.above(length, float64(m+1)); rest < float64(1e-6*sum)+1e-15 {
				return sum + rest
			}
			check = m + 1 + m/2
		}
	}
	return sum
}

// above returns an upper bound on the part of E exp(rate m^2/l) with m >= least.
func (e excursions) above(l, least float64) float64 {
	sum := 0.0
	for _, part := range e.parts {
		if part.most*l < least {
			break
		}
		exponent := part.exponent
		if part.most*l/excursionStep < least {
			exponent = chernoffExponent(e.rate*part.most, e.q, least/l)
		}
		if l*exponent < nothing {
			sum += 1e-26
			continue
		}
		sum += math.Exp(l * exponent)
	}
	return sum
}

// nothing is a logarithm of less than 1e-26.
const nothing = -60
