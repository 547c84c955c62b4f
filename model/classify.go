package model

import (
	"math"
	"slices"
)

// A Classified says how a classifier does on rows with labels -1 and +1. It
// predicts +1 where the margin is at least 0: a probability of a half.
type Classified struct {
	Confusion [2][2]int // rows by true label, then by predicted label, -1 first
	AUC       float64   // chance that a positive row has a larger margin than a negative one; NaN without both
}

// Classify counts what a linear classifier says of ex. Time is n log n in rows.
func Classify(m Linear, theta []float64, ex Examples) Classified {
	var c Classified
	margins, positive := make([]float64, ex.Len()), make([]bool, ex.Len())
	for i := range margins {
		x, y := ex.Row(i)
		margins[i], positive[i] = margin(theta, x), y > 0
		c.Confusion[index(positive[i])][index(margins[i] >= 0)]++
	}
	c.AUC = auc(margins, positive)
	return c
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

// Rate is the share of rows of a label that are predicted as such; NaN without
// any.
func (c Classified) Rate(label int) float64 {
	row := c.Confusion[label]
	return float64(row[label]) / float64(row[0]+row[1])
}

// Balanced is the mean of both rates: 1/2 for any constant answer. NaN where a
// label does not occur.
func (c Classified) Balanced() float64 { return (c.Rate(0) + c.Rate(1)) / 2 }

// Base is the share of +1 among the rows.
func (c Classified) Base() float64 {
	negative, positive := c.Confusion[0][0]+c.Confusion[0][1], c.Confusion[1][0]+c.Confusion[1][1]
	return float64(positive) / float64(negative+positive)
}

// A Predicted says how a linear regression does: the root of the mean squared
// residual, and the mean absolute one.
type Predicted struct{ RMSE, MAE float64 }

// Residuals of a linear regression on ex; NaN without rows.
func Residuals(theta []float64, ex Examples) Predicted {
	var square, absolute float64
	for i := range ex.Len() {
		x, y := ex.Row(i)
		r := margin(theta, x) - y
		square, absolute = square+r*r, absolute+math.Abs(r)
	}
	n := float64(ex.Len())
	return Predicted{RMSE: math.Sqrt(square / n), MAE: absolute / n}
}
