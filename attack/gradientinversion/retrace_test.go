package gradientinversion

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hearsay-dp/hearsay/model"
)

// blob is a picture of a bright spot that fades.
func blob(side int, y, x float64) (picture []float64) {
	for i := range side * side {
		dy, dx := float64(i/side)-y, float64(i%side)-x
		picture = append(picture, math.Exp(-(dy*dy+dx*dx)/6))
	}
	return picture
}

// The picture behind the gradient of a convolutional network is found to rounding, with its label, also if the gradient was
// cut to any length; with noise in the gradient it is found so much less well.
func TestConvolutionalNetworksGivePicturesAway(t *testing.T) {
	c := model.Convolution{Picture: model.Picture{Planes: 1, Rows: 8, Columns: 8}, Kernel: 3, Maps: [2]int{16, 32}, Hidden: 24}
	for _, classes := range []int{2, 5} {
		net := model.NewConvNet(c, classes, nil)
		theta := net.Start(0, 0, rand.New(rand.NewPCG(1, 1)))
		x, y := blob(8, 3, 4), model.LabelOf(1, classes)
		g := make([]float64, len(theta))
		net.Gradient(g, theta, x, y)
		scale(g, 0.01)
		i := Inversion{Model: net, Features: 64, Theta: theta, Box: &[2]float64{0, 1}}
		ex := model.Examples{Features: 64, X: x, Y: []float64{y}}
		rng, length := rand.New(rand.NewPCG(2, 2)), model.RowNorm(g, false)
		p, ok := i.Point(g)
		if s := Compare(&p, ex, 1); !ok || !p.Exact || s.Error > 1e-6 || !s.Labeled {
			t.Errorf("%d classes: exact %t, %+v", classes, p.Exact, s)
		}
		if classes > 2 {
			continue
		}
		for k, v := range g { // as messages round it
			g[k] = v + 1e-6*length/math.Sqrt(float64(len(g)))*rng.NormFloat64()
		}
		p, ok = i.Point(g)
		if s := Compare(&p, ex, 1); !ok || s.Error > 1e-3 || !s.Labeled {
			t.Errorf("%d classes, rounded: %+v", classes, s)
		}
		for k := range g {
			g[k] += 0.3 * length / math.Sqrt(float64(len(g))) * rng.NormFloat64()
		}
		p, ok = i.Point(g)
		if s := Compare(&p, ex, 1); !ok || p.Exact || s.Error < 1e-3 {
			t.Errorf("%d classes, with noise: exact %t, %+v", classes, p.Exact, s)
		}
	}
}

// A search that may take few products ends early, with a picture that is no nearer, and says that it is not exact.
func TestASearchForPicturesEndsWhenItMayTakeNoMore(t *testing.T) {
	c := model.Convolution{Picture: model.Picture{Planes: 1, Rows: 8, Columns: 8}, Kernel: 3, Maps: [2]int{16, 32}, Hidden: 24}
	net := model.NewConvNet(c, 2, nil)
	theta := net.Start(0, 0, rand.New(rand.NewPCG(1, 1)))
	x, y := blob(8, 3, 4), model.LabelOf(1, 2)
	g := make([]float64, len(theta))
	net.Gradient(g, theta, x, y)
	i := Inversion{Model: net, Features: 64, Theta: theta, Box: &[2]float64{0, 1}}
	ex := model.Examples{Features: 64, X: x, Y: []float64{y}}
	whole, ok := i.Point(g)
	i.Most = 20
	cut, also := i.Point(g)
	if a, b := Compare(&whole, ex, 1), Compare(&cut, ex, 1); !ok || !also || !whole.Exact || cut.Exact || b.Error <= a.Error || !b.Labeled {
		t.Errorf("exact %t, %+v; cut short exact %t, %+v", whole.Exact, a, cut.Exact, b)
	}
}

// A gradient without slopes in the hidden layer says nothing.
func TestNothingComesOfGradientsThatSayNothing(t *testing.T) {
	net := model.NewConvNet(model.Convolution{Picture: model.Picture{Planes: 1, Rows: 4, Columns: 4}, Kernel: 3, Maps: [2]int{2, 2}, Hidden: 3}, 2, nil)
	theta := net.Start(0, 0, rand.New(rand.NewPCG(1, 1)))
	g := make([]float64, len(theta))
	net.Parts(g)[7][0] = 1
	if p, ok := (Inversion{Model: net, Features: 16, Theta: theta}).Point(g); ok {
		t.Errorf("%v", p)
	}
	for k := range g {
		g[k] = math.NaN()
	}
	if p, ok := (Inversion{Model: net, Features: 16, Theta: theta}).Point(g); ok {
		t.Errorf("%v", p)
	}
}
