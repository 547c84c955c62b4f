package model

import "github.com/hearsay-dp/hearsay/internal/math"

// EachOutputs shows the outputs of every example in turn, borrowed.
func EachOutputs(m Predictor, theta []float64, ex Examples, show func(i int, z []float64)) {
	batch := NewBatch(m)
	if batch == nil {
		z := make([]float64, 1)
		for i := range ex.Len() {
			x, _ := ex.Row(i)
			m.Outputs(z, theta, x)
			show(i, z)
		}
		return
	}
	for lo := 0; lo < ex.Len(); lo += BlockRows {
		block := ex.Slice(lo, min(lo+BlockRows, ex.Len()))
		z := batch.Outputs(theta, block)
		k := len(z) / block.Len()
		for i := range block.Len() {
			show(lo+i, z[i*k:(i+1)*k])
		}
	}
}

// scored returns the sum of weight[i] x the loss of each example, and the number that are classified
// correctly. If weight is nil, each weighs 1.
func (b *Batch) scored(m Predictor, theta []float64, ex Examples, weight []float64) (loss float64, correct int) {
	h := b.model.head
	EachOutputs(m, theta, ex, func(i int, z []float64) {
		w := 1.0
		if weight != nil {
			w = weight[i]
		}
		loss += float64(w * h.loss(z, ex.Y[i]))
		if h.classes > 0 && Largest(z) == ClassOf(ex.Y[i], h.classes) {
			correct++
		}
	})
	return loss, correct
}

// Probabilities returns the probabilities of the classes, from their outputs or from the margin of
// two.
func Probabilities(z []float64) []float64 {
	if len(z) == 1 {
		return []float64{1 / (1 + math.Exp(z[0])), 1 / (1 + math.Exp(-z[0]))}
	}
	p := append([]float64(nil), z...)
	softmax(p)
	return p
}
