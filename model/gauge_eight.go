package model

import (
	"github.com/hearsay-dp/hearsay/internal/math"
)

// Together is the number of models that a Gauge scores at a time, if it can: each example is read once for all of them.
const Together = 8

// AtAll sets dst[i] to At(thetas[i]), bit for bit.
func (g *Gauge) AtAll(dst []Gauged, thetas [][]float64) {
	for len(thetas) > 0 {
		n := 1
		if haveEight && len(g.rows) > 0 && g.examples.Features > 0 && len(thetas) > 1 {
			n = min(len(thetas), Together)
			g.eight(dst[:n], thetas[:n])
		} else {
			dst[0] = g.At(thetas[0])
		}
		dst, thetas = dst[n:], thetas[n:]
	}
}

// eight computes AtAll for at most Together models of a logistic regression. Each has a place in every vector, so that its
// sums are made in the order of At. Places beyond the last model hold zeros.
func (g *Gauge) eight(dst []Gauged, thetas [][]float64) {
	var loss, minimised, correct, plus [Together]float64
	width := g.examples.Features
	beside := make([]float64, Together*width) // of each parameter, that of every model
	for k, theta := range thetas {
		for j, v := range theta[:width] {
			beside[Together*j+k] = v
		}
		if len(theta) > width {
			plus[k] = theta[width]
		}
	}
	var of, plain [Together * gaugedAtOnce]float64
	for first := 0; first < len(g.rows); first += gaugedAtOnce {
		rows := g.rows[first:min(first+gaugedAtOnce, len(g.rows))]
		margins512(&of[0], &plain[0], &rows[0], &g.examples.X[first*width], len(rows), width, &beside[0], &plus[0], &correct[0])
		math.SoftplusAll(plain[:Together*len(rows)], plain[:Together*len(rows)])
		losses512(&loss[0], &minimised[0], &of[0], &plain[0], &rows[0], len(rows))
	}
	n := float64(len(g.rows))
	for k, theta := range thetas {
		dst[k] = Gauged{loss[k] / n, correct[k] / n, math.NaN()}
		if g.weights != nil {
			dst[k].Minimised = minimised[k] + g.objective.Penalty(theta)
		}
	}
}
