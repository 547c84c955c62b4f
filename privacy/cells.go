package privacy

import (
	"github.com/hearsay-dp/hearsay/internal/math"
)

// A curatorStep is the dominating pair of one step of Central. Its likelihood ratios
// above 1 are those of (1-q) N(0,1) + q N(mu,1) against N(0,1), and those below 1
// mirror them. The rest of the mass has a ratio of 1. The hockey-stick divergence of
// the pair is the bound of Central.RDP, at every gamma >= 1 and in both directions.
// 0 < q <= 1, 0 < mu.
type curatorStep struct{ q, mu float64 }

// z returns the point at which the ratio of the densities is e^loss, loss >= 0.
func (c curatorStep) z(loss float64) float64 {
	return float64(c.mu/2) + math.Log1p(math.Expm1(loss)/c.q)/c.mu
}

// loss returns ln of the ratio at z >= mu/2.
func (c curatorStep) loss(z float64) float64 {
	exponent := float64(c.mu*z) - float64(c.mu*c.mu/2)
	if exponent >= 600 {
		return exponent + math.Log(c.q) // up to rounding, when it is large
	}
	return math.Log1p(c.q * math.Expm1(exponent))
}

func (c curatorStep) begin() float64              { return c.mu / 2 }
func (c curatorStep) still() float64              { return (1 - c.q) * math.Erf(c.mu/(2*math.Sqrt2)) }
func (c curatorStep) logSecond(z float64) float64 { return LogDensity(z) }
func (c curatorStep) slope() float64              { return c.mu }
func (c curatorStep) shown() float64              { return c.mu }

func (c curatorStep) tails(z float64) (first, second float64) {
	second = math.Exp(logTail(z))
	return float64((1-c.q)*second) + float64(c.q*math.Exp(logTail(z-c.mu))), second
}

// massRounding bounds the relative error of a cell's masses, which are sums of
// positive terms whose exponents are below 1000.
const massRounding = 1e-12

// A lossLaw is a discrete privacy loss distribution that dominates the one it
// approximates. mass[i] is the mass at a loss of step*(first+i), and infinite the
// mass at an infinite loss. It dominates in Blackwell's sense, so its products
// dominate too.
type lossLaw struct {
	step     float64
	first    int
	mass     []float64
	infinite float64
}

// discretise returns the loss distribution of a step on a grid, for losses up to
// that at z = most.
//
// Each cell's mass goes to its two ends, and each of the two worlds keeps its mass
// there (Doroshenko, Ghazi, Kamath, Kumar and Manurangsi 2022). The ratio is spread
// with its mean kept, so the original pair is a post-processing of the discrete one.
// Rounding errors are moved upwards. The ends of a cell are known only up to shift;
// tiltedEpsilon adds that.
func discretise(c worstPair, step, most float64) lossLaw {
	cells := int(math.Ceil(c.loss(most) / step))
	law := lossLaw{step: step, first: -cells, mass: make([]float64, 2*cells+1)}
	at := func(k int) *float64 { return &law.mass[k+cells] }
	*at(0) = float64(c.still() * (1 + massRounding))
	fall, rules := -math.Expm1(-step), newGauss()
	z := c.begin()
	for k := range cells {
		next := c.z(float64(k+1) * step)
		ratio := math.Exp(float64(k) * step)
		below, excess := c.cell(rules, z, next)
		// Above: the first world has below*ratio + excess, the second has below.
		up := excess / fall
		*at(k + 1) += float64(up * (1 + massRounding))
		*at(k) += max(0, float64((float64(below*ratio)+excess)*(1+massRounding))-up)
		// Mirrored: the worlds are exchanged.
		down := float64(excess / (ratio * math.Exp(step) * fall) * (1 - massRounding))
		*at(-k - 1) += down
		*at(-k) += max(0, float64(below*(1+massRounding))-down)
		z = next
	}
	first, second := c.tails(z)
	*at(-cells) += float64(second * (1 + massRounding))
	law.infinite = float64(first * (1 + massRounding))
	return law
}

// whole reports whether no mass was lost. A law that lost mass would understate the
// loss.
func (l lossLaw) whole() bool {
	sum := l.infinite
	for _, m := range l.mass {
		sum += m
	}
	return sum >= 1-massRounding && sum <= 1+1e-6
}

// shift bounds the change of the loss at an end of a cell by rounding.
func shift(c worstPair, most float64) float64 { return 0x1p-48 * (1 + float64(c.shown()*most)) }

// cell returns the mass of N(0,1) between lo and hi, and the integral there of the
// density times the growth of the ratio since lo.
func (c curatorStep) cell(rules gauss, lo, hi float64) (mass, excess float64) {
	panels := math.Ceil((hi - lo) * (1 + hi + c.mu) / 2)
	width := (hi - lo) / panels
	rule := rules.fine
	if width*(1+hi+c.mu) < 0.1 {
		rule = rules.coarse
	}
	slope := float64(c.q * math.Exp(float64(c.mu*lo)-float64(c.mu*c.mu/2)))
	for p := range int(panels) {
		from := lo + float64(float64(p)*width)
		for i, x := range rule.at {
			z := from + float64(width*x)
			weight := float64(width * rule.weight[i] * math.Exp(LogDensity(z)))
			mass += weight
			excess += float64(weight * slope * math.Expm1(c.mu*(z-lo)))
		}
	}
	return mass, excess
}

// gauss holds Gauss-Legendre rules on [0, 1]. fine is exact to rounding for
// exponentials that grow by a factor e^2, coarse for e^0.1.
type gauss struct{ fine, coarse rule }

type rule struct{ at, weight []float64 }

func newGauss() gauss { return gauss{newRule(10), newRule(5)} }

// newRule finds the zeros of the Legendre polynomial of degree n by Newton's method.
func newRule(n int) rule {
	r := rule{make([]float64, n), make([]float64, n)}
	for i := range n {
		x, slope := math.Cos(math.Pi*(float64(i)+0.75)/(float64(n)+0.5)), 0.0
		for range 10 {
			last, value := 1.0, x
			for k := 2.0; k <= float64(n); k++ {
				last, value = value, (float64((2*k-1)*x*value)-float64((k-1)*last))/k
			}
			slope = float64(n) * (float64(x*value) - last) / (float64(x*x) - 1)
			x -= value / slope
		}
		r.at[i] = float64((1 - x) / 2)
		r.weight[i] = 1 / ((1 - float64(x*x)) * slope * slope)
	}
	return r
}
