package model

import (
	"math"
	"slices"
)

// A Classified says how a classifier does on some rows.
type Classified struct {
	Confusion [][]int // rows by true class, then by predicted class
	AUC       float64 // of two classes: the chance that a row of the second has a larger margin than one of the first; NaN without both, and of more
}

// Classify counts what a classifier says of ex. It predicts the class of the largest
// output, or the second of two where their one output, a margin, is at least 0: a
// probability of a half. Time is n log n in rows.
func Classify(m Predictor, theta []float64, ex Examples) Classified {
	classes := m.Classes()
	c := Classified{Confusion: make([][]int, classes), AUC: math.NaN()}
	for i := range c.Confusion {
		c.Confusion[i] = make([]int, classes)
	}
	margins, positive := make([]float64, ex.Len()), make([]bool, ex.Len())
	EachOutputs(m, theta, ex, func(i int, z []float64) {
		margins[i], positive[i] = marginOf(z), ex.Y[i] > 0
		c.Confusion[ClassOf(ex.Y[i], classes)][Predicts(z)]++
	})
	if classes == 2 {
		c.AUC = auc(margins, positive)
	}
	return c
}

// Predicts is the class that outputs are for.
func Predicts(z []float64) int {
	if len(z) == 1 {
		return index(z[0] >= 0)
	}
	return Largest(z)
}

// marginOf two classes.
func marginOf(z []float64) float64 {
	if len(z) == 1 {
		return z[0]
	}
	return z[1] - z[0]
}

func index(positive bool) int {
	if positive {
		return 1
	}
	return 0
}

// auc is the Mann-Whitney statistic over the number of pairs; ties count half.
func auc(margins []float64, positive []bool) float64 {
	order := make([]int, len(margins))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case margins[a] < margins[b]:
			return -1
		case margins[a] > margins[b]:
			return 1
		}
		return 0
	})
	var below, wins, positives float64 // negatives so far; pairs that are in order
	for start := 0; start < len(order); {
		end := start
		var negative, tied float64
		for ; end < len(order) && margins[order[end]] == margins[order[start]]; end++ {
			if positive[order[end]] {
				tied++
			} else {
				negative++
			}
		}
		if end == start { // not a number
			return math.NaN()
		}
		wins += tied * (below + negative/2)
		below, positives, start = below+negative, positives+tied, end
	}
	return wins / (below * positives)
}

// rows are how many there are of a class.
func (c Classified) rows(class int) (sum int) {
	for _, n := range c.Confusion[class] {
		sum += n
	}
	return sum
}

// Rate is the share of rows of a class that are predicted as such; NaN without any.
func (c Classified) Rate(class int) float64 {
	return float64(c.Confusion[class][class]) / float64(c.rows(class))
}

// Balanced is the mean of all rates: one over their number for any constant answer.
// NaN where a class does not occur.
func (c Classified) Balanced() float64 {
	sum := 0.0
	for class := range c.Confusion {
		sum += c.Rate(class)
	}
	return sum / float64(len(c.Confusion))
}

// Share is that of a class among the rows.
func (c Classified) Share(class int) float64 {
	all := 0
	for other := range c.Confusion {
		all += c.rows(other)
	}
	return float64(c.rows(class)) / float64(all)
}

// A Predicted says how a regression does: the root of the mean squared residual,
// and the mean absolute one.
type Predicted struct{ RMSE, MAE float64 }

// Residuals of a regression on ex; NaN without rows.
func Residuals(m Predictor, theta []float64, ex Examples) Predicted {
	var square, absolute float64
	EachOutputs(m, theta, ex, func(i int, z []float64) {
		r := z[0] - ex.Y[i]
		square, absolute = square+r*r, absolute+math.Abs(r)
	})
	n := float64(ex.Len())
	return Predicted{RMSE: math.Sqrt(square / n), MAE: absolute / n}
}
