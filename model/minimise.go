package model

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Minimise minimises the plain mean loss over ex plus the penalty by accelerated gradient descent (Nesterov 1983, restarted where it
// turns back) from 0. Each of the iterations ends with the regulariser's proximal step (Beck and Teboulle 2009). If the loss
// is not smooth, it uses gradient descent from start instead. ex must not be empty.
func (o Objective) Minimise(ex Examples, start []float64, iterations int) []float64 {
	return o.minimise(ex, start, nil, iterations)
}

// minimise does the same as Minimise with the penalty L2/2 norm(theta - centre)^2, from centre. A nil centre stands for 0.
func (o Objective) minimise(ex Examples, start, centre []float64, iterations int) []float64 {
	if math.IsInf(o.Guarantees(longest(ex)).Smoothness(), 1) {
		return o.descend(ex, start, centre, iterations)
	}
	d := o.Params(ex.Features)
	theta, ahead, before, gradient, sum := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
	copy(theta, centre)
	copy(ahead, centre)
	rate, batch := 1/o.Guarantees(longest(ex)).Smoothness(), NewBatch(o.Model)
	for k, age := 0, 0; k < iterations; k, age = k+1, age+1 {
		o.slopeAt(batch, sum, gradient, ahead, centre, ex)
		copy(before, theta)
		copy(theta, ahead)
		sparse.Axpy(theta, -rate, sum)
		if !o.Regulariser.None() {
			o.Regulariser.Prox(theta, theta, rate)
			for i := range sum {
				sum[i] = ahead[i] - theta[i]
			}
		}
		turn := 0.0
		for i := range theta {
			turn += float64(sum[i] * (theta[i] - before[i]))
		}
		if turn > 0 {
			age = 0
		}
		momentum := float64(age) / float64(age+3)
		for i := range ahead {
			ahead[i] = theta[i] + float64(momentum*(theta[i]-before[i]))
		}
	}
	return theta
}

// descend runs gradient descent. Its steps grow a little as long as the objective
// falls, and are halved and taken back if it does not.
func (o Objective) descend(ex Examples, start, centre []float64, iterations int) []float64 {
	theta, sum, scratch := slices.Clone(start), make([]float64, len(start)), make([]float64, len(start))
	value := func(theta []float64) float64 {
		loss, _ := o.Score(theta, ex)
		return loss + o.penalty(theta, centre)
	}
	rate, at, batch := 1.0, value(theta), NewBatch(o.Model)
	o.slopeAt(batch, sum, scratch, theta, centre, ex)
	for range iterations {
		next := slices.Clone(theta)
		sparse.Axpy(next, -rate, sum)
		o.Regulariser.Prox(next, next, rate)
		if now := value(next); now < at {
			theta, at, rate = next, now, 1.2*rate
			o.slopeAt(batch, sum, scratch, theta, centre, ex)
			continue
		}
		rate /= 2
	}
	return theta
}

// slopeAt sets sum to the gradient at theta; batch is NewBatch of the model.
func (o Objective) slopeAt(batch *Batch, sum, scratch, theta, centre []float64, ex Examples) {
	clear(sum)
	if batch != nil {
		for lo := 0; lo < ex.Len(); lo += batch.Rows() {
			block := ex.Slice(lo, min(lo+batch.Rows(), ex.Len()))
			weight := batch.At(theta, block)
			for i := range weight {
				weight[i] = 1 / float64(ex.Len())
			}
			batch.Add(sum, weight)
		}
		o.pull(sum, theta, centre)
		return
	}
	if e, ok := o.Model.(External); ok {
		e.slopeAt(sum, theta, ex)
		o.pull(sum, theta, centre)
		return
	}
	for i := range ex.Len() {
		x, y := ex.Row(i)
		o.Gradient(scratch, theta, x, y)
		sparse.Axpy(sum, 1/float64(ex.Len()), scratch)
	}
	o.pull(sum, theta, centre)
}

// pull adds the gradient of the penalty.
func (o Objective) pull(sum, theta, centre []float64) {
	sparse.Axpy(sum, o.L2, theta)
	if centre != nil {
		sparse.Axpy(sum, -o.L2, centre)
	}
}

// penalty returns the penalty around a centre, plus the regulariser.
func (o Objective) penalty(theta, centre []float64) float64 {
	if centre == nil {
		return o.Penalty(theta)
	}
	distance := make([]float64, len(theta))
	for i, v := range theta {
		distance[i] = v - centre[i]
	}
	norm := sparse.Norm(distance)
	return float64(o.L2/2*norm*norm) + o.Regulariser.Value(theta)
}

// longest returns the largest norm of a row, at least a tiny one.
func longest(ex Examples) float64 {
	most := 1e-100
	for i := range ex.Len() {
		x, _ := ex.Row(i)
		most = math.Max(most, RowNorm(x, false))
	}
	return most
}
