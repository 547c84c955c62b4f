package walkpublished

import (
	"cmp"
	"fmt"
	"sort"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/digits"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A Charge says how the sums of a walk become losses: the largest number of contributions of a
// node, the metric, and the condition on sigma.
type Charge struct {
	Contributions int
	Metric        privacy.Metric
	Condition     privacy.Condition
}

// Losses holds the published loss of every ordered pair at one sigma.
type Losses struct {
	privacy.Claim
	Sigma    float64
	Charge   Charge
	MaxOrder float64 // the largest Renyi order that was used
	pairs    *Pairs
	curve    envelope // total loss as a function of the capped sum
}

// Losses charges all pairs at noise multiplier sigma. The loss is Contributions times the single
// loss (alpha/sigma^2) S, composed as the papers do, and capped at the local loss alpha/(2 sigma^2)
// of a contribution (002, equations D.8 to D.11). Eps at delta is the smallest over Renyi orders.
// The orders that need the Condition go up to exactly the largest that it allows. A Renyi order
// that the Condition refuses is an error.
func (p *Pairs) Losses(sigma float64, c Charge) (*Losses, error) {
	if err := c.check(sigma); err != nil {
		return nil, err
	}
	l := &Losses{Sigma: sigma, Charge: c, pairs: p}
	l.curve, l.MaxOrder = c.curve(sigma)
	l.Claim = c.claim(p.sender, l.MaxOrder)
	return l, nil
}

func (c Charge) check(sigma float64) error {
	err := cmp.Or(c.Metric.Check(), privacy.CheckSigma(sigma), privacy.CheckCount(c.Contributions, "contributions of a node"))
	if err != nil {
		return err
	}
	if o := c.Metric.Order; o != 0 && sigma < c.Condition.MinSigma(o)*(1-1e-12) {
		return fault.New(
			fmt.Sprintf("the published walk loss at order %g needs %v: sigma is %g", o, c.Condition, sigma),
			fmt.Sprintf("take sigma at least %g, or a smaller order", digits.Up(c.Condition.MinSigma(o), 6)))
	}
	return nil
}

// gridStep is the distance of neighbouring orders, in the logarithm of the order minus one. The
// minimum over the grid exceeds that over all orders by a relative gridStep^2/8.
const gridStep = 0.004

// curve returns the total loss as a function of the capped sum, and the largest Renyi order in it.
// Each order gives a line. The local loss, which holds at every order, gives a flat line. The grid
// starts at the largest order, so that the loss falls without steps as sigma grows.
func (c Charge) curve(sigma float64) (envelope, float64) {
	perSum := float64(c.Contributions) / (sigma * sigma)
	if o := c.Metric.Order; o != 0 {
		return lowerEnvelope([]line{{o * perSum, 0}}), o
	}
	conversion, inverse := c.Metric.Conversion, -math.Log(c.Metric.Delta)
	least := conversion.BestOrder(perSum*localCap, inverse) - 1
	most := c.Condition.MaxOrder(sigma) - 1
	if conversion == privacy.CanonneKamathSteinke {
		most = min(most, 1/c.Metric.Delta-1) // the price rises again beyond this order
	}
	var lines []line
	for above := most; ; above *= math.Exp(-gridStep) {
		above = max(above, min(least, most))
		lines = append(lines, line{(1 + above) * perSum, conversion.Price(1+above, inverse)})
		if above <= least {
			break
		}
	}
	local := line{0, c.Metric.GaussianRDP(2 * perSum * localCap)}
	return lowerEnvelope(append(lines, local)), 1 + most
}

// Claim checks the charge at a noise multiplier and returns the claim with the assumptions of the
// published formula.
func (c Charge) Claim(sigma float64, s Sender) (privacy.Claim, error) {
	if err := c.check(sigma); err != nil {
		return privacy.Claim{}, err
	}
	_, maxOrder := c.curve(sigma)
	return c.claim(s, maxOrder), nil
}

// Loss returns the total loss of a pair with a given sum, S within [0, 1/2] as Towards returns it.
// It equals Losses.At of such a pair.
func (c Charge) Loss(sum, sigma float64, s Sender) (float64, privacy.Claim, error) {
	if err := c.check(sigma); err != nil {
		return 0, privacy.Claim{}, err
	}
	curve, maxOrder := c.curve(sigma)
	if sum == 0 {
		return 0, c.claim(s, maxOrder), nil
	}
	return max(0, curve.at(sum)), c.claim(s, maxOrder), nil
}

func (c Charge) claim(s Sender, maxOrder float64) privacy.Claim {
	sender := "a node does not learn who handed it the token"
	if s == Known {
		sender = "a node learns who handed it the token and nothing else about the path"
	}
	unit := fmt.Sprintf("%v, at order %.6g", c.Condition, maxOrder)
	if c.Metric.Order == 0 {
		unit = fmt.Sprintf("%v, at orders up to %.6g; %v conversion", c.Condition, maxOrder, c.Metric.Conversion)
	}
	return privacy.Claim{Accountant: "walk", Status: privacy.Published, Assumptions: []string{
		unit,
		sender,
		fmt.Sprintf("no node contributes more than %d times", c.Contributions),
		"every update is non-expansive: convex smooth loss, step size at most 2/beta, clipping before the noise",
		"contributions compose by addition, which is not proved for several before one receipt",
		"the final model is seen by nobody beyond the nodes that receive the token",
	}}
}

// At returns the total loss from u towards v. It is 0 on the diagonal and where u's contributions
// cannot reach v.
func (l *Losses) At(u, v int) float64 {
	s := l.pairs.reach(u, v)
	if u == v || s == 0 {
		return 0
	}
	return max(0, l.curve.at(s))
}

// Single returns the Renyi loss of one contribution at an order, capped at the local loss:
// alpha*min(S, 1/2)/sigma^2. It is defined on the diagonal too.
func (l *Losses) Single(u, v int, order float64) float64 {
	return order * l.pairs.reach(u, v) / (l.Sigma * l.Sigma)
}

// Mean returns the mean loss over ordered pairs of distinct nodes.
func (l *Losses) Mean() float64 {
	p := l.pairs
	// The curve rises. A conversion may put its beginning below 0.
	first := sort.Search(len(p.sorted), func(i int) bool {
		return p.sorted[i] > 0 && l.curve.at(p.sorted[i]) > 0
	})
	return l.curve.sum(p.sorted, p.prefix, first) / float64(len(p.sorted))
}

// Max returns the largest loss over ordered pairs of distinct nodes.
func (l *Losses) Max() float64 {
	worst := l.pairs.sorted[len(l.pairs.sorted)-1]
	if worst == 0 {
		return 0
	}
	return max(0, l.curve.at(worst))
}
