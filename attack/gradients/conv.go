package gradients

import (
	"math"
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/model"
)

// ConvNet is the small convolutional network of 002, Table A.2: two convolutions, each followed by a rectifier and
// by the largest of every four pixels, a hidden layer with a rectifier, and the cross entropy of outputs, one a class.
// Convolutions keep the size of pictures, which are square with a side that is a multiple of 4, their channels one after
// the other. Table A.2 has 32 and 64 maps, 1024 hidden units and 10 classes; 4096 inputs of the hidden layer
// are pictures of 32 pixels a side.
type ConvNet struct {
	Channels, Side       int // of a picture
	Kernel               int // side of the kernels, odd
	First, Second        int // maps of the convolutions
	Hidden, ClassesCount int
}

// Name is "convnet".
func (ConvNet) Name() string { return "convnet" }

// sizes are the numbers of weights and constants, part by part.
func (c ConvNet) sizes() [8]int {
	k, flat := c.Kernel*c.Kernel, c.Second*c.Side*c.Side/16
	return [8]int{c.First * c.Channels * k, c.First, c.Second * c.First * k, c.Second, c.Hidden * flat, c.Hidden, c.ClassesCount * c.Hidden, c.ClassesCount}
}

// Params is the number of parameters.
func (c ConvNet) Params(int) (sum int) {
	for _, n := range c.sizes() {
		sum += n
	}
	return sum
}

func (c ConvNet) parts(theta []float64) (parts [8][]float64) {
	for i, n := range c.sizes() {
		parts[i], theta = theta[:n], theta[n:]
	}
	return parts
}

// Start draws parameters, uniform and small, that everybody begins with.
func (c ConvNet) Start(r *rand.Rand) []float64 {
	theta := make([]float64, c.Params(0))
	k := c.Kernel * c.Kernel
	for i, in := range []int{c.Channels * k, c.First * k, c.Second * c.Side * c.Side / 16, c.Hidden} {
		for _, part := range []int{2 * i, 2*i + 1} {
			for j := range c.parts(theta)[part] {
				c.parts(theta)[part][j] = (2*r.Float64() - 1) / math.Sqrt(float64(in))
			}
		}
	}
	return theta
}

// A tape is a pass through the network.
type tape struct {
	x, a1, p1, a2, p2, h, z []float64 // inputs, after convolutions and rectifiers, after pooling, hidden, outputs
	from1, from2            []int     // where pooled numbers come from
}

func (c ConvNet) forward(theta, x []float64) *tape {
	p := c.parts(theta)
	t := &tape{x: x}
	t.a1 = c.convolve(p[0], p[1], x, c.Channels, c.First, c.Side)
	t.p1, t.from1 = pool(t.a1, c.First, c.Side)
	t.a2 = c.convolve(p[2], p[3], t.p1, c.First, c.Second, c.Side/2)
	t.p2, t.from2 = pool(t.a2, c.Second, c.Side/2)
	t.h = dense(p[4], p[5], t.p2)
	rectify(t.h)
	t.z = dense(p[6], p[7], t.h)
	return t
}

func rectify(v []float64) {
	for i := range v {
		v[i] = max(0, v[i])
	}
}

func dense(weights, constants, x []float64) []float64 {
	out := make([]float64, len(constants))
	for j := range out {
		sum := constants[j]
		for i, w := range weights[j*len(x) : (j+1)*len(x)] {
			sum += w * x[i]
		}
		out[j] = sum
	}
	return out
}

// each calls do with every product of a convolution: of weight w, input i and output o, all row by row.
func (c ConvNet) each(in, out, side int, do func(w, i, o, run int)) {
	half := c.Kernel / 2
	for m := range out {
		for n := range in {
			for dy := range c.Kernel {
				for dx := range c.Kernel {
					w := ((m*in+n)*c.Kernel+dy)*c.Kernel + dx
					from, to := max(0, half-dx), min(side, side+half-dx)
					for y := max(0, half-dy); y < min(side, side+half-dy); y++ {
						do(w, (n*side+y+dy-half)*side+from+dx-half, (m*side+y)*side+from, to-from)
					}
				}
			}
		}
	}
}

func (c ConvNet) convolve(weights, constants, x []float64, in, out, side int) []float64 {
	y := make([]float64, out*side*side)
	for m, b := range constants {
		for i := range side * side {
			y[m*side*side+i] = b
		}
	}
	c.each(in, out, side, func(w, i, o, run int) {
		weight := weights[w]
		for k, v := range x[i : i+run] {
			y[o+k] += weight * v
		}
	})
	rectify(y)
	return y
}

// pool takes the largest of every four.
func pool(a []float64, maps, side int) (out []float64, from []int) {
	half := side / 2
	for m := range maps {
		for y := range half {
			for x := range half {
				best := (m*side+2*y)*side + 2*x
				for _, at := range []int{best + 1, best + side, best + side + 1} {
					if a[at] > a[best] {
						best = at
					}
				}
				out, from = append(out, a[best]), append(from, best)
			}
		}
	}
	return out, from
}

// backward sets dst to the gradient in the parameters and returns that in the picture.
func (c ConvNet) backward(dst, theta []float64, t *tape, label int) []float64 {
	p, d := c.parts(theta), c.parts(dst)
	clear(dst)
	slope := softmax(t.z)
	slope[label]--
	slope = backDense(d[6], d[7], p[6], t.h, slope)
	mask(slope, t.h)
	slope = backDense(d[4], d[5], p[4], t.p2, slope)
	slope = c.backConvolve(d[2], d[3], p[2], t.p1, unpool(slope, t.from2, t.a2), c.First, c.Second, c.Side/2)
	return c.backConvolve(d[0], d[1], p[0], t.x, unpool(slope, t.from1, t.a1), c.Channels, c.First, c.Side)
}

func softmax(z []float64) []float64 {
	p, sum, top := make([]float64, len(z)), 0.0, z[model.Largest(z)]
	for i, v := range z {
		p[i] = math.Exp(v - top)
		sum += p[i]
	}
	scale(p, 1/sum)
	return p
}

// mask lets slopes through where the rectifier did.
func mask(slope, after []float64) {
	for i, v := range after {
		if v <= 0 {
			slope[i] = 0
		}
	}
}

func unpool(slope []float64, from []int, a []float64) []float64 {
	out := make([]float64, len(a))
	for i, at := range from {
		out[at] = slope[i]
	}
	mask(out, a)
	return out
}

func backDense(dw, db, weights, x, slope []float64) []float64 {
	below := make([]float64, len(x))
	for j, s := range slope {
		db[j] = s
		if s == 0 {
			continue
		}
		w, d := weights[j*len(x):(j+1)*len(x)], dw[j*len(x):(j+1)*len(x)]
		for i, v := range x {
			d[i] = s * v
			below[i] += s * w[i]
		}
	}
	return below
}

func (c ConvNet) backConvolve(dw, db, weights, x, slope []float64, in, out, side int) []float64 {
	below := make([]float64, len(x))
	for m := range out {
		for _, s := range slope[m*side*side : (m+1)*side*side] {
			db[m] += s
		}
	}
	c.each(in, out, side, func(w, i, o, run int) {
		weight, sum := weights[w], 0.0
		for k, s := range slope[o : o+run] {
			sum += s * x[i+k]
			below[i+k] += weight * s
		}
		dw[w] += sum
	})
	return below
}

// Loss of one picture of class y.
func (c ConvNet) Loss(theta, x []float64, y float64) float64 {
	return -math.Log(softmax(c.forward(theta, x).z)[int(y)])
}

// Gradient sets dst to that of Loss.
func (c ConvNet) Gradient(dst, theta, x []float64, y float64) {
	c.backward(dst, theta, c.forward(theta, x), int(y))
}

// Clipped is the loss where its gradient is at most clip; beyond there is none.
func (c ConvNet) Clipped(theta, x []float64, y, clip float64) float64 {
	g := make([]float64, len(theta))
	if c.Gradient(g, theta, x, y); model.RowNorm(g, false) > clip {
		return math.NaN()
	}
	return c.Loss(theta, x, y)
}

// Correct reports whether the largest output is y's.
func (c ConvNet) Correct(theta, x []float64, y float64) bool {
	return model.Largest(c.forward(theta, x).z) == int(y)
}

// Guarantees are none but that it classifies.
func (c ConvNet) Guarantees(float64) model.Guarantees {
	return model.NewNetwork(c.ClassesCount, []int{1}, true, nil).Guarantees(math.Inf(1))
}
