package walkpath

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
)

// A PairLosses holds an upper bound of the loss of every ordered pair at one sigma.
type PairLosses struct {
	privacy.Claim
	Sigma float64
	nodes int
	at    []float64 // [u*n+v]
}

// At returns the loss from u towards v, 0 on the diagonal.
func (l *PairLosses) At(u, v int) float64 { return l.at[u*l.nodes+v] }

// Mean returns the mean loss over ordered pairs of distinct nodes.
func (l *PairLosses) Mean() float64 {
	total := 0.0
	for u := range l.nodes {
		row := 0.0
		for _, x := range l.at[u*l.nodes : (u+1)*l.nodes] {
			row += x
		}
		total += row
	}
	return total / (float64(l.nodes) * float64(l.nodes-1))
}

// Max returns the largest loss over ordered pairs of distinct nodes.
func (l *PairLosses) Max() float64 {
	worst := 0.0
	for _, x := range l.at {
		worst = max(worst, x)
	}
	return worst
}

// Losses returns the losses of all pairs at noise multiplier sigma.
func (m *Moments) Losses(sigma float64, metric privacy.Metric) (*PairLosses, error) {
	m.Walk.Watch.stage(fmt.Sprintf("losses of all pairs at noise multiplier %.6g", sigma))
	return m.losses(sigma, metric)
}

// Loss returns the loss of one pair.
func (m *Moments) Loss(u, v int, sigma float64, metric privacy.Metric) (float64, error) {
	if err := cmp.Or(metric.Check(), privacy.CheckSigma(sigma), m.Walk.checkPair(u, v)); err != nil {
		return 0, err
	}
	return m.newCharges(sigma, metric).pair(u, v), nil
}

// charges turns moments into losses at one noise multiplier.
type charges struct {
	*Moments
	sigma     float64
	metric    privacy.Metric
	relatives schedule.Relatives
	ceilings  map[int]*ceilings // by bucket
	besides   float64           // the loss of the other releases of nodes, which is added
	local     float64           // the loss of all contributions and these releases, at the largest sensitivity; 0: not needed
}

// bucketStep is the logarithmic width of a bucket of sensitivities that share their ceilings. The ceilings of
// the largest sensitivity of a bucket are above those of the others, whose energies are smaller.
const bucketStep = 0.1

func bucketOf(relative float64) int { return int(math.Floor(-math.Log(relative) / bucketStep)) }
func bucketTop(bucket int) float64  { return math.Exp(-bucketStep*float64(bucket)) * (1 + 1e-12) }

func (m *Moments) newCharges(sigma float64, metric privacy.Metric) *charges {
	c := &charges{Moments: m, sigma: sigma, metric: metric, relatives: m.Walk.Relatives(), ceilings: map[int]*ceilings{}}
	if besides := m.Walk.Besides; besides > 0 { // for an epsilon each half of delta (basic composition)
		c.local = metric.GaussianView(float64(m.Walk.Most())/(sigma*sigma) + besides)
		c.metric.Delta /= 2
		c.besides = c.metric.GaussianView(besides)
		metric = c.metric
	}
	for u := range m.Walk.Nodes {
		relative := c.relatives.At(u)
		if metric.Order != 0 || relative == 0 {
			continue
		}
		bucket := bucketOf(relative)
		if c.ceilings[bucket] == nil {
			c.ceilings[bucket] = newCeilings(sigma/bucketTop(bucket), metric.Delta, m.Walk.Most(), m.workers)
		}
	}
	return c
}

// pair returns the loss of a pair.
func (c *charges) pair(u, v int) float64 {
	relative := c.relatives.At(u)
	if relative == 0 {
		return c.besides
	}
	own, loss := c.sigma/relative, 0.0
	if c.metric.Order != 0 {
		loss = renyi(c.metric.Order, energyRate(c.metric.Order, own), c.Walk.Most(), c.of(u, v))
	} else {
		bucket := bucketOf(relative)
		loss = c.ceilings[bucket].epsilon(c.of(u, v), 2*math.Log(relative/bucketTop(bucket)))
	}
	if law := c.Refined[Pair{u, v}]; law != nil {
		loss = min(loss, law.loss(own, c.metric))
	}
	if loss += c.besides; relative == 1 && c.local > 0 {
		loss = min(loss, c.local)
	}
	return loss
}

func (m *Moments) losses(sigma float64, metric privacy.Metric) (*PairLosses, error) {
	if err := cmp.Or(metric.Check(), privacy.CheckSigma(sigma)); err != nil {
		return nil, err
	}
	n := m.Walk.Nodes
	charges := m.newCharges(sigma, metric)
	l := &PairLosses{Claim: m.Claim, Sigma: sigma, nodes: n, at: make([]float64, n*n)}
	err := m.Walk.Watch.all(n, m.workers, func(u int) {
		for v := range n {
			if v != u {
				l.at[u*n+v] = charges.pair(u, v)
			}
		}
	})
	if full := m.full(); full > 0 {
		l.Assumptions = append(slices.Clone(l.Assumptions), fmt.Sprintf("of %d of %d ordered pairs moments say no more than the cap does: they are charged the local loss", full, n*(n-1)))
	}
	return l, err
}

// full counts the pairs for which the moments' bound of the mean energy is not below the cap of a node's
// contributions.
func (m *Moments) full() (count int) {
	for u := range m.Walk.Nodes {
		for v := range m.Walk.Nodes {
			if u != v && m.mean(u, v) >= float64(m.Walk.Most()) {
				count++
			}
		}
	}
	return count
}

// Calibrate returns the losses at the smallest sigma whose mean or worst pairwise loss is at most target, above
// that sigma by a relative 1e-10 at most.
func (m *Moments) Calibrate(s privacy.Statistic, target float64, metric privacy.Metric) (*PairLosses, privacy.Calibration, error) {
	if s == privacy.Max {
		return m.calibrate(target, metric, (*PairLosses).Max)
	}
	return m.calibrate(target, metric, (*PairLosses).Mean)
}

// CalibrateLimits returns the losses at the smallest sigma that keeps all limits, with the precision of
// Calibrate.
func (m *Moments) CalibrateLimits(limits []privacy.Limit, metric privacy.Metric) (*PairLosses, privacy.Calibration, error) {
	return m.calibrate(1, metric, func(l *PairLosses) float64 {
		most := 0.0
		for _, limit := range limits {
			if worst, some := limit.Worst(m.Walk.Nodes, l.At); some {
				most = max(most, worst/limit.Loss)
			}
		}
		return most
	})
}

func (m *Moments) calibrate(target float64, metric privacy.Metric, statistic func(*PairLosses) float64) (*PairLosses, privacy.Calibration, error) {
	if err := metric.Check(); err != nil {
		return nil, privacy.Calibration{}, err
	}
	tried := make(map[float64]*PairLosses)
	c, err := calibrate(target, func(sigma float64) (float64, error) {
		m.Walk.Watch.stage(fmt.Sprintf("calibrating, step %d: losses of all pairs at noise multiplier %.6g", len(tried)+1, sigma))
		l, err := m.losses(sigma, metric)
		if err != nil {
			return 0, err
		}
		tried[sigma] = l
		return statistic(l), nil
	})
	if err != nil {
		return nil, c, err
	}
	return tried[c.Sigma], c, nil
}
