package model

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Gauge scores parameters on the same examples again and again, as the points of a
// curve. It computes once everything that does not depend on the parameters. Its scores equal
// Objective.Score and Objective.Minimised, up to rounding. It is safe for
// concurrent use.
type Gauge struct {
	objective Objective
	examples  Examples
	weights   []float64 // of the examples in the objective; nil: nothing is minimised
	clip      float64
	rows      []gaugedRow // of a logistic regression
}

// A gaugedRow is an example of a logistic regression: its label, the label's weight, and
// its share and bend in the objective, if there is one.
type gaugedRow struct {
	y, weight float64
	share     float64 // Gauge.weights
	bend      bend
}

// NewGauge returns a Gauge on ex. weights and clip are those of Minimised. A nil weights means that
// nothing is minimised.
func NewGauge(o Objective, ex Examples, weights []float64, clip float64) *Gauge {
	g := &Gauge{objective: o, examples: ex, weights: weights, clip: clip}
	l, ok := o.Model.(Logistic)
	if !ok {
		return g
	}
	g.rows = make([]gaugedRow, ex.Len())
	for i := range g.rows {
		x, y := ex.Row(i)
		g.rows[i] = gaugedRow{y: y, weight: l.weight(y)}
		if weights != nil {
			g.rows[i].share, g.rows[i].bend = weights[i], l.bend(x, y, clip)
		}
	}
	return g
}

// Len returns the number of examples.
func (g *Gauge) Len() int { return g.examples.Len() }

// A Gauged holds the scores of one model by a Gauge.
type Gauged struct {
	Loss, Accuracy float64
	Minimised      float64 // NaN where nothing is
}

// At returns Score and Minimised at theta.
func (g *Gauge) At(theta []float64) (out Gauged) {
	if g.rows != nil {
		out = g.logistic(theta)
	} else {
		out.Loss, out.Accuracy = g.objective.Score(theta, g.examples)
	}
	switch {
	case g.weights == nil:
		out.Minimised = math.NaN()
	case g.rows != nil:
		out.Minimised += g.objective.Penalty(theta)
	default:
		out.Minimised = g.objective.Minimised(theta, g.examples, g.weights, g.clip)
	}
	return out
}

// gaugedAtOnce is the number of examples whose losses a gauge adds up at once.
const gaugedAtOnce = 64

// logistic computes At without the penalty, with one margin and one logarithm an example, the
// logarithms many at once.
func (g *Gauge) logistic(theta []float64) (out Gauged) {
	var of, plain [gaugedAtOnce]float64
	correct := 0
	for first := 0; first < len(g.rows); first += gaugedAtOnce {
		rows := g.rows[first:min(first+gaugedAtOnce, len(g.rows))]
		block := g.examples.Slice(first, first+len(rows))
		margins(of[:sparse.Fours(len(rows))], theta, &block)
		for i := range rows {
			z := of[i]
			correct += index((z >= 0) == (rows[i].y > 0))
			of[i] = float64(rows[i].y * z)
			plain[i] = -of[i]
		}
		math.SoftplusAll(plain[:len(rows)], plain[:len(rows)])
		for i := range rows {
			row := &rows[i]
			plain := float64(row.weight * plain[i])
			out.Loss += plain
			clipped, below := math.Float64bits(plain), math.Float64bits(row.bend.below(of[i]))
			if of[i] < row.bend.from { // a choice of bits needs no branch, which nothing would foretell
				clipped = below
			}
			out.Minimised += float64(row.share * math.Float64frombits(clipped))
		}
	}
	n := float64(len(g.rows))
	out.Loss, out.Accuracy = out.Loss/n, float64(correct)/n
	return out
}
