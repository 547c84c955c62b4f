package walkpath

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/privacy"
)

// Losses holds the losses of all ordered pairs at one sigma.
type Losses struct {
	privacy.Claim
	Sigma float64
	laws  *Laws
	ranks []rankLosses // by sensitivity
}

// rankLosses holds the losses of nodes of one sensitivity.
type rankLosses struct {
	sigma  float64   // their noise multiplier
	losses []float64 // by class
	rest   float64
}

// Losses returns the losses of all pairs at noise multiplier sigma. It uses as many goroutines as Laws did, and
// reports progress to the walk's Watch.
func (p *Laws) Losses(sigma float64, m privacy.Metric) (*Losses, error) {
	p.watch.stage(fmt.Sprintf("losses of all pairs at noise multiplier %.6g", sigma))
	return p.lossesAt(sigma, m)
}

func (p *Laws) lossesAt(sigma float64, m privacy.Metric) (*Losses, error) {
	if err := cmp.Or(m.Check(), privacy.CheckSigma(sigma)); err != nil {
		return nil, err
	}
	l := &Losses{Claim: p.Claim, Sigma: sigma, laws: p, ranks: make([]rankLosses, len(p.ranks.values))}
	for k, relative := range p.ranks.values {
		own := sigma / relative
		l.ranks[k] = rankLosses{sigma: own, losses: make([]float64, len(p.laws)), rest: p.local.loss(own, m)}
	}
	return l, l.fill(m)
}

// fill computes the losses of the classes.
func (l *Losses) fill(m privacy.Metric) error {
	blocks, watch := l.laws.together(), l.laws.watch
	total := 0
	for _, block := range blocks {
		total += len(block.classes)
	}
	watch.progress(0, total)
	found := make(chan int, len(blocks))
	go func() {
		defer close(found)
		parallel.Each(len(blocks), l.laws.workers, func(b int) {
			if watch.err() == nil {
				l.price(blocks[b], m)
				found <- len(blocks[b].classes)
			}
		})
	}()
	done := 0
	for n := range found {
		done += n
		watch.progress(done, total)
	}
	return watch.err()
}

// mostTogether is the largest number of laws that are priced together.
const mostTogether = 16

// A lossBlock is some classes of pairs of one sensitivity.
type lossBlock struct {
	rank    int
	classes []int
}

// together returns the classes that have a pair, in blocks that one goroutine prices. There are enough blocks
// to keep all goroutines busy.
func (p *Laws) together() (blocks []lossBlock) {
	for rank, pairs := range p.ranks.pairs {
		var open []int
		for k, n := range pairs {
			if n > 0 {
				open = append(open, k)
			}
		}
		size := min(mostTogether, 1+len(open)/(4*max(1, p.workers)))
		for len(open) > 0 {
			n := 1
			for n < min(size, len(open)) && alike(p.laws[open[0]].renewal, p.laws[open[n]].renewal) {
				n++
			}
			blocks, open = append(blocks, lossBlock{rank, open[:n]}), open[n:]
		}
	}
	return blocks
}

// alike reports whether the moments of two renewals can be followed together.
func alike(a, b *renewal) bool {
	return a == nil && b == nil || a != nil && b != nil && a.turns == b.turns && a.cap == b.cap
}

// price computes the losses of a block of classes. Each law has the loss that it has alone.
func (l *Losses) price(block lossBlock, m privacy.Metric) {
	laws, of := l.laws.laws, &l.ranks[block.rank]
	if m.Order == 0 || laws[block.classes[0]].renewal == nil {
		for _, k := range block.classes {
			of.losses[k] = laws[k].loss(of.sigma, m)
		}
		return
	}
	var renewals []*renewal
	for _, k := range block.classes {
		renewals = append(renewals, laws[k].renewal)
	}
	rate := energyRate(m.Order, of.sigma)
	for i, bound := range logMoments(rate, renewals) {
		k := block.classes[i]
		of.losses[k] = laws[k].rdp(m.Order, rate, bound)
	}
}

// At returns the loss from u towards v, 0 on the diagonal.
func (l *Losses) At(u, v int) float64 {
	if u == v {
		return 0
	}
	of := &l.ranks[l.laws.ranks.at(u)]
	if k := l.laws.class(u, v); k != Unlawed {
		return of.losses[k]
	}
	return of.rest
}

// class returns the mean loss of the pairs of a class.
func (l *Losses) class(k int) float64 {
	loss, total := 0.0, float64(l.laws.pairs[k])
	for r, of := range l.ranks {
		loss += float64(float64(l.laws.ranks.pairs[r][k]) / total * of.losses[k])
	}
	return loss
}

// Mean returns the mean loss over ordered pairs of distinct nodes.
func (l *Losses) Mean() float64 {
	total := 0.0
	for r, of := range l.ranks {
		total += float64(float64(l.laws.ranks.rest[r]) * of.rest)
		for k, loss := range of.losses {
			total += float64(float64(l.laws.ranks.pairs[r][k]) * loss)
		}
	}
	n := float64(l.laws.nodes)
	return total / (n * (n - 1))
}

// Max returns the largest loss over ordered pairs of distinct nodes.
func (l *Losses) Max() float64 {
	worst := 0.0
	for r, of := range l.ranks {
		if l.laws.ranks.rest[r] > 0 {
			worst = max(worst, of.rest)
		}
		for k, loss := range of.losses {
			if l.laws.ranks.pairs[r][k] > 0 {
				worst = max(worst, loss)
			}
		}
	}
	return worst
}

// Calibrate returns the losses at the smallest sigma whose mean or worst pairwise loss is at most target, above
// that sigma by a relative 1e-10 at most.
func (p *Laws) Calibrate(s privacy.Statistic, target float64, m privacy.Metric) (*Losses, privacy.Calibration, error) {
	if s == privacy.Max {
		return p.calibrate(target, m, (*Losses).Max)
	}
	return p.calibrate(target, m, (*Losses).Mean)
}

// CalibrateLimits returns the losses at the smallest sigma that keeps all limits, with the precision of
// Calibrate.
func (p *Laws) CalibrateLimits(limits []privacy.Limit, m privacy.Metric) (*Losses, privacy.Calibration, error) {
	concerned := make([][]classOf, len(limits))
	for k, l := range limits {
		concerned[k] = p.concerned(l)
	}
	return p.calibrate(1, m, func(losses *Losses) float64 {
		most := 0.0
		for k, l := range limits {
			for _, c := range concerned[k] {
				of := &losses.ranks[c.rank]
				loss := of.rest
				if c.class != Unlawed {
					loss = of.losses[c.class]
				}
				most = max(most, loss/l.Loss)
			}
		}
		return most
	})
}

// A classOf is the set of pairs of a class whose first node has one sensitivity.
type classOf struct{ rank, class int }

// concerned returns the classes with a pair that a limit concerns.
func (p *Laws) concerned(l privacy.Limit) []classOf {
	found := map[classOf]bool{}
	for u := range p.nodes {
		for v := range p.nodes {
			if l.Concerns(u, v) {
				found[classOf{p.ranks.at(u), p.class(u, v)}] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b classOf) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.class, b.class)) })
}

// calibrate returns the losses at the smallest sigma at which a statistic is at most target.
func (p *Laws) calibrate(target float64, m privacy.Metric, statistic func(*Losses) float64) (*Losses, privacy.Calibration, error) {
	if err := m.Check(); err != nil {
		return nil, privacy.Calibration{}, err
	}
	tried := make(map[float64]*Losses)
	c, err := calibrate(target, func(sigma float64) (float64, error) {
		p.watch.stage(fmt.Sprintf("calibrating, step %d: losses of all pairs at noise multiplier %.6g", len(tried)+1, sigma))
		l, err := p.lossesAt(sigma, m)
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
