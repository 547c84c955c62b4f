package model

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Classified says how a classifier does on some rows.
type Classified struct {
	Confusion [][]int // rows by true class, then by predicted class
	AUC       float64 // of two classes: the chance that a row of the second has a larger margin than one of the first; NaN without both, and of more
}

// Classify counts the predictions of a classifier on ex. It predicts the class of the largest
// output. If two classes share one output, a margin, it predicts the second from 0 on, which is a
// probability of a half. Time is n log n in rows.
func Classify(m Predictor, theta []float64, ex Examples) Classified {
	classes := m.Classes()
	c := Classified{Confusion: make([][]int, classes), AUC: math.NaN()}
	for i := range c.Confusion {
		c.Confusion[i] = make([]int, classes)
	}
	var margins [2][]float64 // of negatives and of positives, of two classes
	if classes == 2 {
		margins = [2][]float64{make([]float64, 0, ex.Len()), make([]float64, 0, ex.Len())}
	}
	EachOutputs(m, theta, ex, func(i int, z []float64) {
		c.Confusion[ClassOf(ex.Y[i], classes)][Predicts(z)]++
		if classes == 2 {
			of := &margins[index(ex.Y[i] > 0)]
			*of = append(*of, marginOf(z))
		}
	})
	if classes == 2 {
		c.AUC = auc(margins[0], margins[1])
	}
	return c
}

// Classified returns the classification of ex by a model. It returns false for a model that tells no classes apart, or does not say which.
func (o Objective) Classified(theta []float64, ex Examples) (Classified, bool) {
	switch m := o.Model.(type) {
	case External:
		return m.classified(theta, ex)
	case Predictor:
		if m.Classes() > 0 {
			return Classify(m, theta, ex), true
		}
	}
	return Classified{}, false
}

// Predicts returns the class that outputs predict.
func Predicts(z []float64) int {
	if len(z) == 1 {
		return index(z[0] >= 0)
	}
	return Largest(z)
}

// marginOf returns the margin of the second of two classes, from one output or from two.
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

// auc returns the Mann-Whitney statistic over the number of pairs; ties count half.
func auc(negatives, positives []float64) float64 {
	slices.Sort(negatives)
	slices.Sort(positives)
	if len(negatives) > 0 && math.IsNaN(negatives[0]) || len(positives) > 0 && math.IsNaN(positives[0]) {
		return math.NaN()
	}
	var wins float64 // pairs that are in order, ties as half of one
	below, upTo := 0, 0
	for _, z := range positives {
		for below < len(negatives) && negatives[below] < z {
			below++
		}
		for upTo = max(upTo, below); upTo < len(negatives) && negatives[upTo] == z; upTo++ {
		}
		wins += float64(below) + float64(float64(upTo-below)/2)
	}
	return wins / (float64(len(negatives)) * float64(len(positives)))
}

// rows returns the number of rows of a class.
func (c Classified) rows(class int) (sum int) {
	for _, n := range c.Confusion[class] {
		sum += n
	}
	return sum
}

// Rate returns the share of rows of a class that are predicted as such. It returns NaN if the class has no rows.
func (c Classified) Rate(class int) float64 {
	return float64(c.Confusion[class][class]) / float64(c.rows(class))
}

// Balanced returns the balanced accuracy, the mean of all rates. It is one over their number for a constant prediction.
// It is NaN if a class does not occur.
func (c Classified) Balanced() float64 {
	sum := 0.0
	for class := range c.Confusion {
		sum += c.Rate(class)
	}
	return sum / float64(len(c.Confusion))
}

// Share returns the share of a class among the rows.
func (c Classified) Share(class int) float64 {
	all := 0
	for other := range c.Confusion {
		all += c.rows(other)
	}
	return float64(c.rows(class)) / float64(all)
}

// A Predicted holds the errors of a regression: the root of the mean squared residual,
// and the mean absolute one.
type Predicted struct{ RMSE, MAE float64 }

// Residuals returns the errors of a regression on ex. They are NaN without rows.
func Residuals(m Predictor, theta []float64, ex Examples) Predicted {
	var square, absolute float64
	EachOutputs(m, theta, ex, func(i int, z []float64) {
		r := z[0] - ex.Y[i]
		square, absolute = square+float64(r*r), absolute+math.Abs(r)
	})
	n := float64(ex.Len())
	return Predicted{RMSE: math.Sqrt(square / n), MAE: absolute / n}
}
