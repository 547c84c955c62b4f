package gradientinversion

import (
	"math"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Point is the example that a gradient tells of.
type Point struct {
	X     []float64
	Label float64 // not a number where the gradient does not say
	// Exact says that the gradient of one example, however long it was cut or scaled, has just this
	// example behind it. Otherwise it was found up to its length, which follows only where
	// the gradient was not cut, or together with its mirror image.
	Exact bool
}

// Inversion goes from gradients of one example to the example. A gradient that is a mean over
// several gives their mean, weighed by how far each is from being fitted.
type Inversion struct {
	Model    model.Model
	Features int
	Theta    []float64 // parameters at which gradients were taken
	// Box is where the numbers of examples are known to lie, from the least to the largest, whatever they are; nil: nowhere. Only
	// what has no closed form is confined to it.
	Box *[2]float64
	// Most is how many products a search of what has no closed form takes before it ends; 0: as many as promise anything.
	Most int
}

// Point is the example behind a gradient, false where the gradient says nothing: it is
// zero, not finite, or of a model that is not known here.
//
// Where constants stand beside weights, the derivatives of a unit's weights are those of its constant
// times what goes into the unit, so the input of the first layer is their quotient, whatever
// the rest of the model (Biswas 2023, Lemma 6.1; Geiping et al. 2020, Proposition 3.1).
func (i Inversion) Point(gradient []float64) (Point, bool) {
	length := model.RowNorm(gradient, false)
	if !(length > 0) || math.IsInf(length, 1) || len(gradient) != i.Model.Params(i.Features) {
		return Point{}, false
	}
	switch m := i.Model.(type) {
	case model.Mean:
		return i.fromSquare(gradient, 2), true
	case model.Own:
		return i.fromSquare(gradient, 1), true
	case interface{ Layers(features int) []int }:
		return i.fromLayers(gradient, m.Layers(i.Features))
	case model.ConvNet:
		return i.fromConvolutions(gradient, m)
	case model.Linear:
		return i.fromLine(gradient)
	}
	return Point{}, false
}

// deep reports whether there are hidden layers, of which the first may have no gradient where training begins.
func (i Inversion) deep() bool {
	m, ok := i.Model.(interface{ Layers(features int) []int })
	return ok && len(m.Layers(i.Features)) > 2
}

// searches reports whether examples are looked for step by step, having no closed form.
func (i Inversion) searches() bool {
	_, ok := i.Model.(model.ConvNet)
	return ok
}

// fromSquare is that of a squared distance, whose gradient is factor times the difference.
func (i Inversion) fromSquare(gradient []float64, factor float64) Point {
	p := Point{Label: math.NaN()}
	for j, g := range gradient {
		p.X = append(p.X, i.Theta[j]-float64(g/factor))
	}
	return p
}

// fromLine is that of a loss of the margin: slope times (x, 1).
func (i Inversion) fromLine(gradient []float64) (Point, bool) {
	if len(gradient) == i.Features {
		return i.sized(gradient)
	}
	slope := gradient[i.Features]
	if slope == 0 {
		return Point{}, false
	}
	p := Point{X: divided(gradient[:i.Features], slope), Label: math.NaN(), Exact: true}
	if i.classifies() { // steeper towards the other label
		p.Label = -math.Copysign(1, slope)
	}
	return p, true
}

func (i Inversion) classifies() bool { return i.Model.Guarantees(1).Classifies() }

func divided(v []float64, by float64) []float64 {
	x := make([]float64, len(v))
	for j := range v {
		x[j] = v[j] / by
	}
	return x
}

// fromLayers is that of a model of layers, of so many units each. The first has a row of weights for
// each unit and then their constants.
func (i Inversion) fromLayers(gradient []float64, widths []int) (Point, bool) {
	units := widths[1]
	switch {
	case i.constants(widths):
	case len(widths) == 2:
		return i.fromClasses(gradient, units)
	default:
		return Point{}, false
	}
	weights, constants := gradient[:units*i.Features], gradient[units*i.Features:][:units]
	square := sparse.Dot(constants, constants)
	if square == 0 {
		return Point{}, false
	}
	p := Point{X: make([]float64, i.Features), Label: math.NaN(), Exact: true}
	for j, c := range constants { // the best quotient of all units
		sparse.Axpy(p.X, c/square, weights[j*i.Features:(j+1)*i.Features])
	}
	if classes := widths[len(widths)-1]; i.classifies() && classes > 1 {
		p.Label = model.LabelOf(lowest(gradient[len(gradient)-classes:]), classes)
	}
	return p, true
}

// constants reports whether a model of such layers has some.
func (i Inversion) constants(widths []int) bool {
	weights := 0
	for k := range len(widths) - 1 {
		weights += widths[k] * widths[k+1]
	}
	return i.Model.Params(i.Features) > weights
}

// lowest is the place of the least number.
func lowest(v []float64) int {
	at := 0
	for j := range v {
		if v[j] < v[at] {
			at = j
		}
	}
	return at
}

// fromClasses is that of a regression on classes without constants: the outer product of the outputs'
// slopes, of which that of the true class alone is negative, and the features.
func (i Inversion) fromClasses(gradient []float64, classes int) (Point, bool) {
	row := func(c int) []float64 { return gradient[c*i.Features : (c+1)*i.Features] }
	if classes == 2 { // both are as long
		return i.along(gradient, divided(row(1), -model.RowNorm(row(1), false)), []float64{1, -1})
	}
	longest, most := 0, 0.0 // slopes sum to 0 and one alone is negative
	for c := range classes {
		if n := model.RowNorm(row(c), false); n > most {
			longest, most = c, n
		}
	}
	return i.along(gradient, divided(row(longest), -most), []float64{model.LabelOf(longest, classes)})
}

// sized is that of a margin without an intercept: along the gradient or against it.
func (i Inversion) sized(gradient []float64) (Point, bool) {
	direction := divided(gradient, -model.RowNorm(gradient, false))
	if i.classifies() {
		return i.along(gradient, direction, []float64{1, -1})
	}
	return Point{}, false
}

// along finds how far from 0 the example lies in a direction, against it for the label -1 of two: where the gradient
// of the loss is as long as the one that is given. Of several labels the first that fits best.
func (i Inversion) along(gradient, direction []float64, labels []float64) (Point, bool) {
	best, off := Point{}, math.Inf(1)
	for _, label := range labels {
		towards := direction
		if len(labels) == 2 && label < 0 {
			towards = divided(direction, -1)
		}
		x := i.length(gradient, towards, label)
		if x == nil {
			continue
		}
		again := make([]float64, len(gradient))
		i.Model.Gradient(again, i.Theta, x, label)
		sparse.Axpy(again, -1, gradient)
		if miss := model.RowNorm(again, false); miss < off*(1-1e-9) {
			best, off = Point{X: x, Label: label}, miss
		}
	}
	return best, best.X != nil
}

// Examples of these lengths are looked for, each so much longer than the last.
const leastLength, mostLength, longer = 0x1p-20, 0x1p30, 1.25

// length finds the least multiple of a unit direction whose gradient is as long as the one given; nil if none is.
// Far from where training begins there may be a second one: what is fitted well has short gradients.
func (i Inversion) length(gradient, direction []float64, label float64) []float64 {
	want, again := model.RowNorm(gradient, false), make([]float64, len(gradient))
	at := func(by float64) ([]float64, float64) {
		x := divided(direction, 1/by)
		i.Model.Gradient(again, i.Theta, x, label)
		return x, model.RowNorm(again, false)
	}
	low, high := 0.0, leastLength
	for _, long := at(high); long < want; _, long = at(high) {
		if low, high = high, longer*high; high > mostLength {
			return nil
		}
	}
	for range 60 {
		mid := low + float64((high-low)/2)
		if _, long := at(mid); long < want {
			low = mid
		} else {
			high = mid
		}
	}
	x, _ := at(high)
	return x
}
