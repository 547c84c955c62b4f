package descent

import (
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sparse"
)

// localGradients holds the gradients of one node's examples at the token.
type localGradients struct {
	model    model.Model
	linear   model.Linear // the same, when its gradients are a slope times x
	scratch  []float64    // a gradient of any other model
	tail     bool         // a linear model's intercept follows the features
	theta    []float64
	examples *model.Examples // borrowed
}

func newLocalGradients(p *Local) localGradients {
	l := localGradients{model: p.Objective.Model, scratch: make([]float64, p.Params)}
	l.linear, _ = l.model.(model.Linear)
	return l
}

// rowsAtOnce is the number of examples in a block of a linear model.
const rowsAtOnce = 64

// rowGradients yields the gradients of a linear model, a block at a time.
type rowGradients struct {
	*localGradients
	next   int // the first example of the next block
	part   model.Examples
	block  noise.RowBlock
	slopes []float64
	norms  []float64 // for examples without norms
}

func newRowGradients(l *localGradients) *rowGradients {
	return &rowGradients{localGradients: l, slopes: make([]float64, rowsAtOnce), norms: make([]float64, rowsAtOnce)}
}

// NextRows implements noise.Rows.
func (r *rowGradients) NextRows() *noise.RowBlock {
	left := len(r.examples.Y) - r.next // not Len(), which would copy the examples
	if left <= 0 {
		r.next = 0
		return nil
	}
	block := r.examples
	if left > rowsAtOnce || r.next > 0 {
		r.part = r.examples.Slice(r.next, r.next+min(left, rowsAtOnce))
		block = &r.part
	}
	n := len(block.Y)
	r.next += n
	model.SlopesOf(r.slopes[:sparse.Fours(n)], r.linear, r.theta, block)
	norms := block.Norms
	if norms == nil {
		norms = r.norms[:n]
		for i := range norms {
			x, _ := block.Row(i)
			norms[i] = model.RowNorm(x, r.tail)
		}
	}
	r.block.Slopes, r.block.Norms, r.block.Directions, r.block.Width = r.slopes[:n], norms, block.X, block.Features
	return &r.block
}

// blockGradients yields the gradients of a model that computes them a block at a time.
type blockGradients struct {
	localGradients
	batch *model.Batch
	next  int // the first example of the next block
}

// Next implements noise.Blocks.
func (b *blockGradients) Next() []float64 {
	if b.next >= b.examples.Len() {
		b.next = 0
		return nil
	}
	block := b.examples.Slice(b.next, min(b.next+b.batch.Rows(), b.examples.Len()))
	b.next += block.Len()
	return b.batch.At(b.theta, block)
}

// Add implements noise.Blocks.
func (b *blockGradients) Add(dst, weight []float64) { b.batch.Add(dst, weight) }

// outsideGradients yields the gradients of a model that another program computes.
type outsideGradients struct {
	*localGradients
	of model.External
}

// Stream implements noise.Stream.
func (o *outsideGradients) Stream(begin func(), take func(noise.Block)) error {
	if o.examples.Len() == 0 { // for an empty sample nothing is asked
		return nil
	}
	return o.of.Program.Gradients(o.theta, model.RowNumbers(*o.examples), begin, func(b model.Block) { take(b) })
}

func (l *localGradients) at(theta []float64, ex *model.Examples) {
	l.theta, l.examples, l.tail = theta, ex, len(theta) > ex.Features
}

// Len implements noise.Gradients.
func (l *localGradients) Len() int { return len(l.examples.Y) }

// Gradient implements noise.Gradients.
func (l *localGradients) Gradient(i int) (slope, norm float64, direction []float64) {
	x, y := l.examples.Row(i)
	if l.linear == nil {
		l.model.Gradient(l.scratch, l.theta, x, y)
		return 1, model.RowNorm(l.scratch, false), l.scratch
	}
	direction, norm = l.row(i)
	return l.linear.Slope(l.theta, x, y), norm, direction
}

// row returns example i with its norm, the intercept's 1 included.
func (l *localGradients) row(i int) (x []float64, norm float64) {
	x, _ = l.examples.Row(i)
	if l.examples.Norms != nil {
		return x, l.examples.Norms[i]
	}
	return x, model.RowNorm(x, l.tail)
}
