package model

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/tile"
	"github.com/hearsay-dp/hearsay/sparse"
)

// BlockRows is the largest number of examples that a Batch takes at once; see Batch.Rows.
const BlockRows = 256

// A Batch computes the outputs and gradients of a block of examples of a dense
// model together, by products of matrices. The gradient of one example is never
// written down. That of a layer is the outer product of the slopes in its units and
// of its input, so that its norm is the product of theirs (Goodfellow,
// arXiv:1510.01799). A weighted sum over examples is one more product.
//
// The layers of a ConvNet above its convolutions are dense too; see convolutions.
//
// It owns only scratch memory and must not be shared between goroutines.
type Batch struct {
	model        dense
	convolutions *convolutions // make the inputs of the first layer; nil: the examples are these
	product      tile.Product
	layers       layers
	theta        []float64
	examples     Examples
	inputs       [][]float64 // of every layer, row by row; the first is borrowed
	slopes       [][]float64 // in the units of every layer, before tanh or rectifiers
	norms        []float64
	spoilt       []int // examples whose gradients are not finite
}

// NewBatch returns a Batch for m. It returns nil for models whose gradients are slopes times examples, and for those of other packages.
func NewBatch(m Model) *Batch {
	switch m := m.(type) {
	case Multinomial:
		return &Batch{model: m.dense}
	case Network:
		return &Batch{model: m.dense}
	case ConvNet:
		return &Batch{model: dense{hidden: []int{m.hidden}, head: m.head, intercept: true}, convolutions: newConvolutions(m)}
	}
	return nil
}

// writtenDown is the largest number of entries of gradients that a block writes down, 8 MB, unless one example has more.
const writtenDown = 1 << 20

// Rows returns how many examples At takes at most: BlockRows, or fewer of a model with many weights in convolutions.
func (b *Batch) Rows() int {
	if b.convolutions == nil {
		return BlockRows
	}
	return max(1, min(BlockRows, writtenDown/b.convolutions.net.Convolving()))
}

// Outputs returns the outputs of all examples at theta, one row after the other, borrowed.
// ex has at most BlockRows examples.
func (b *Batch) Outputs(theta []float64, ex Examples) []float64 {
	b.shape(theta, ex)
	b.forward()
	return b.slopes[len(b.slopes)-1]
}

// At moves to theta and ex, of at most Rows examples, and returns the norms
// of the gradients there; borrowed, and the caller may write over them.
func (b *Batch) At(theta []float64, ex Examples) []float64 {
	outputs := b.Outputs(theta, ex)
	k := b.layers.outputs()
	for i, y := range ex.Y {
		b.model.head.slope(outputs[i*k:(i+1)*k], y)
	}
	b.backward()
	return b.measure()
}

// clips reports whether the gradient of an example of ex, of any number of them, is longer than clip.
func (b *Batch) clips(theta []float64, ex Examples, clip float64) bool {
	for lo := 0; lo < ex.Len(); lo += b.Rows() {
		for _, norm := range b.At(theta, ex.Slice(lo, min(lo+b.Rows(), ex.Len()))) {
			if norm > clip {
				return true
			}
		}
	}
	return false
}

// Add adds the sum of weight[i] times the gradient of example i to dst. An example with weight
// 0 adds nothing, even if its gradient is not finite. Add may be called once after At.
func (b *Batch) Add(dst, weight []float64) {
	n := len(weight)
	b.leaveOut(weight)
	if b.convolutions != nil {
		convolving := b.convolutions.net.Convolving()
		b.convolutions.add(dst[:convolving], weight)
		dst = dst[convolving:]
	}
	b.layers.each(dst, func(k int, weights, constants []float64) {
		in, out := b.layers.widths[k], b.layers.widths[k+1]
		slopes := b.slopes[k]
		for i, w := range weight {
			weigh(slopes[i*out:(i+1)*out], w)
		}
		b.product.Add(weights, in, tile.Factor{Data: slopes, Row: out, Column: 1}, tile.Factor{Data: b.inputs[k], Row: in, Column: 1}, n, out, in)
		for i := 0; constants != nil && i < n; i++ {
			sparse.Axpy(constants, 1, slopes[i*out:(i+1)*out])
		}
	})
}

// weigh multiplies slopes by a weight; 0 clears them also where they are not finite.
func weigh(slopes []float64, w float64) {
	if w == 0 {
		clear(slopes)
		return
	}
	for j := range slopes {
		slopes[j] *= w
	}
}

// leaveOut clears the inputs of examples that weigh 0 because something of theirs is
// not finite: 0 times that is not 0.
func (b *Batch) leaveOut(weight []float64) {
	copied := false
	for _, i := range b.spoilt {
		if weight[i] != 0 {
			continue
		}
		if !copied {
			b.inputs[0], copied = append([]float64(nil), b.inputs[0]...), true // it is the caller's
		}
		if b.convolutions != nil {
			clear(b.convolutions.gradient(i))
		}
		for k, input := range b.inputs {
			in := b.layers.widths[k]
			clear(input[i*in : (i+1)*in])
		}
	}
}

// shape makes room for the layers and rows of ex.
func (b *Batch) shape(theta []float64, ex Examples) {
	features, convolving := ex.Features, 0
	if b.convolutions != nil {
		if ex.Features != b.convolutions.net.picture.Pixels() {
			panic("model: examples that are not the pictures of the network")
		}
		features, convolving = b.convolutions.net.Features(), b.convolutions.net.Convolving()
	}
	if b.layers.widths == nil || b.layers.widths[0] != features {
		b.layers = b.model.layers(features)
		b.inputs, b.slopes = make([][]float64, b.layers.count()), make([][]float64, b.layers.count())
	}
	if ex.Len() > BlockRows || len(theta) != convolving+b.layers.params() {
		panic("model: a block of too many examples, or parameters of another model")
	}
	b.theta, b.examples = theta[convolving:], ex
	n := ex.Len()
	b.inputs[0] = ex.X
	if b.convolutions != nil {
		b.convolutions.forward(theta, ex)
		b.inputs[0] = b.convolutions.features
	}
	for k := range b.slopes {
		b.slopes[k] = room(b.slopes[k], n*b.layers.widths[k+1])
		if k > 0 {
			b.inputs[k] = room(b.inputs[k], n*b.layers.widths[k])
		}
	}
	b.norms = room(b.norms, n)
}

// room returns a slice of n numbers, s itself where that is long enough.
func room[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// forward sets the inputs of all layers and, in the last slopes, the outputs.
func (b *Batch) forward() {
	n := b.examples.Len()
	b.layers.each(b.theta, func(k int, weights, constants []float64) {
		in, out := b.layers.widths[k], b.layers.widths[k+1]
		z := b.slopes[k]
		clear(z)
		b.product.Add(z, out, tile.Factor{Data: b.inputs[k], Row: 1, Column: in}, tile.Factor{Data: weights, Row: 1, Column: in}, in, n, out)
		for i := 0; constants != nil && i < n; i++ {
			sparse.Axpy(z[i*out:(i+1)*out], 1, constants)
		}
		if k+1 < b.layers.count() {
			b.unit(b.inputs[k+1], z)
		}
	})
}

// unit sets dst to the outputs of hidden units whose inputs are z: rectifiers in a ConvNet, else tanh.
func (b *Batch) unit(dst, z []float64) {
	if b.convolutions != nil {
		for i, v := range z {
			dst[i] = max(0, v)
		}
		return
	}
	for i, v := range z {
		dst[i] = tanh(v)
	}
}

// backward turns the slopes in the outputs into those in the units of all layers.
func (b *Batch) backward() {
	n, end := b.examples.Len(), len(b.theta)
	for k := b.layers.count() - 1; k >= 0; k-- {
		in, out := b.layers.widths[k], b.layers.widths[k+1]
		end -= b.layers.size(k)
		var below []float64
		switch {
		case k > 0:
			below = b.slopes[k-1]
		case b.convolutions != nil:
			below = b.convolutions.slopeRoom()
		default:
			return
		}
		clear(below)
		b.product.Add(below, in, tile.Factor{Data: b.slopes[k], Row: 1, Column: out}, tile.Factor{Data: b.theta[end:], Row: in, Column: 1}, out, n, in)
		for i, v := range b.inputs[k] {
			switch {
			case b.convolutions == nil:
				below[i] *= 1 - float64(v*v)
			case v <= 0:
				below[i] = 0
			}
		}
	}
}

// measure sets the norms of the gradients, and which are spoilt.
func (b *Batch) measure() []float64 {
	clear(b.norms)
	if b.convolutions != nil {
		b.convolutions.backward(b.norms)
	}
	for k, slopes := range b.slopes {
		in, out := b.layers.widths[k], b.layers.widths[k+1]
		for i, before := range b.norms {
			length := RowNorm(b.inputs[k][i*in:(i+1)*in], b.layers.intercept)
			b.norms[i] = sparse.Norm([]float64{before, sparse.Norm(slopes[i*out:(i+1)*out]) * length})
		}
	}
	b.spoilt = b.spoilt[:0]
	for i, length := range b.norms {
		if !(length <= math.MaxFloat64) {
			b.spoilt = append(b.spoilt, i)
		}
	}
	return b.norms
}
