package model

import (
	"github.com/hearsay-dp/hearsay/internal/math"
)

// A head is the loss of outputs. For classes it is the cross entropy of their softmax,
// times the weight of the true class. For 0 classes it is half the squared difference of
// the one output from the label.
type head struct {
	classes int
	weights []float64 // of the classes; nil: all 1
}

// outputs returns the number of outputs.
func (h head) outputs() int { return max(1, h.classes) }

// weight returns the weight of class c.
func (h head) weight(c int) float64 {
	if h.weights == nil {
		return 1
	}
	return h.weights[c]
}

// largest returns the largest weight of a class.
func (h head) largest() float64 {
	if h.weights == nil {
		return 1
	}
	most := 0.0
	for _, w := range h.weights {
		most = max(most, w)
	}
	return most
}

// ClassOf returns the number of a label's class. Labels are -1 and +1 for
// two classes, and 0, 1, ... for more. It panics for other labels of more than two classes.
func ClassOf(y float64, classes int) int {
	c := int(y)
	if classes == 2 {
		c = index(y > 0)
	}
	if c < 0 || c >= classes || classes > 2 && float64(c) != y {
		panic("model: a label that is no class")
	}
	return c
}

// LabelOf returns the label of class c; see ClassOf.
func LabelOf(c, classes int) float64 {
	if classes == 2 {
		return float64(2*c - 1)
	}
	return float64(c)
}

// loss returns the loss of the outputs z.
func (h head) loss(z []float64, y float64) float64 {
	if h.classes == 0 {
		return (z[0] - y) * (z[0] - y) / 2
	}
	c := ClassOf(y, h.classes)
	top, sum := largestOf(z), 0.0
	for _, v := range z {
		sum += math.Exp(v - top)
	}
	return h.weight(c) * (math.Log(sum) + top - z[c])
}

// slope turns the outputs z into the derivatives of the loss in them.
func (h head) slope(z []float64, y float64) {
	if h.classes == 0 {
		z[0] -= y
		return
	}
	c := ClassOf(y, h.classes)
	softmax(z)
	z[c]--
	if w := h.weight(c); w != 1 {
		for i := range z {
			z[i] *= w
		}
	}
}

// softmax turns outputs into probabilities.
func softmax(z []float64) {
	top, sum := largestOf(z), 0.0
	for i, v := range z {
		z[i] = math.Exp(v - top)
		sum += z[i]
	}
	for i := range z {
		z[i] /= sum
	}
}

// largestOf returns the largest number of z, NaN if one is NaN.
func largestOf(z []float64) float64 {
	top := z[0]
	for _, v := range z[1:] {
		top = math.Max(top, v)
	}
	return top
}

// Largest returns the place of the largest number of z, the first of equal ones: the
// class that outputs predict.
func Largest(z []float64) int {
	best := 0
	for i, v := range z {
		if v > z[best] {
			best = i
		}
	}
	return best
}
