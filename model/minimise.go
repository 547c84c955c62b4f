package model

import (
	"math"

	"github.com/hearsay-dp/hearsay/sparse"
)

// Minimise is accelerated gradient descent (Nesterov 1983, restarted where it
// turns back) on the plain mean loss over ex plus the penalty, from 0, so many
// iterations. ex is not empty.
func (o Objective) Minimise(ex Examples, iterations int) []float64 {
	d := o.Params(ex.Features)
	theta, ahead, before, gradient, sum := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
	rate := 1 / o.Guarantees(longest(ex)).Smoothness()
	for k, age := 0, 0; k < iterations; k, age = k+1, age+1 {
		o.slopeAt(sum, gradient, ahead, ex)
		copy(before, theta)
		copy(theta, ahead)
		sparse.Axpy(theta, -rate, sum)
		turn := 0.0
		for i := range theta {
			turn += sum[i] * (theta[i] - before[i])
		}
		if turn > 0 {
			age = 0
		}
		momentum := float64(age) / float64(age+3)
		for i := range ahead {
			ahead[i] = theta[i] + momentum*(theta[i]-before[i])
		}
	}
	return theta
}

// slopeAt sets sum to the gradient at theta.
func (o Objective) slopeAt(sum, scratch, theta []float64, ex Examples) {
	clear(sum)
	for i := range ex.Len() {
		x, y := ex.Row(i)
		o.Gradient(scratch, theta, x, y)
		sparse.Axpy(sum, 1/float64(ex.Len()), scratch)
	}
	sparse.Axpy(sum, o.L2, theta)
}

// longest is the largest norm of a row, at least a tiny one.
func longest(ex Examples) float64 {
	most := 1e-100
	for i := range ex.Len() {
		x, _ := ex.Row(i)
		most = math.Max(most, RowNorm(x, false))
	}
	return most
}
