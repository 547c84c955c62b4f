package gradientinversion

import (
	"math"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Point is the example behind a gradient.
type Point struct {
	X     []float64
	Label float64 // NaN if the gradient does not determine it
	// Exact says that the gradient of one example, however clipped or scaled, determines exactly this example. Otherwise it
	// was found through the gradient's length, which is right only if the gradient was not clipped, or up to its mirror image.
	Exact bool
}

// Inversion computes the example behind the gradient of one example. From a mean of gradients over several examples it
// computes their mean, weighted by their residuals.
type Inversion struct {
	Model    model.Model
	Features int
	Theta    []float64 // parameters at which gradients were taken
	// Box holds the least and the largest possible number of an example. nil: no bounds. Only searches without a closed form
	// use it.
	Box *[2]float64
	// Most is the largest number of products in a search without a closed form. 0: as long as the search makes progress.
	Most int
}

// Point returns the example behind a gradient. It returns false if the gradient is zero, not finite, or of a model that has no
// inversion here.
//
// If a layer has constants, the derivatives by a unit's weights are the derivative by its constant times the unit's input. So
// the input of the first layer is their quotient, whatever the rest of the model (Biswas 2023, Lemma 6.1; Geiping et al. 2020,
// Proposition 3.1).
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

// deep reports whether there are hidden layers. The first may have no gradient where training begins.
func (i Inversion) deep() bool {
	m, ok := i.Model.(interface{ Layers(features int) []int })
	return ok && len(m.Layers(i.Features)) > 2
}

// searches reports whether examples are searched for numerically, without a closed form.
func (i Inversion) searches() bool {
	_, ok := i.Model.(model.ConvNet)
	return ok
}

// fromSquare returns the point for a squared distance, whose gradient is factor times the difference.
func (i Inversion) fromSquare(gradient []float64, factor float64) Point {
	p := Point{Label: math.NaN()}
	for j, g := range gradient {
		p.X = append(p.X, i.Theta[j]-float64(g/factor))
	}
	return p
}

// fromLine returns the point for a loss of the margin, whose gradient is slope times (x, 1).
func (i Inversion) fromLine(gradient []float64) (Point, bool) {
	if len(gradient) == i.Features {
		return i.sized(gradient)
	}
	slope := gradient[i.Features]
	if slope == 0 {
		return Point{}, false
	}
	p := Point{X: divided(gradient[:i.Features], slope), Label: math.NaN(), Exact: true}
	if i.classifies() { // the slope is negative for label 1
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

// fromLayers returns the point for a model of layers of widths units. The first layer has a row of weights for each unit and
// then the units' constants.
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
	for j, c := range constants { // the least-squares quotient over all units
		sparse.Axpy(p.X, c/square, weights[j*i.Features:(j+1)*i.Features])
	}
	if classes := widths[len(widths)-1]; i.classifies() && classes > 1 {
		p.Label = model.LabelOf(lowest(gradient[len(gradient)-classes:]), classes)
	}
	return p, true
}

// constants reports whether a model of such layers has constants.
func (i Inversion) constants(widths []int) bool {
	weights := 0
	for k := range len(widths) - 1 {
		weights += widths[k] * widths[k+1]
	}
	return i.Model.Params(i.Features) > weights
}

// lowest returns the index of the least number.
func lowest(v []float64) int {
	at := 0
	for j := range v {
		if v[j] < v[at] {
			at = j
		}
	}
	return at
}

// fromClasses returns the point for a softmax regression without constants. Its gradient is the outer product of the outputs'
// slopes and the features. Only the slope of the true class is negative.
func (i Inversion) fromClasses(gradient []float64, classes int) (Point, bool) {
	row := func(c int) []float64 { return gradient[c*i.Features : (c+1)*i.Features] }
	if classes == 2 { // both have the same length
		return i.along(gradient, divided(row(1), -model.RowNorm(row(1), false)), []float64{1, -1})
	}
	longest, most := 0, 0.0 // slopes sum to 0 and only one is negative
	for c := range classes {
		if n := model.RowNorm(row(c), false); n > most {
			longest, most = c, n
		}
	}
	return i.along(gradient, divided(row(longest), -most), []float64{model.LabelOf(longest, classes)})
}

// sized returns the point for a margin without an intercept: along the gradient or against it.
func (i Inversion) sized(gradient []float64) (Point, bool) {
	direction := divided(gradient, -model.RowNorm(gradient, false))
	if i.classifies() {
		return i.along(gradient, direction, []float64{1, -1})
	}
	return Point{}, false
}

// along finds the multiple of a direction, or of its opposite for the second of two labels, -1, at which the gradient of the
// loss is as long as the given one. Of several labels it takes the first that fits best.
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

// The lengths of examples that are tried grow from leastLength to mostLength by the factor longer.
const leastLength, mostLength, longer = 0x1p-20, 0x1p30, 1.25

// length returns the least multiple of a unit direction whose gradient is as long as the given one. It returns nil if there is
// none. Far from where training begins there may be a second one, because well-fitted examples have short gradients.
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
