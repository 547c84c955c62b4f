package model

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Objective is a model with an L2 penalty, L2/2 norm(theta)^2 over all
// parameters, the intercept included, so that the objective is L2-strongly
// convex in every direction, and a regulariser that only some algorithms can have.
// Neither depends on data.
type Objective struct {
	Model
	L2          float64
	Regulariser Regulariser
}

// Guarantees returns those of loss plus penalty, the regulariser left out. The Lipschitz constant is that of the loss
// alone, because a release must hide the loss alone. Guarantees of a model of another package, also of one
// that embeds a model of this package, are asserted.
func (o Objective) Guarantees(bound float64) Guarantees {
	g := o.Model.Guarantees(bound)
	if g.asserted == "" && !proved(o.Model) {
		g.asserted = fmt.Sprintf("the %s model is what its author says: nothing here has checked it", o.Name())
	}
	g.l2 = o.L2
	return g
}

// proved reports whether a model's guarantees are proved, and tested, in this
// package.
func proved(m Model) bool {
	switch m.(type) {
	case Logistic, Hinge, Ridge, Absolute, Mean, Own, Histogram, Multinomial, Network, ConvNet, External:
		return true
	}
	return false
}

// Score returns the mean plain loss over ex, without the penalty, and the share of correct
// predictions. The share is NaN for a model that does not classify.
func (o Objective) Score(theta []float64, ex Examples) (loss, accuracy float64) {
	correct := 0
	if e, ok := o.Model.(External); ok {
		s := e.score(theta, ex)
		return s.Loss, s.Accuracy
	}
	if l, ok := o.Model.(Logistic); ok {
		loss, correct = l.scored(theta, ex)
	} else if batch := NewBatch(o.Model); batch != nil {
		loss, correct = batch.scored(o.Model.(Predictor), theta, ex, nil)
	} else {
		for i := range ex.Len() {
			x, y := ex.Row(i)
			loss += o.Loss(theta, x, y)
			if o.Correct(theta, x, y) {
				correct++
			}
		}
	}
	loss /= float64(ex.Len())
	if !o.Guarantees(1).Classifies() {
		return loss, math.NaN()
	}
	return loss, float64(correct) / float64(ex.Len())
}

// Minimised returns the value of the function whose gradient descent follows: the sum over ex of
// weight[i] x Clipped, plus the penalty. It returns NaN if clipped gradients are those of no function.
func (o Objective) Minimised(theta []float64, ex Examples, weight []float64, clip float64) float64 {
	if batch := NewBatch(o.Model); batch != nil {
		if !o.Model.Guarantees(longest(ex)).Unclipped(clip) && batch.clips(theta, ex, clip) {
			return math.NaN()
		}
		sum, _ := batch.scored(o.Model.(Predictor), theta, ex, weight)
		return sum + o.Penalty(theta)
	}
	if l, ok := o.Model.(Logistic); ok {
		return l.minimised(theta, ex, weight, clip) + o.Penalty(theta)
	}
	sum := 0.0
	for i, w := range weight {
		x, y := ex.Row(i)
		sum += float64(w * o.Clipped(theta, x, y, clip))
	}
	return sum + o.Penalty(theta)
}

// LossSmoothnessOn returns an upper bound on the smoothness of the mean loss over ex, without the penalty: the
// mean of the bounds by each row's norm. ex must not be empty.
func (o Objective) LossSmoothnessOn(ex Examples) float64 {
	sum := 0.0
	for i := range ex.Len() {
		x, _ := ex.Row(i)
		sum += o.Model.Guarantees(RowNorm(x, false)).LossSmoothness()
	}
	return sum / float64(ex.Len())
}

// Penalty returns L2/2 norm(theta)^2 and the regulariser.
func (o Objective) Penalty(theta []float64) float64 {
	return float64(o.L2/2*sparse.Dot(theta, theta)) + o.Regulariser.Value(theta)
}

// Options say which model of a kind it is.
type Options struct {
	Intercept bool
	Classes   int       // how many there are; 0: labels are numbers
	Weights   []float64 // of the classes, above 0; nil: all 1
	Hidden    []int     // widths of a network's hidden layers, at least one
	Maps      []int     // convnet: of the two convolutions
	Kernel    int       // convnet: side of the kernels
	Picture   Picture   // convnet: the shape of examples; callers must check Fits before
}

// Convolution returns the sizes of a convnet with one hidden layer.
func (o Options) Convolution() Convolution {
	c := Convolution{Picture: o.Picture, Kernel: o.Kernel}
	if len(o.Maps) == len(c.Maps) && len(o.Hidden) == 1 {
		c.Maps, c.Hidden = [2]int(o.Maps), o.Hidden[0]
	}
	return c
}

// New makes the model of a kind that a spec names. A logistic regression and a hinge
// loss have 2 classes, a multinomial one at least 2, a network 0 or at least 2.
func New(kind string, o Options) (Model, bool) {
	switch kind {
	case "logistic":
		m := Logistic{Intercept: o.Intercept}
		if o.Weights != nil {
			m.Negative, m.Positive = o.Weights[0], o.Weights[1]
		}
		return m, true
	case "multinomial":
		return NewMultinomial(o.Classes, o.Intercept, o.Weights), true
	case "mlp":
		return NewNetwork(o.Classes, o.Hidden, o.Intercept, o.Weights), true
	case "convnet":
		return NewConvNet(o.Convolution(), o.Classes, o.Weights), true
	case "ridge":
		return Ridge{Intercept: o.Intercept}, true
	case "hinge":
		m := Hinge{Intercept: o.Intercept}
		if o.Weights != nil {
			m.Negative, m.Positive = o.Weights[0], o.Weights[1]
		}
		return m, true
	case "absolute":
		return Absolute{Intercept: o.Intercept}, true
	case "mean":
		return Mean{}, true
	case "histogram":
		return Histogram{Values: o.Classes}, true
	}
	return nil, false
}

// Kinds returns the names that New knows.
func Kinds() []string {
	return []string{"logistic", "hinge", "multinomial", "mlp", "convnet", "ridge", "absolute", "mean", "histogram", "external"}
}
