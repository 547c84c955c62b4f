package model

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Lasso minimises the mean over ex of half the squared residual, plus weight norm(theta)_1
// and l2/2 norm(theta)^2, by cyclic coordinate descent (Friedman, Hastie, Höfling and Tibshirani
// 2007). It uses no gradients, steps or proximal operators of vectors, so that it can
// check methods that do. It ends when no coordinate violates its condition of
// optimality by more than tolerance, or after that many sweeps. off is the largest violation.
// With intercept the last parameter is an intercept, under the same penalties. ex must
// not be empty.
func Lasso(ex Examples, intercept bool, weight, l2, tolerance float64, sweeps int) (theta []float64, off float64) {
	c := newCoordinates(ex, intercept)
	for range sweeps {
		for j := range c.theta {
			c.minimise(j, weight, l2)
		}
		if off = c.violation(weight, l2); off <= tolerance {
			break
		}
	}
	return c.theta, off
}

// coordinates holds the columns of a problem and the state of the search.
type coordinates struct {
	column   [][]float64
	square   []float64 // mean square of each column
	residual []float64 // y - X theta
	theta    []float64
}

func newCoordinates(ex Examples, intercept bool) *coordinates {
	d, n := linearParams(ex.Features, intercept), ex.Len()
	c := &coordinates{residual: append([]float64(nil), ex.Y...), theta: make([]float64, d), square: make([]float64, d)}
	for j := range d {
		column := make([]float64, n)
		for i := range column {
			column[i] = 1
			if j < ex.Features {
				column[i] = ex.X[i*ex.Features+j]
			}
		}
		c.column, c.square[j] = append(c.column, column), sparse.Dot(column, column)/float64(n)
	}
	return c
}

// slope returns the derivative of the mean loss in coordinate j.
func (c *coordinates) slope(j int) float64 {
	return -sparse.Dot(c.column[j], c.residual) / float64(len(c.residual))
}

// minimise moves coordinate j to where the objective is least, the others as they are.
func (c *coordinates) minimise(j int, weight, l2 float64) {
	if c.square[j]+l2 == 0 {
		return
	}
	pull := float64(c.square[j]*c.theta[j]) - c.slope(j)
	next := math.Copysign(math.Max(0, math.Abs(pull)-weight), pull) / (c.square[j] + l2)
	sparse.Axpy(c.residual, c.theta[j]-next, c.column[j])
	c.theta[j] = next
}

// violation returns the largest violation of the condition of optimality. By that condition the slope of the
// smooth part is -weight times the sign of a coordinate, and within weight of 0 at 0.
func (c *coordinates) violation(weight, l2 float64) (most float64) {
	for j, x := range c.theta {
		slope := c.slope(j) + float64(l2*x)
		if x == 0 {
			most = math.Max(most, math.Abs(slope)-weight)
		} else {
			most = math.Max(most, math.Abs(slope+math.Copysign(weight, x)))
		}
	}
	return most
}
