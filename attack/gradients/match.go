package gradients

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Matching looks for the picture whose gradient points the way that one which was found does (Geiping et al. 2020):
// by Adam, from a grey picture, along one minus the cosine of the two gradients plus Smooth times the total variation.
type Matching struct {
	Net    ConvNet
	Theta  []float64 // parameters at which the gradient was taken
	Steps  int
	Rate   float64 // of Adam, of pixels from 0 to 1; it falls to nothing over the steps
	Smooth float64
}

// Label is the class of the example behind a gradient: the constant of its output alone has a slope below 0.
func (m Matching) Label(gradient []float64) int { return lowest(m.Net.parts(gradient)[7]) }

// weakest is the slope, over what slopes are at first, below which pixels move less.
const weakest = 0.01

// Point looks for the picture behind a gradient, from a seed.
func (m Matching) Point(gradient []float64, seed uint64) Point {
	label, r := m.Label(gradient), rand.New(rand.NewPCG(seed, 0))
	x := make([]float64, m.Net.Channels*m.Net.Side*m.Net.Side)
	for i := range x {
		x[i] = 0.5 + 0.1*r.NormFloat64()
	}
	first, second := make([]float64, len(x)), make([]float64, len(x))
	best, least, floor := slices.Clone(x), math.Inf(1), 0.0
	for step := range m.Steps {
		miss, slope := m.Slope(gradient, x, label)
		if step == 0 {
			floor = weakest * model.RowNorm(slope, false) / math.Sqrt(float64(len(x)))
		}
		if miss < least {
			least = miss
			copy(best, x)
		}
		m.smooth(slope, x)
		rate := m.Rate * (1 + math.Cos(math.Pi*float64(step)/float64(m.Steps))) / 2
		for i, s := range slope {
			first[i] += 0.1 * (s - first[i])
			second[i] += 0.001 * (s*s - second[i])
			up, wide := first[i]/(1-math.Pow(0.9, float64(step+1))), second[i]/(1-math.Pow(0.999, float64(step+1)))
			x[i] = min(1, max(0, x[i]-rate*up/(math.Sqrt(wide)+floor)))
		}
	}
	return Point{X: best, Label: float64(label)}
}

// apartStep is the length, over that of the parameters, of the step by which the change of a gradient is measured.
const apartStep = 1e-5

// Slope is one minus the cosine of the gradient and that of a picture, and its derivative in the picture. That is the
// derivative, along the derivative of the cosine in gradients, of the loss's slope in the picture when parameters
// move, which a difference of two backward passes gives: nothing is derived twice.
func (m Matching) Slope(gradient, x []float64, label int) (miss float64, slope []float64) {
	g := make([]float64, len(gradient))
	m.Net.Gradient(g, m.Theta, x, float64(label))
	own, want := model.RowNorm(g, false), model.RowNorm(gradient, false)
	if own == 0 || want == 0 {
		return 1, make([]float64, len(x))
	}
	cosine := sparse.Dot(g, gradient) / (own * want)
	direction := make([]float64, len(g)) // of the derivative of minus the cosine
	sparse.Axpy(direction, -1/(own*want), gradient)
	sparse.Axpy(direction, cosine/(own*own), g)
	length := model.RowNorm(direction, false)
	if length == 0 {
		return 0, make([]float64, len(x))
	}
	by := apartStep * model.RowNorm(m.Theta, false) / length
	var ends [2][]float64
	for k, sign := range []float64{1, -1} {
		theta := append([]float64(nil), m.Theta...)
		sparse.Axpy(theta, sign*by, direction)
		ends[k] = m.Net.backward(g, theta, m.Net.forward(theta, x), label)
	}
	slope = ends[0]
	sparse.Axpy(slope, -1, ends[1])
	scale(slope, 1/(2*by))
	return 1 - cosine, slope
}

// smooth adds the derivative of the total variation, rounded near 0.
func (m Matching) smooth(slope, x []float64) {
	if m.Smooth == 0 {
		return
	}
	side := m.Net.Side
	add := func(i, j int) {
		d := x[j] - x[i]
		s := m.Smooth * d / math.Sqrt(d*d+1e-6)
		slope[j] += s
		slope[i] -= s
	}
	for i := range x {
		if i%side+1 < side {
			add(i, i+1)
		}
		if i%(side*side)+side < side*side {
			add(i, i+side)
		}
	}
}
