package federation

import (
	"fmt"
	"math"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/policy"
)

// Objections are what a policy has against the plan; none: it may be joined.
func (p *Plan) Objections(own *policy.Policy) []policy.Objection { return own.Check(p.policyPlan()) }

// policyPlan is the plan in a policy's words.
func (p *Plan) policyPlan() policy.Plan {
	plan := policy.Plan{
		Accountant: p.Accountant, Status: p.Status, Delta: p.Delta, Sigma: p.Sigma, Model: p.Model, Turns: p.Turns,
		Contributions: int64(p.Contributions), Hours: float64(p.Hours), Fit: p.fit,
		Coalition: func(size int) float64 {
			return p.worst(policy.Demand{Whom: policy.AnyCoalition, Size: size, Delta: p.Delta}, p.Sigma)
		},
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

// fit is the least noise that meets a demand, to three digits or so.
func (p *Plan) fit(d policy.Demand) (sigma float64, ok bool) {
	meets := func(sigma float64) bool { return p.worst(d, sigma) <= d.Epsilon }
	low, high := p.Sigma, 2*p.Sigma
	for !meets(high) {
		if low, high = high, 2*high; high > mostNoise {
			return 0, false
		}
	}
	for high/low > 1.0005 {
		if middle := math.Sqrt(low * high); meets(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high, true
}

// Refusal is the error of a node that does not join, nil without objections.
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
		fits = append(fits, o.Fits)
	}
	return strings.Join(fits, "; ") + ". The spec is changed by all participants together, the policy by this one alone"
}
