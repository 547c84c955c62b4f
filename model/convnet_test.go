package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/sparse"
)

// drawConvNet draws a small network, its parameters and a picture.
func drawConvNet(t *rapid.T) (net ConvNet, theta, x []float64) {
	c := Convolution{
		Picture: Picture{rapid.IntRange(1, 2).Draw(t, "planes"), rapid.IntRange(4, 7).Draw(t, "rows"), rapid.IntRange(4, 7).Draw(t, "columns")},
		Kernel:  rapid.SampledFrom([]int{1, 3, 5, 9}).Draw(t, "kernel"),
		Maps:    [2]int{rapid.IntRange(1, 3).Draw(t, "first"), rapid.IntRange(1, 3).Draw(t, "second")}, Hidden: rapid.IntRange(1, 4).Draw(t, "hidden"),
	}
	net = NewConvNet(c, rapid.IntRange(2, 4).Draw(t, "classes"), nil)
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	return net, net.Start(0, 0, rng), normal(rng, c.Picture.Pixels())
}

func normal(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// near compares with a difference quotient; where a unit switches between its ends there is none, which is few
// of twenty numbers.
func near(t *rapid.T, what string, n int, slope func(i int) float64, at func(i int, h float64) float64) {
	off := 0
	for i := 0; i < n; i += 1 + n/20 {
		const h = 1e-6
		want := (at(i, h) - at(i, -h)) / (2 * h)
		if got := slope(i); math.Abs(got-want) > 1e-7+1e-5*math.Abs(want) {
			if off++; off > 2 {
				t.Fatalf("%s %d: %g, and by differences %g", what, i, got, want)
			}
		}
	}
}

// The gradients of the loss, in parameters and in the picture, are those of finite differences.
func TestConvNetSlopesAreThoseOfTheLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		net, theta, x := drawConvNet(t)
		y := LabelOf(net.Classes()-1, net.Classes())
		g := make([]float64, len(theta))
		under := net.Slopes(g, theta, x, y)
		moved := func(v []float64) func(int, float64) float64 {
			return func(i int, h float64) float64 {
				old := v[i]
				v[i] += h
				defer func() { v[i] = old }()
				return net.Loss(theta, x, y)
			}
		}
		near(t, "parameter", len(theta), func(i int) float64 { return g[i] }, moved(theta))
		near(t, "pixel", len(x), func(i int) float64 { return under[i] }, moved(x))
	})
}

// Push is the derivative of features and Pull its transpose; PushSlopes is that of what Pull adds up, and
// PullSlopes its transpose.
func TestPassesAreLinear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		net, theta, x := drawConvNet(t)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed of directions"), 1))
		dx, slopes := normal(rng, len(x)), normal(rng, net.Features())
		pass := net.Pass(theta, x)
		at := func(h float64) *ConvPass {
			moved := append([]float64(nil), x...)
			sparse.Axpy(moved, h, dx)
			return net.Pass(theta, moved)
		}
		sums := func(p *ConvPass) []float64 {
			dst := make([]float64, net.Convolving())
			p.Pull(dst, slopes)
			return dst
		}
		pushed, of := pass.Push(dx), pass.PushSlopes(slopes, dx)
		up, down := at(1e-6).Features, at(-1e-6).Features
		near(t, "feature", len(pushed), func(i int) float64 { return pushed[i] }, func(i int, h float64) float64 {
			if h > 0 {
				return up[i]
			}
			return down[i]
		})
		plus, minus := sums(at(1e-6)), sums(at(-1e-6))
		near(t, "sum", len(of), func(i int) float64 { return of[i] }, func(i int, h float64) float64 {
			if h > 0 {
				return plus[i]
			}
			return minus[i]
		})
		r := normal(rng, net.Convolving())
		for what, pair := range map[string][2]float64{
			"pull":       {sparse.Dot(pushed, slopes), sparse.Dot(dx, pass.Pull(nil, slopes))},
			"pullSlopes": {sparse.Dot(of, r), sparse.Dot(dx, pass.PullSlopes(slopes, r))},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-9*(1+math.Abs(pair[0])) {
				t.Fatalf("%s: %g and %g", what, pair[0], pair[1])
			}
		}
	})
}

// Of pictures of 32 by 32 the network of 002, Table A.2 has 4096 inputs of its hidden layer.
func TestTheNetworkOfTableA2(t *testing.T) {
	net := NewConvNet(Convolution{Picture{1, 32, 32}, 5, [2]int{32, 64}, 1024}, 10, nil)
	if net.Features() != 4096 || net.Params(1024) != 25*32+32+25*32*64+64+4096*1024+1024+1024*10+10 {
		t.Errorf("%d features, %d parameters", net.Features(), net.Params(1024))
	}
	if g := net.Guarantees(1); !g.Classifies() || g.Convex() || !math.IsInf(g.Lipschitz(), 1) || !math.IsInf(g.Smoothness(), 1) {
		t.Errorf("it guarantees %v", g)
	}
}

// A convolution and its transpose are the plain loops, bit for bit.
func TestConvolutionsAreThePlainLoops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		net, _, _ := drawConvNet(t)
		in, maps := net.Picture(), rapid.IntRange(1, 3).Draw(t, "maps")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "numbers"), 1))
		area := in.Rows * in.Columns
		weights, constants, x, slopes := normal(rng, maps*in.Planes*net.kernel*net.kernel), normal(rng, maps), normal(rng, in.Pixels()), normal(rng, maps*area)
		out, under := make([]float64, maps*area), make([]float64, in.Pixels())
		for m, b := range constants {
			for i := range area {
				out[m*area+i] = b
			}
		}
		net.each(in, maps, func(w, i, o, run int) {
			for k := range run {
				out[o+k] = math.FMA(weights[w], x[i+k], out[o+k])
				under[i+k] = math.FMA(weights[w], slopes[o+k], under[i+k])
			}
		})
		if got := net.convolved(weights, constants, x, in, maps); !slices.Equal(got, out) {
			t.Fatalf("%v, by plain loops %v", got, out)
		}
		if got := net.pulled(nil, weights, slopes, nil, in, maps); !slices.Equal(got, under) {
			t.Fatalf("transposed %v, by plain loops %v", got, under)
		}
	})
}
