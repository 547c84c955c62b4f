package model

import "github.com/hearsay-dp/hearsay/internal/math"

// A Tally sums up the predictions of one or several models on rows that none of them was fitted to.
type Tally struct {
	Rows             int
	Confusion        [][]int // as Classified.Confusion; nil for regressions, and before the first rows
	square, distance float64 // of regressions: sums over rows
}

// Add adds the predictions of a model on rows.
func (t *Tally) Add(m Predictor, theta []float64, rows Examples) {
	one := Tally{Rows: rows.Len()}
	switch n := float64(one.Rows); {
	case m.Classes() > 0:
		one.Confusion = Classify(m, theta, rows).Confusion
	case n > 0:
		off := Residuals(m, theta, rows)
		one.square, one.distance = float64(off.RMSE*off.RMSE)*n, off.MAE*n
	}
	t.Merge(&one)
}

// Merge adds the predictions that another tally has.
func (t *Tally) Merge(other *Tally) {
	t.Rows, t.square, t.distance = t.Rows+other.Rows, t.square+other.square, t.distance+other.distance
	if t.Confusion == nil && other.Confusion != nil {
		t.Confusion = make([][]int, len(other.Confusion))
		for i, row := range other.Confusion {
			t.Confusion[i] = make([]int, len(row))
		}
	}
	for i, row := range other.Confusion {
		for j, n := range row {
			t.Confusion[i][j] += n
		}
	}
}

// Right returns the share of rows that are predicted rightly, NaN without rows.
func (t *Tally) Right() float64 {
	right := 0
	for i, row := range t.Confusion {
		right += row[i]
	}
	return float64(right) / float64(t.Rows)
}

// Balanced returns the mean of the recalls, NaN if rows lack a class.
func (t *Tally) Balanced() float64 { return Classified{Confusion: t.Confusion}.Balanced() }

// RMSE returns the root of the mean squared error of a regression.
func (t *Tally) RMSE() float64 { return math.Sqrt(t.square / float64(t.Rows)) }

// MAE returns the mean distance of the predictions of a regression.
func (t *Tally) MAE() float64 { return t.distance / float64(t.Rows) }
