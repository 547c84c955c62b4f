package gossipview

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A curve is a growing loss as a function of the energy of a Gaussian view, for millions of pairs, because an
// exact loss at a delta costs many microseconds. It is exact at grid points. Between two points that differ
// little it interpolates linearly in logarithms; elsewhere it takes the upper point, or the lower one for a
// lower bound.
type curve struct {
	loss  func(energy float64) float64
	lower bool            // the loss is a lower bound
	known map[int]float64 // by grid point
}

const (
	gridWidth = 1e-3 // in log energy
	// curveMargin covers the largest amount by which a straight line between grid points can fall short:
	// gridWidth^2/8 times the curvature. The curvature is about the square of the slope where a loss rises from
	// 0, so below 7 wherever a line is drawn.
	curveMargin = 1e-6
	straight    = 1 + 2.5*gridWidth // largest ratio of neighbours with a line between them
)

func newCurve(loss func(float64) float64, status privacy.Status) *curve {
	return &curve{loss: loss, lower: status == privacy.Audit, known: make(map[int]float64)}
}

// Curve returns the loss of a Gaussian view as a function of its energy over sigma^2, for many energies. It
// exceeds the exact loss by at most two parts in 10^6; a lower bound is less by as much. It caches values and
// is not safe for concurrent use.
func Curve(m privacy.Metric, status privacy.Status) func(energy float64) float64 {
	return newCurve(m.GaussianView, status).at
}

// at returns the loss, or up to two parts in 10^6 more where the curve is smooth. A lower bound is less by as
// much. It caches values, and is not safe for concurrent use unless fill has been called for all energies to
// come.
func (c *curve) at(energy float64) float64 {
	if energy == 0 {
		return 0
	}
	where := position(energy)
	below := math.Floor(where)
	between := c.between(int(below))
	return between.at(where - below)
}

// position returns the position of an energy on the grid.
func position(energy float64) float64 { return math.Log(energy) / gridWidth }

// A segment approximates the loss between two points of the grid: start times exp(growth times the position
// between them, from 0 to 1).
type segment struct{ start, growth float64 }

// between returns the segment above grid point k.
func (c *curve) between(k int) segment {
	low, high := c.point(k), c.point(k+1)
	margin := 1 + curveMargin
	if c.lower {
		margin = 1 - curveMargin
	}
	switch {
	case low > 0 && high <= low*straight:
		return segment{low * margin, math.Log(high / low)}
	case c.lower:
		return segment{start: low}
	}
	return segment{start: high}
}

// at returns the loss at a position in the segment. growth is below 2.5 gridWidth, so that the truncated series
// of the exponential is exact to 10^-15.
func (s segment) at(part float64) float64 {
	x := part * s.growth
	return s.start * (1 + float64(x*(1+float64(x/2*(1+float64(x/3*(1+float64(x/4))))))))
}

func (c *curve) point(k int) float64 {
	loss, ok := c.known[k]
	if !ok {
		loss = c.loss(math.Exp(float64(k) * gridWidth))
		c.known[k] = loss
	}
	return loss
}

// fill computes everything that at needs for energies from low to high, so that at is then safe for concurrent
// use.
func (c *curve) fill(low, high float64) {
	for k := int(math.Floor(math.Log(low) / gridWidth)); k <= int(math.Floor(math.Log(high)/gridWidth))+1; k++ {
		c.point(k)
	}
}

// Table returns At for many pairs: exact for small graphs, from a curve otherwise. The returned function is
// safe for concurrent use.
func (l *Losses) Table() func(u, v int) float64 {
	if l.pairs.Drawn != nil && l.Sigma > 0 {
		return l.sampledTable()
	}
	if !l.pairs.many() || l.Sigma == 0 {
		return l.At
	}
	c, low, high := l.curve(), math.Inf(1), 0.0
	for _, value := range l.pairs.Values {
		if value > 0 {
			low, high = min(low, value), max(high, value)
		}
	}
	variance := l.Sigma * l.Sigma
	c.fill(low/variance, high/variance)
	return func(u, v int) float64 { return c.at(l.pairs.At(u, v) / variance) }
}
