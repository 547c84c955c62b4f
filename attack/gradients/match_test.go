package gradients

import (
	"math"
	"math/rand/v2"
	"testing"
)

func smallNet() (ConvNet, []float64) {
	net := ConvNet{Channels: 1, Side: 8, Kernel: 3, First: 4, Second: 6, Hidden: 24, ClassesCount: 4}
	return net, net.Start(rand.New(rand.NewPCG(1, 1)))
}

// blob is a picture: a bright spot that fades.
func blob(side int, y, x float64) (picture []float64) {
	for i := range side * side {
		dy, dx := float64(i/side)-y, float64(i%side)-x
		picture = append(picture, math.Exp(-(dy*dy+dx*dx)/6))
	}
	return picture
}

// The gradients of the network, in parameters and in the picture, are those of finite differences.
func TestConvNetGradients(t *testing.T) {
	net, theta := smallNet()
	x, g := blob(8, 3, 4), make([]float64, len(theta))
	below := net.backward(g, theta, net.forward(theta, x), 2)
	check := func(what string, v, slope []float64) {
		for i := 0; i < len(v); i += 1 + len(v)/200 {
			const h = 1e-6
			old := v[i]
			v[i] = old + h
			up := net.Loss(theta, x, 2)
			v[i] = old - h
			down := net.Loss(theta, x, 2)
			v[i] = old
			if want := (up - down) / (2 * h); math.Abs(want-slope[i]) > 1e-7+1e-5*math.Abs(want) {
				t.Errorf("%s %d: %g, not %g", what, i, slope[i], want)
			}
		}
	}
	check("parameter", theta, g)
	check("pixel", x, below)
	table := ConvNet{Channels: 1, Side: 32, Kernel: 5, First: 32, Second: 64, Hidden: 1024, ClassesCount: 10}
	if n := table.sizes()[4]; n != 4096*1024 {
		t.Errorf("%d weights of the hidden layer, Table A.2 has 4096 x 1024", n)
	}
}

// What is minimised falls along its slope as finite differences say.
func TestMatchingSlope(t *testing.T) {
	net, theta := smallNet()
	g := make([]float64, len(theta))
	net.Gradient(g, theta, blob(8, 3, 4), 2)
	m := Matching{Net: net, Theta: theta}
	x := blob(8, 4, 3)
	_, slope := m.Slope(g, x, 2)
	for i := 0; i < len(x); i += 5 {
		const h = 1e-6
		old := x[i]
		x[i] = old + h
		up, _ := m.Slope(g, x, 2)
		x[i] = old - h
		down, _ := m.Slope(g, x, 2)
		x[i] = old
		if want := (up - down) / (2 * h); math.Abs(want-slope[i]) > 1e-6+1e-3*math.Abs(want) {
			t.Errorf("pixel %d: %g, not %g", i, slope[i], want)
		}
	}
}

// The picture behind a gradient is found, well above what 002 calls reconstructed, with its label.
func TestMatchingFindsThePicture(t *testing.T) {
	net, theta := smallNet()
	truth, g := blob(8, 3, 4), make([]float64, len(theta))
	net.Gradient(g, theta, truth, 2)
	p := Matching{Net: net, Theta: theta, Steps: 400, Rate: 0.1, Smooth: 1e-4}.Point(g, 1)
	square := 0.0
	for i, v := range p.X {
		square += (v - truth[i]) * (v - truth[i]) / float64(len(truth))
	}
	if psnr := -10 * math.Log10(square); psnr < 15 || p.Label != 2 {
		t.Errorf("PSNR %.1f, label %g", psnr, p.Label)
	}
}
