package federation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
)

// Objections returns the objections of a policy to the plan. Without any the participant may join.
func (p *Plan) Objections(own *policy.Policy) []policy.Objection {
	return own.Check(p.Accepted().policyPlan())
}

// policyPlan converts the plan to the type that package policy checks.
func (p *Plan) policyPlan() policy.Plan {
	plan := policy.Plan{
		Accountant: p.Accountant, Status: p.Status, Program: p.program, Unit: p.Unit, Delta: p.Delta, Sigma: p.Sigma, Model: p.Model, Turns: p.Turns,
		Contributions: int64(p.Contributions), Hours: float64(p.Hours), Fit: p.fit, Deviators: p.Local,
		Named: func(name string) (float64, bool) {
			to := p.towards(name)
			return to.Epsilon, name != "" && to.Name == name
		},
		Public: p.worst(policy.Demand{Whom: policy.Public, Size: 1, Delta: p.Delta}, p.Sigma),
		Coalition: func(size int) float64 {
			return p.worst(policy.Demand{Whom: policy.AnyCoalition, Size: size, Delta: p.Delta}, p.Sigma)
		},
	}
	if o := p.others; o != nil {
		plan.Book = &policy.Standing{Alone: o.One.At, Total: p.total, Counts: o.Counts(), Unit: o.Unit}
	}
	for _, t := range p.Towards {
		to := &plan.Others
		if t.Neighbour {
			to = &plan.Neighbours
		}
		if t.Epsilon > to.Epsilon || to.Towards == "" {
			*to = policy.Loss{Towards: t.Name, Epsilon: t.Epsilon}
		}
	}
	return plan
}

// mostNoise is the largest multiplier that fit suggests.
const mostNoise = 1e6

// fit returns the smallest noise multiplier of at least least that meets all demands, to about
// three digits. It prices each candidate as Plan would, grid included. ok is false if no multiplier
// up to mostNoise suffices.
func (p *Plan) fit(least float64, demands []policy.Demand) (sigma float64, ok bool) {
	meets := func(sigma float64, holds func(*Plan, policy.Demand) bool) bool {
		at, err := p.withNoise(sigma)
		return err == nil && !slices.ContainsFunc(demands, func(d policy.Demand) bool { return !holds(at, d) })
	}
	low, high := least, least
	for !meets(high, (*Plan).within) {
		if low, high = high, 2*high; high > mostNoise {
			return 0, false
		}
	}
	for high/low > 1.002 {
		if middle := math.Sqrt(low * high); meets(middle, (*Plan).within) {
			high = middle
		} else {
			low = middle
		}
	}
	// The search above uses the faster test within. A candidate counts only if worst, against which
	// plans are checked, accepts it.
	for range 20 {
		if meets(high, func(at *Plan, d policy.Demand) bool { return at.worst(d, at.Sigma) <= d.Epsilon }) {
			return high, true
		}
		high *= 1.001
	}
	return 0, false
}

// within reports whether a demand is met. It agrees with worst up to round-off and is faster.
func (p *Plan) within(d policy.Demand) bool {
	if math.IsInf(d.Epsilon, 1) {
		return true
	}
	if d.Whom == policy.AnyCoalition && d.Size > 1 && len(p.pool(d.Size)) > 0 {
		return !slices.ContainsFunc(p.pool(d.Size), func(c walkpath.Coalition) bool { return !p.keeps(p.onGrid(c.Law), d) })
	}
	if d.Whom == policy.Deviators || d.Whom == policy.Public || d.Whom == policy.AllRuns || d.Whom == policy.AnyCoalition && d.Size > 1 {
		return p.worst(d, p.Sigma) <= d.Epsilon
	}
	for i, law := range p.laws {
		if p.observes(i, d) && !p.keeps(law, d) {
			return false
		}
	}
	return true
}

// keeps reports whether a law meets a demand.
func (p *Plan) keeps(law *walkpath.Law, d policy.Demand) bool {
	return law.Keeps(d.Epsilon, d.Delta-p.noise.ExtraDelta, p.Sigma)
}

// withNoise returns a copy of the plan at noise sigma with new laws, which suffices to compute
// losses.
func (p *Plan) withNoise(sigma float64) (*Plan, error) {
	noise, err := p.price(sigma)
	if err != nil {
		return nil, err
	}
	other := *p
	other.Sigma, other.noise, other.laws = sigma, noise, nil
	for _, law := range p.plain {
		other.laws = append(other.laws, other.onGrid(law))
	}
	return &other, nil
}

// Refusal returns the error of a node that does not join, nil without objections.
func (p *Plan) Refusal(objections []policy.Objection) error {
	if len(objections) == 0 {
		return nil
	}
	var reasons []string
	for _, o := range objections {
		reasons = append(reasons, o.What)
	}
	return fault.New(fmt.Sprintf("%s does not join: %s", p.Participant, strings.Join(reasons, "; and ")), hintOf(objections))
}

func hintOf(objections []policy.Objection) string {
	var fits []string
	for _, o := range objections {
		if !slices.Contains(fits, o.Fits) {
			fits = append(fits, o.Fits)
		}
	}
	return strings.Join(fits, "; ") + ". The spec is changed by all participants together, the policy by this one alone"
}
