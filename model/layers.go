package model

import (
	"github.com/hearsay-dp/hearsay/internal/math"
)

// layers describes dense layers with tanh between them and nothing after the last. The
// parameters are those of each layer in turn: a row of weights for each of its
// units, then, with intercept, a constant for each.
type layers struct {
	widths    []int // of the input, of every hidden layer, of the output
	intercept bool
}

// layersOf returns the layers between that many inputs and outputs.
func layersOf(features int, hidden []int, outputs int, intercept bool) layers {
	widths := append(append(make([]int, 0, len(hidden)+2), features), hidden...)
	return layers{widths: append(widths, outputs), intercept: intercept}
}

// count returns the number of layers, the input not counted.
func (l layers) count() int { return len(l.widths) - 1 }

// outputs returns the width of the last layer.
func (l layers) outputs() int { return l.widths[l.count()] }

// size returns the number of parameters of layer k.
func (l layers) size(k int) int {
	size := l.widths[k] * l.widths[k+1]
	if l.intercept {
		size += l.widths[k+1]
	}
	return size
}

// params returns the number of all parameters.
func (l layers) params() (sum int) {
	for k := range l.count() {
		sum += l.size(k)
	}
	return sum
}

// each calls do with the weights and the constants, nil without, of every layer
// in v, which is as long as the parameters.
func (l layers) each(v []float64, do func(k int, weights, constants []float64)) {
	for k := range l.count() {
		n := l.widths[k] * l.widths[k+1]
		var constants []float64
		if l.intercept {
			constants = v[n:l.size(k)]
		}
		do(k, v[:n], constants)
		v = v[l.size(k):]
	}
}

// forward returns the output for one example, and the input of every layer. It is the
// obvious loop, which Batch is tested against.
func (l layers) forward(theta, x []float64) (inputs [][]float64, output []float64) {
	output = x
	l.each(theta, func(k int, weights, constants []float64) {
		inputs = append(inputs, output)
		next := make([]float64, l.widths[k+1])
		for j := range next {
			for i, v := range output {
				next[j] += float64(weights[j*len(output)+i] * v)
			}
			if constants != nil {
				next[j] += constants[j]
			}
			if k+1 < l.count() {
				next[j] = tanh(next[j])
			}
		}
		output = next
	})
	return inputs, output
}

// backward sets dst to the gradient of a loss whose slopes in the outputs are
// slope, which it changes.
func (l layers) backward(dst, theta []float64, inputs [][]float64, slope []float64) {
	end := len(theta)
	for k := l.count() - 1; k >= 0; k-- {
		begin, in := end-l.size(k), inputs[k]
		weights, d := theta[begin:end], dst[begin:end]
		below := make([]float64, len(in))
		for j, s := range slope {
			for i, v := range in {
				d[j*len(in)+i] = s * v
				below[i] += float64(s * weights[j*len(in)+i])
			}
			if l.intercept {
				d[len(in)*len(slope)+j] = s
			}
		}
		for i, v := range in {
			below[i] *= 1 - float64(v*v)
		}
		slope, end = below, begin
	}
}

// tanh returns the hyperbolic tangent, the same bits on every processor.
func tanh(x float64) float64 {
	e := math.Exp(-2 * math.Abs(x))
	return math.Copysign((1-e)/(1+e), x)
}
