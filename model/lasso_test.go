package model

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Coordinate descent ends at an optimum, and where proximal gradient descent ends.
func TestLassoIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, n := rapid.IntRange(1, 6).Draw(t, "d"), rapid.IntRange(1, 15).Draw(t, "n")
		number := rapid.Float64Range(-2, 2)
		ex := Examples{Features: d, X: rapid.SliceOfN(number, n*d, n*d).Draw(t, "X"), Y: rapid.SliceOfN(number, n, n).Draw(t, "Y")}
		intercept, weight := rapid.Bool().Draw(t, "intercept"), rapid.Float64Range(0, 1).Draw(t, "weight")
		theta, off := Lasso(ex, intercept, weight, 0.05, 1e-10, 100000)
		o := Objective{Model: Ridge{Intercept: intercept}, L2: 0.05, Regulariser: Regulariser{Kind: L1, Weight: weight}}
		other := o.Minimise(ex, nil, 3000)
		value := func(x []float64) float64 {
			loss, _ := o.Score(x, ex)
			return loss + o.Penalty(x)
		}
		if off > 1e-10 || value(theta) > value(other)+1e-9 {
			t.Fatalf("off by %g: %v of value %g, by gradients %v of value %g", off, theta, value(theta), other, value(other))
		}
		for j := range theta {
			if math.Abs(theta[j]-other[j]) > 1e-3 {
				t.Fatalf("%v, by gradients %v", theta, other)
			}
		}
	})
}
