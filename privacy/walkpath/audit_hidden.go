package walkpath

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// HiddenRDP returns the Renyi divergence of order alpha > 1 between the two views of v. It assumes that losses
// are linear and that u's gradients differ by the full sensitivity or not at all. v does not learn the path,
// except when it holds the token itself. The value is exact, and a lower bound for every sound accountant.
//
// Between two receipts l turns apart, v sees a Gaussian of variance l sigma^2 whose mean is the number m of
// u's contributions. Given l this is a mixture over m, whose law is counted on the chain that avoids v.
// Excursions must be independent given their lengths, so that a Cap that can bind is an error.
func (w Walk) HiddenRDP(u, v int, alpha, sigma float64) (float64, error) {
	if err := w.check(u, v); err != nil {
		return 0, err
	}
	if err := cmp.Or(privacy.Metric{Order: alpha}.Check(), privacy.CheckSigma(sigma)); err != nil {
		return 0, err
	}
	if w.Cap > 0 && w.Cap < w.Turns {
		return 0, fault.New(fmt.Sprintf("a cap of %d contributions ties excursions together", w.Cap),
			"audit the hidden path without a cap, or reveal the path")
	}
	if w.AllTokens() > 1 { // each of which is seen by itself
		total := 0.0
		for _, g := range w.alone() {
			loss, err := g.walk.HiddenRDP(u, v, alpha, sigma)
			if err != nil {
				return 0, err
			}
			total += float64(float64(g.times) * loss)
		}
		return total, nil
	}
	c := w.chainOf(u, v)
	first, later := c.excursions(c.start, w.Turns), c.excursions(c.after(atV), w.Turns)
	moment := func(l int, counts []float64) float64 { return mixtureMoment(counts, l, alpha, sigma) }
	return hiddenMoment(first, later, w, moment) / (alpha - 1), nil
}

// after returns the law of the node that follows a state.
func (c *chain) after(state int) []float64 {
	x := make([]float64, c.w.N)
	c.move(x, c.at(state))
	return x
}

// A countLaw holds the probability that m turns of an excursion of l turns are u's. received[l][m] is for
// excursions that end with a receipt by v, under[l][m] for those that have not ended.
type countLaw struct {
	received, under [][]float64
}

// unlikely is the probability below which a count of contributions is dropped. Dropping it only lowers an
// audit.
const unlikely = 1e-25

// excursions follows paths until they meet v, for at most turns turns. from is the law of the first holder.
func (c *chain) excursions(from []float64, turns int) countLaw {
	var law countLaw
	now := [][]float64{from} // now[m] is the law of the holder with m contributions before
	for range turns + 1 {
		received, under := make([]float64, len(now)), make([]float64, len(now))
		next := make([][]float64, len(now)+1)
		for m := range next {
			next[m] = make([]float64, c.w.N)
		}
		for m, x := range now {
			received[m], under[m] = x[atV], sum(x)
			rest, own := append([]float64(nil), x...), make([]float64, c.w.N)
			rest[atV], rest[atU], own[atU] = 0, 0, x[atU]
			moved := make([]float64, c.w.N)
			c.move(moved, rest)
			accumulate(next[m], moved, 1)
			c.move(moved, own)
			accumulate(next[m+1], moved, 1)
		}
		law.received, law.under = append(law.received, received), append(law.under, under)
		for len(next) > 1 && sum(next[len(next)-1]) < unlikely {
			next = next[:len(next)-1]
		}
		now = next
	}
	return law
}

// hiddenMoment returns the logarithm of the product of the moments of all excursions of a run. The moment is an
// expectation over the turns in which v holds the token. moment returns logarithms too, because moments of high
// order overflow a float64. held[t] is the logarithm of that expectation over runs in which v holds the token
// in turn t.
func hiddenMoment(first, later countLaw, w Walk, moment func(l int, counts []float64) float64) float64 {
	begins := weigh(first.received, moment)
	again := weigh(later.received, moment)
	end := func(law countLaw, l int) float64 {
		if w.Final {
			return moment(l, law.under[l])
		}
		return math.Log(sum(law.under[l]))
	}
	held, terms := make([]float64, w.Turns), make([]float64, 0, w.Turns+1)
	for t := range held {
		terms = append(terms[:0], begins[t])
		for s := range t {
			terms = append(terms, held[s]+again[t-1-s])
		}
		held[t] = LogSum(terms)
	}
	terms = append(terms[:0], end(first, w.Turns))
	for t := range held {
		terms = append(terms, held[t]+end(later, w.Turns-1-t))
	}
	return LogSum(terms)
}

// LogSum returns log(sum of e^x), which overflows only if an x does. It does not change xs.
func LogSum(xs []float64) float64 {
	most := math.Inf(-1)
	for _, x := range xs {
		most = max(most, x)
	}
	if math.IsInf(most, 0) {
		return most
	}
	total := 0.0
	for _, x := range xs {
		total += math.Exp(x - most)
	}
	return most + math.Log(total)
}

// weigh returns the logarithm of the moment of excursions of each length.
func weigh(laws [][]float64, moment func(l int, counts []float64) float64) []float64 {
	moments := make([]float64, len(laws))
	for l, counts := range laws {
		moments[l] = moment(l, counts)
	}
	return moments
}

// mixtureMoment returns MixtureMoment for counts[m], the weight of m contributions, after l turns.
func mixtureMoment(counts []float64, l int, alpha, sigma float64) float64 {
	if l == 0 || len(counts) == 1 {
		return math.Log(sum(counts))
	}
	shifts := make([]float64, len(counts))
	for m := range shifts {
		shifts[m] = float64(m)
	}
	return MixtureMoment(counts, shifts, 1/(sigma*math.Sqrt(float64(l))), alpha)
}

// MixtureMoment returns the logarithm of the sum q of weights times
//
//	E (f/g)^alpha under g,    g = N(0, 1),  f = sum_m weights[m]/q N(unit shifts[m], 1).
//
// Shifts must not be negative. It uses the trapezoid rule, which converges faster than any power here.
func MixtureMoment(weights, shifts []float64, unit, alpha float64) float64 {
	q, largest := sum(weights), 0.0
	for _, s := range shifts {
		largest = max(largest, s)
	}
	if q == 0 || largest == 0 {
		return math.Log(q)
	}
	logs, ratio := make([]float64, len(weights)), make([]float64, len(weights))
	for m, p := range weights {
		logs[m] = math.Log(p / q)
	}
	const step, reach = 0.25, 9.0
	var terms []float64
	for x := -reach; x < reach+float64(alpha*unit*largest); x += step {
		for m, log := range logs {
			shift := unit * shifts[m]
			ratio[m] = log + float64(shift*(x-float64(shift/2)))
		}
		terms = append(terms, privacy.LogDensity(x)+float64(alpha*LogSum(ratio)))
	}
	return math.Log(q*step) + LogSum(terms)
}
