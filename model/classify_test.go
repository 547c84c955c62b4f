package model

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// AUC against its definition, pair by pair; the confusion matrix against Correct.
func TestClassifyIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "rows")
		ex := Examples{Features: 1, X: make([]float64, n), Y: make([]float64, n)}
		for i := range n {
			ex.X[i] = float64(rapid.IntRange(-3, 3).Draw(t, "x")) // ties are common
			ex.Y[i] = rapid.SampledFrom([]float64{-1, 1}).Draw(t, "y")
		}
		m, theta := Logistic{Intercept: true}, []float64{rapid.Float64Range(-2, 2).Draw(t, "theta"), 0.5}
		got := Classify(m, theta, ex)
		var wins, pairs float64
		correct := 0
		for i := range n {
			x, y := ex.Row(i)
			if m.Correct(theta, x, y) {
				correct++
			}
			for j := range n {
				if ex.Y[i] < 0 || ex.Y[j] > 0 {
					continue
				}
				pairs++
				switch a, b := margin(theta, x), margin(theta, ex.X[j:j+1]); {
				case a > b:
					wins++
				case a == b:
					wins += 0.5
				}
			}
		}
		if want := wins / pairs; !(math.Abs(got.AUC-want) < 1e-12) && pairs > 0 || math.IsNaN(got.AUC) != (pairs == 0) {
			t.Fatalf("AUC %g, want %g", got.AUC, want)
		}
		if c := got.Confusion; c[0][0]+c[1][1] != correct || c[0][0]+c[0][1]+c[1][0]+c[1][1] != n {
			t.Fatalf("confusion %v with %d of %d right", c, correct, n)
		}
	})
}

// A constant answer is right as often as its label is there, and no better than
// a coin by the balanced accuracy and the AUC.
func TestMajorityIsNoBetterThanACoin(t *testing.T) {
	ex := Examples{Features: 1, X: make([]float64, 100), Y: make([]float64, 100)}
	for i := range ex.Y {
		ex.X[i], ex.Y[i] = float64(i), -1
	}
	ex.Y[3], ex.Y[50] = 1, 1
	c := Classify(Logistic{Intercept: true}, []float64{0, -1}, ex)
	if !reflect.DeepEqual(c.Confusion, [][]int{{98, 0}, {2, 0}}) || c.Balanced() != 0.5 || c.AUC != 0.5 || c.Share(1) != 0.02 {
		t.Errorf("%+v, balanced %g, base %g", c, c.Balanced(), c.Share(1))
	}
	if one := Classify(Logistic{}, []float64{1}, Examples{Features: 1, X: []float64{1}, Y: []float64{1}}); !math.IsNaN(one.AUC) || !math.IsNaN(one.Balanced()) {
		t.Errorf("one label only: %+v", one)
	}
}
