package model

import (
	"math"
	"testing"
)

// A tally of parts is that of all rows at once.
func TestATallyOfPartsIsThatOfAll(t *testing.T) {
	ex := Examples{Features: 1, X: []float64{-2, -1, 1, 2, 3}, Y: []float64{-1, 1, 1, -1, 1}}
	part := func(from, to int) Examples { return Examples{Features: 1, X: ex.X[from:to], Y: ex.Y[from:to]} }
	theta := []float64{1, 0}
	for _, m := range []Predictor{Logistic{Intercept: true}, Ridge{Intercept: true}} {
		var all, parts Tally
		all.Add(m, theta, ex)
		for _, p := range []Examples{part(0, 2), part(2, 2), part(2, 5)} {
			parts.Add(m, theta, p)
		}
		if parts.Rows != 5 || math.Abs(parts.RMSE()-all.RMSE()) > 1e-12 || math.Abs(parts.MAE()-all.MAE()) > 1e-12 || parts.Right() != all.Right() {
			t.Errorf("%T: %+v, want %+v", m, parts, all)
		}
		if m.Classes() > 0 && (all.Right() != 0.6 || parts.Balanced() != all.Balanced()) {
			t.Errorf("right %g of %v", all.Right(), all.Confusion)
		}
	}
}
