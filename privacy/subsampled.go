package privacy

import (
	"github.com/hearsay-dp/hearsay/internal/math"
)

// The integral of SubsampledLogExcess: panels of panelWidth by Gauss-Legendre
// with panelNodes, up to tailWidth standard deviations beyond the last peak of
// the integrand.
const (
	panelWidth = 0.5
	panelNodes = 16
	tailWidth  = 14
	mostPanels = 1 << 22
)

// SubsampledLogExcess returns ln E[(r^(a-1) - 1) (r - r^(1-a)); r > 1] for the ratio r = 1 - q + q
// exp(mu Z - mu^2/2): the excess of Central.RDP, factored so that nothing cancels. 0 < q <= 1, mu >
// 0, order a > 1. If the integral would need mostPanels panels, because mu and the order are large,
// it uses a(a-1) mu^2/2. That bounds the value for q = 1, which is not smaller.
func SubsampledLogExcess(q, mu, order float64) float64 { return logExcess(curatorStep{q, mu}, order) }

// logExcess returns ln E[(r^(a-1) - 1) (r - r^(1-a)); r > 1] in the second world of any dominating
// pair. The moment E r^a of both directions is 1 + excess.
func logExcess(c worstPair, order float64) float64 {
	rule := newRule(panelNodes)
	sum := logSum{math.Inf(-1), 0}
	end := float64(order*c.shown()) + tailWidth
	if !(end < mostPanels*panelWidth) {
		return order * (order - 1) / 2 * c.shown() * c.shown()
	}
	panels := int(math.Ceil((end - c.begin()) / panelWidth))
	for k := range panels {
		lo := c.begin() + float64(float64(k)*panelWidth)
		for i, at := range rule.at {
			z := lo + float64(panelWidth*at)
			sum.add(c.logSecond(z) + logExcessAt(c.loss(z), order) + math.Log(panelWidth*rule.weight[i]))
		}
	}
	return sum.value()
}

// logExcessAt returns the logarithm of (r^(a-1) - 1)(r - r^(1-a)) at a ratio r > 1.
func logExcessAt(logRatio, order float64) float64 {
	power := float64((order - 1) * logRatio)
	// r - r^(1-a) = r^(1-a) (r^a - 1)
	return logExpm1(power) + logExpm1(power+logRatio) - power
}

// logExpm1 returns ln(e^x - 1) for x > 0.
func logExpm1(x float64) float64 {
	if x > 40 {
		return x
	}
	return math.Log(math.Expm1(x))
}

// logSum holds the logarithm of a sum of exponentials: ln(rest) + top.
type logSum struct{ top, rest float64 }

func (s *logSum) add(x float64) {
	if x > s.top {
		s.rest *= math.Exp(s.top - x)
		s.top = x
	}
	s.rest += math.Exp(x - s.top)
}

func (s *logSum) value() float64 { return s.top + math.Log(s.rest) }
