package model

import "github.com/hearsay-dp/hearsay/internal/tile"

// A ConvPass is a picture's way through the convolutions of a network. As long as the same units stay on and the same
// numbers are the largest, the features are linear in the picture. Push and Pull are that map and
// its transpose, and so are PushSlopes and PullSlopes for the slopes that Pull adds up.
type ConvPass struct {
	Features []float64 // inputs of the hidden layer

	net          ConvNet
	w1, w2       []float64
	x, p1        []float64
	from1, from2 []int // where each pooled number comes from; -1: nothing comes through the rectifier
}

// Pass returns the pass of a picture.
func (c ConvNet) Pass(theta, x []float64) *ConvPass { return c.PassTowards(theta, x, nil) }

// PassTowards returns a Pass without the last rectifier where the wanted features are above 0. A nil want wants none.
func (c ConvNet) PassTowards(theta, x, want []float64) *ConvPass {
	parts := c.Parts(theta)
	p := &ConvPass{net: c, w1: parts[0], w2: parts[2], x: x}
	s, s1, _ := c.shapes()
	p.p1, p.from1 = pooled(c.convolved(parts[0], parts[1], x, s, c.first), c.first, s, nil)
	p.Features, p.from2 = pooled(c.convolved(parts[2], parts[3], p.p1, s1, c.second), c.second, s1, want)
	return p
}

// Push returns the change of features if the picture changes by dx.
func (p *ConvPass) Push(dx []float64) []float64 {
	s, s1, _ := p.net.shapes()
	d1 := gathered(p.net.convolved(p.w1, nil, dx, s, p.net.first), p.from1)
	return gathered(p.net.convolved(p.w2, nil, d1, s1, p.net.second), p.from2)
}

// Pull adds to dst the slopes in the parameters of the convolutions that follow from slopes in the features, and
// returns the slopes in the picture. dst is as long as these parameters, or nil.
func (p *ConvPass) Pull(dst, slopes []float64) []float64 {
	return p.pull(dst, slopes, p.p1, p.x)
}

// pull does the same as Pull for convolutions with inputs x and p1.
func (p *ConvPass) pull(dst, slopes, p1, x []float64) []float64 {
	s, s1, _ := p.net.shapes()
	var d1, d2 []float64
	if dst != nil {
		size := p.net.sizes()
		d1, d2 = dst[:size[0]+size[1]], dst[size[0]+size[1]:]
	}
	s2 := scattered(slopes, p.from2, p.net.second*s1.Rows*s1.Columns)
	s1Slopes := scattered(p.net.pulled(d2, p.w2, s2, p1, s1, p.net.second), p.from1, p.net.first*s.Rows*s.Columns)
	return p.net.pulled(d1, p.w1, s1Slopes, x, s, p.net.first)
}

// PushSlopes returns the change of the sums of Pull if the picture changes by dx and slopes in features stay.
func (p *ConvPass) PushSlopes(slopes, dx []float64) []float64 {
	s, _, _ := p.net.shapes()
	dst := make([]float64, p.net.Convolving())
	p.pull(dst, slopes, gathered(p.net.convolved(p.w1, nil, dx, s, p.net.first), p.from1), dx)
	size := p.net.sizes() // constants do not see the picture
	clear(dst[size[0]:][:size[1]])
	clear(dst[size[0]+size[1]+size[2]:])
	return dst
}

// PullSlopes returns the transpose of PushSlopes, applied to r, which is as long as the parameters of the convolutions.
func (p *ConvPass) PullSlopes(slopes, r []float64) []float64 {
	c := p.net
	s, s1, _ := c.shapes()
	size := c.sizes()
	r1, r2 := r[:size[0]], r[size[0]+size[1]:][:size[2]]
	s2 := scattered(slopes, p.from2, c.second*s1.Rows*s1.Columns)
	s1Slopes := scattered(c.pulled(nil, p.w2, s2, nil, s1, c.second), p.from1, c.first*s.Rows*s.Columns)
	under := c.pulled(nil, r1, s1Slopes, nil, s, c.first)
	on1 := scattered(c.pulled(nil, r2, s2, nil, s1, c.second), p.from1, c.first*s.Rows*s.Columns)
	for i, v := range c.pulled(nil, p.w1, on1, nil, s, c.first) {
		under[i] += v
	}
	return under
}

// each calls do with every run of products of a convolution: of weight w, inputs from i on and outputs from o on.
func (c ConvNet) each(in Picture, maps int, do func(w, i, o, run int)) {
	half := c.kernel / 2
	for m := range maps {
		for n := range in.Planes {
			for dy := range c.kernel {
				for dx := range c.kernel {
					w := ((m*in.Planes+n)*c.kernel+dy)*c.kernel + dx
					from, to := max(0, half-dx), min(in.Columns, in.Columns+half-dx)
					for y := max(0, half-dy); y < min(in.Rows, in.Rows+half-dy) && from < to; y++ {
						do(w, (n*in.Rows+y+dy-half)*in.Columns+from+dx-half, (m*in.Rows+y)*in.Columns+from, to-from)
					}
				}
			}
		}
	}
}

// Planes have a border of zeros that no kernel reaches beyond. They are added as they lie, shifted. Some numbers of a row then belong to
// no place and are not used. Every sum has its products in the order in which each calls.

// spare is the number of numbers behind all planes, so that a vector added at once may reach beyond a plane.
const spare = 16

// bordered returns planes with a border: lead rows and columns before each plane, and the rest of a kernel's reach behind it.
func (c ConvNet) bordered(x []float64, planes int, in Picture, lead int) []float64 {
	width, height := in.Columns+c.kernel-1, in.Rows+c.kernel-1
	wide := make([]float64, planes*width*height+spare)
	for n := range planes {
		for y := range in.Rows {
			copy(wide[(n*height+y+lead)*width+lead:], x[(n*in.Rows+y)*in.Columns:][:in.Columns])
		}
	}
	return wide
}

// shifts returns the offsets in bordered planes for each place of a kernel, turned by half a turn if slopes go back.
func (c ConvNet) shifts(planes int, in Picture, turned bool) (offsets []int) {
	width, height, last := in.Columns+c.kernel-1, in.Rows+c.kernel-1, c.kernel-1
	for n := range planes {
		for dy := range c.kernel {
			for dx := range c.kernel {
				if turned {
					offsets = append(offsets, (n*height+last-dy)*width+last-dx)
				} else {
					offsets = append(offsets, (n*height+dy)*width+dx)
				}
			}
		}
	}
	return offsets
}

// added sets a plane to begin and the sum of shifted planes.
func (c ConvNet) added(plane []float64, begin float64, wide, weights []float64, offsets []int, in Picture, row []float64) {
	for k := range row {
		row[k] = begin
	}
	tile.Terms(row, wide, weights, offsets)
	for y := range in.Rows {
		copy(plane[y*in.Columns:(y+1)*in.Columns], row[y*(in.Columns+c.kernel-1):])
	}
}

// row returns room for the sums of a plane, a multiple of the numbers added at once.
func (c ConvNet) row(in Picture) []float64 {
	need := (in.Rows-1)*(in.Columns+c.kernel-1) + in.Columns
	return make([]float64, (need+spare-1)/spare*spare)
}

// convolved returns a convolution. Constants are added unless they are nil.
func (c ConvNet) convolved(weights, constants, x []float64, in Picture, maps int) []float64 {
	area, wide, offsets, row := in.Rows*in.Columns, c.bordered(x, in.Planes, in, c.kernel/2), c.shifts(in.Planes, in, false), c.row(in)
	out := make([]float64, maps*area)
	for m := range maps {
		begin := 0.0
		if constants != nil {
			begin = constants[m]
		}
		c.added(out[m*area:(m+1)*area], begin, wide, weights[m*len(offsets):(m+1)*len(offsets)], offsets, in, row)
	}
	return out
}

// pulled returns the slopes in a convolution's inputs x of slopes in its outputs, and adds those in its weights and constants
// to dst unless that is nil.
func (c ConvNet) pulled(dst, weights, slopes, x []float64, in Picture, maps int) []float64 {
	under, area, square := make([]float64, in.Pixels()), in.Rows*in.Columns, c.kernel*c.kernel
	wide, offsets, row := c.bordered(slopes, maps, in, c.kernel-1-c.kernel/2), c.shifts(maps, in, true), c.row(in)
	of := make([]float64, len(offsets))
	for n := range in.Planes {
		for m := range maps {
			copy(of[m*square:(m+1)*square], weights[(m*in.Planes+n)*square:])
		}
		c.added(under[n*area:(n+1)*area], 0, wide, of, offsets, in, row)
	}
	if dst == nil {
		return under
	}
	c.each(in, maps, func(w, i, o, run int) {
		sum, from := 0.0, x[i:i+run]
		for k, s := range slopes[o : o+run] {
			sum += float64(s * from[k])
		}
		dst[w] += sum
	})
	constants := dst[len(weights):]
	for m := range constants {
		for _, s := range slopes[m*area : (m+1)*area] {
			constants[m] += s
		}
	}
	return under
}

// pooled returns the largest of every two by two, and its place. It returns 0 and -1 where neither the number nor its wanted
// value is above 0.
func pooled(a []float64, maps int, in Picture, want []float64) (out []float64, from []int) {
	rows, columns := in.Rows/2, in.Columns/2
	out, from = make([]float64, 0, maps*rows*columns), make([]int, 0, maps*rows*columns)
	for m := range maps {
		for y := range rows {
			for x := range columns {
				best := (m*in.Rows+2*y)*in.Columns + 2*x
				for _, at := range [...]int{best + 1, best + in.Columns, best + in.Columns + 1} {
					if a[at] > a[best] {
						best = at
					}
				}
				if a[best] > 0 || want != nil && want[len(out)] > 0 {
					out, from = append(out, a[best]), append(from, best)
				} else {
					out, from = append(out, 0*a[best]), append(from, -1) // not a number stays none
				}
			}
		}
	}
	return out, from
}

func gathered(a []float64, from []int) []float64 {
	out := make([]float64, len(from))
	for i, at := range from {
		if at >= 0 {
			out[i] = a[at]
		}
	}
	return out
}

func scattered(slopes []float64, from []int, size int) []float64 {
	out := make([]float64, size)
	for i, at := range from {
		if at >= 0 {
			out[at] = slopes[i]
		}
	}
	return out
}
