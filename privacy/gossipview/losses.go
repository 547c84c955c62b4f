package gossipview

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
)

// Pairs holds one number for every ordered pair: the squared shift of node u towards observer v, in units of
// alpha/(2 sigma^2), the local loss.
type Pairs struct {
	privacy.Claim
	N      int
	Values []float64         // Values[u*N+v]
	Views  map[Certainty]int // number of observers' views of each certainty; nil if published
	Ranks  []int             // of each observer's view; nil if published
	// Drawn holds the sampling of every node's records, if its releases use Poisson samples. Values are then as
	// if every record were in all samples. nil means no sampling.
	Drawn []privacy.Poisson
}

// Of returns the pairs for nodes whose sensitivities are these, relative to the largest, of a unit of privacy. Shifts are in
// proportion to the sensitivity, and so values to its square. The observers' messages and the noise do not
// depend on the sensitivities.
func (p *Pairs) Of(sensitivities schedule.Relatives, unit privacy.Unit) *Pairs {
	if sensitivities == nil {
		return p
	}
	own := *p
	own.Unit, own.Values = unit, make([]float64, len(p.Values))
	for i, x := range p.Values {
		w := sensitivities.At(i / p.N)
		if own.Values[i] = x; w < 1 {
			own.Values[i] *= w * w * (1 + 0x1p-50)
		}
	}
	return &own
}

// At returns the value from u towards v.
func (p *Pairs) At(u, v int) float64 { return p.Values[u*p.N+v] }

// Leakage computes the leakage of every pair: P_uu for the view of each single observer v, on at most workers
// goroutines. The result does not depend on workers.
func (g *Accountant) Leakage(workers int) *Pairs {
	p := &Pairs{
		N: g.n, Values: make([]float64, g.n*g.n),
		Views: map[Certainty]int{}, Ranks: make([]int, g.n),
	}
	certainties := make([]Certainty, g.n)
	with := *g
	with.shared = g.share(workers)
	more := parallel.Count(g.n, g.progress)
	parallel.Each(g.n, workers, func(v int) {
		view := with.view([]int{v}, allPairs)
		certainties[v], p.Ranks[v] = view.certainty, view.rank
		for u := range g.n {
			p.Values[u*g.n+v] = view.Leakage(u)
		}
		more(1)
	})
	p.Views = tally(certainties)
	p.Claim = claim(p.Views)
	return p
}

// tally counts each certainty.
func tally(certainties []Certainty) map[Certainty]int {
	views := map[Certainty]int{}
	for _, c := range certainties {
		views[c]++
	}
	return views
}

// apart is the assumption that coalitions replace.
const apart = "observers do not collude"

func assumptions(views map[Certainty]int) []string {
	assumptions := []string{
		"each node adds Gaussian noise to its value once, before the first message",
		"observers follow the protocol, keep all they receive and know the weights",
		apart,
		"values are linear in the noise: they meet the public box that confines them with probability below 2^-60",
	}
	if n := views[Clear]; n > 0 {
		assumptions = append(assumptions, fmt.Sprintf("%d views were decided in floating point by a wide margin, not in exact arithmetic", n))
	}
	if n := views[Saturated]; n > 0 {
		assumptions = append(assumptions, fmt.Sprintf("%d views are bounded from above by the symmetries of the graph", n))
	}
	if n := views[Open]; n > 0 {
		assumptions = append(assumptions, fmt.Sprintf("%d views are too close to call: all that can reach them is charged in full", n))
	}
	return assumptions
}

// Losses holds the losses of every ordered pair at one noise multiplier.
type Losses struct {
	privacy.Claim
	Sigma  float64
	Metric privacy.Metric
	pairs  *Pairs
	drawn  *curve   // cached losses of many pairs; nil: none yet
	sample *samples // the same for sampled records
}

// Losses charges all pairs at noise multiplier sigma, the standard deviation over the sensitivity. The loss is
// alpha/(2 sigma^2) times the value at Renyi order alpha, or the exact eps at a delta of a Gaussian with mu =
// sqrt(value)/sigma (002, Theorem 6.1, with leakage in place of its sum). Without noise, sigma = 0, a loss is 0
// or infinite.
func (p *Pairs) Losses(sigma float64, m privacy.Metric) (*Losses, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	if !(sigma >= 0) || math.IsInf(sigma, 1) {
		return nil, fault.New(fmt.Sprintf("noise multiplier sigma %g is negative or no number", sigma),
			"give a sigma above 0, or 0 for no noise")
	}
	return &Losses{Claim: p.Claim, Sigma: sigma, Metric: m, pairs: p}, nil
}

// At returns the loss from u towards v; on the diagonal, that of u towards itself.
func (l *Losses) At(u, v int) float64 {
	if l.pairs.Drawn != nil && l.Sigma > 0 {
		return l.samples().exactly(l.pairs.Drawn[u], l.pairs.At(u, v)/(l.Sigma*l.Sigma))
	}
	return l.charge(l.pairs.At(u, v))
}

// Local returns the loss of every pair if all messages were public, which is that of one Gaussian release.
func (l *Losses) Local() float64 { return l.charge(1) }

func (l *Losses) charge(value float64) float64 {
	switch {
	case value == 0:
		return 0
	case l.Sigma == 0:
		return math.Inf(1)
	}
	return l.Metric.GaussianView(value / (l.Sigma * l.Sigma))
}

// Mean returns the mean loss over ordered pairs of distinct nodes, and 0 if there is only one node. Beyond
// 20,000 pairs, losses are rounded up by at most two parts in 10^6.
func (l *Losses) Mean() float64 {
	if l.Sigma == 0 {
		return l.Max() // 0 or infinite
	}
	if l.pairs.Drawn != nil {
		return l.pairs.meanDrawn(l.samples())(l.Sigma)
	}
	if l.pairs.many() {
		return l.pairs.meanOn(l.curve())(l.Sigma)
	}
	return l.pairs.mean(l.Metric.GaussianView)(l.Sigma)
}

// curve returns the curve of all losses, created at the first call.
func (l *Losses) curve() *curve {
	if l.drawn == nil {
		l.drawn = newCurve(l.Metric.GaussianView, l.Status)
	}
	return l.drawn
}

// Max returns the largest loss over ordered pairs of distinct nodes, and 0 if there is only one node.
func (l *Losses) Max() float64 {
	if l.pairs.Drawn != nil && l.Sigma > 0 {
		return l.pairs.maxDrawn(l.samples(), nil)(l.Sigma)
	}
	most, n := 0.0, l.pairs.N
	for u := range n {
		for v := range n {
			if u != v {
				most = max(most, l.pairs.At(u, v))
			}
		}
	}
	return l.charge(most)
}

// claim returns the claim of views with these certainties.
func claim(views map[Certainty]int) privacy.Claim {
	return privacy.Claim{Accountant: "gossip, joint Gaussian view", Status: privacy.Sound, Gaussian: true, Assumptions: assumptions(views)}
}

// Claim returns the claim of the view's Leakage, towards that number of observers together.
func (v *View) Claim(observers int) privacy.Claim {
	views := map[Certainty]int{v.certainty: 1}
	if observers > 1 {
		return pooled(views, fmt.Sprintf("these %d observers put together what they see, and nobody else with them", observers))
	}
	return claim(views)
}

// pooled returns the claim of joint views of several observers.
func pooled(views map[Certainty]int, who string) privacy.Claim {
	c := claim(views)
	c.Assumptions[slices.Index(c.Assumptions, apart)] = who
	return c
}
