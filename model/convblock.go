package model

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/tile"
	"github.com/hearsay-dp/hearsay/sparse"
)

// convolutions are the convolutions of a ConvNet on a block of pictures, for a Batch. Outputs have the bits of a ConvPass. Of
// every two by two outputs one has a slope, at most: gradients are sums over these, a quarter of what plain loops add up. The
// gradient of each picture is written down, for several windows share a weight, and its norm is no product of norms.
type convolutions struct {
	net       ConvNet
	layers    [2]*convolution
	pictures  Examples
	features  []float64 // of each picture
	slopes    []float64 // in the features
	gradients []float64 // of each picture, with weights in the order of convolution.turned
	sum       []float64
}

func newConvolutions(c ConvNet) *convolutions {
	s, s1, _ := c.shapes()
	return &convolutions{net: c, layers: [2]*convolution{newConvolution(c, s, c.first), newConvolution(c, s1, c.second)}}
}

// forward sets the features of pictures.
func (c *convolutions) forward(theta []float64, pictures Examples) {
	c.pictures = pictures
	n, parts := pictures.Len(), c.net.Parts(theta)
	for k, l := range c.layers {
		l.weights, l.constants = parts[2*k], parts[2*k+1]
		l.where = grown(l.where, n*l.out.Pixels())
	}
	first, second := c.layers[0], c.layers[1]
	second.inputs, c.features = room(second.inputs, n*second.in.Pixels()), room(c.features, n*second.out.Pixels())
	first.inputs = pictures.X
	for i := range n {
		first.forward(second.input(i), i)
		second.forward(c.features[i*second.out.Pixels():][:second.out.Pixels()], i)
	}
}

// makeSlopes is room for the slopes in the features of the pictures.
func (c *convolutions) makeSlopes() []float64 {
	c.slopes = room(c.slopes, len(c.features))
	return c.slopes
}

// backward sets the gradients of the pictures, and norms to theirs. One whose numbers are not all finite has none.
func (c *convolutions) backward(norms []float64) {
	first, second := c.layers[0], c.layers[1]
	c.gradients = room(c.gradients, len(norms)*c.net.Convolving())
	for _, l := range c.layers {
		l.turn()
	}
	size := len(first.weights) + first.maps
	for i := range norms {
		g := c.gradient(i)
		if !sparse.Within(first.input(i), math.MaxFloat64) || !sparse.Within(second.input(i), math.MaxFloat64) {
			for j := range g {
				g[j] = math.NaN()
			}
		} else {
			clear(g)
			second.backward(g[size:], c.slopes[i*second.out.Pixels():][:second.out.Pixels()], i)
			first.backward(g[:size], second.pull(c.slopes[i*second.out.Pixels():][:second.out.Pixels()], i), i)
		}
		norms[i] = sparse.Norm(g)
	}
}

// gradient is that of picture i.
func (c *convolutions) gradient(i int) []float64 {
	return c.gradients[i*c.net.Convolving():][:c.net.Convolving()]
}

// add adds the weighted sum of the gradients to dst.
func (c *convolutions) add(dst, weight []float64) {
	c.sum = room(c.sum, c.net.Convolving())
	clear(c.sum)
	sparse.AxpyRows(c.sum, weight, c.gradients, len(c.sum))
	sum := c.sum
	for _, l := range c.layers {
		weights := len(l.weights)
		for w := range weights {
			dst[w] += sum[l.turned(w)]
		}
		sparse.Axpy(dst[weights:], 1, sum[weights:weights+l.maps])
		dst, sum = dst[weights+l.maps:], sum[weights+l.maps:]
	}
}

// A convolution is one of them. Planes have a border of zeros that no kernel reaches beyond; backwards they lie in each other, so that
// a row of a window is one piece.
type convolution struct {
	in, out            Picture
	maps, kernel       int
	width              int // of bordered planes
	weights, constants []float64
	inputs             []float64 // of each picture
	where              []uint8   // of each picture's pooled numbers, which of two by two it is, or off
	offsets            []int     // of the kernel's places in wide
	wide, row          []float64 // bordered planes, one after the other, and the outputs of a map
	inner, under       []float64 // bordered planes in each other, of inputs and of slopes in them
	across             []float64 // weights, in the order of turned
	below              []float64 // slopes in inputs
	terms              []float64 // slopes that are not 0
	at                 []int     // and where their windows begin
}

// off is where a pooled number comes from that the rectifier holds back.
const off = 4

func newConvolution(c ConvNet, in Picture, maps int) *convolution {
	border := c.kernel - 1
	l := &convolution{in: in, out: Picture{maps, in.Rows / 2, in.Columns / 2}, maps: maps, kernel: c.kernel, width: in.Columns + border}
	l.offsets, l.row = c.shifts(in.Planes, in, false), c.row(in)
	l.wide = make([]float64, in.Planes*l.width*(in.Rows+border)+spare)
	return l
}

// input is that of picture i.
func (l *convolution) input(i int) []float64 { return l.inputs[i*l.in.Pixels():][:l.in.Pixels()] }

// from is where the pooled numbers of picture i come from.
func (l *convolution) from(i int) []uint8 { return l.where[i*l.out.Pixels():][:l.out.Pixels()] }

// place is where bordered planes have row y, column 0.
func (l *convolution) place(y int) int { return (y+l.kernel/2)*l.width + l.kernel/2 }

// turned is where gradients have a weight: map by map, row by row of the kernel, column by column, plane by plane.
func (l *convolution) turned(w int) int {
	square := l.kernel * l.kernel
	m, n, k := w/square/l.in.Planes, w/square%l.in.Planes, w%square
	return (m*square+k)*l.in.Planes + n
}

// forward sets dst to what is pooled of picture i.
func (l *convolution) forward(dst []float64, i int) {
	x, from := l.input(i), l.from(i)
	height := l.in.Rows + l.kernel - 1
	for n := range l.in.Planes {
		for y := range l.in.Rows {
			copy(l.wide[n*height*l.width+l.place(y):], x[(n*l.in.Rows+y)*l.in.Columns:][:l.in.Columns])
		}
	}
	for m, begin := range l.constants {
		for k := range l.row {
			l.row[k] = begin
		}
		tile.Terms(l.row, l.wide, l.weights[m*len(l.offsets):(m+1)*len(l.offsets)], l.offsets)
		for y := range l.out.Rows {
			cells := (m*l.out.Rows + y) * l.out.Columns
			largest(dst[cells:][:l.out.Columns], from[cells:][:l.out.Columns], l.row[2*y*l.width:], l.row[(2*y+1)*l.width:])
		}
	}
}

// largest is pooled of two rows, without branches that nothing foretells.
func largest(dst []float64, from []uint8, upper, lower []float64) {
	upper, lower = upper[:2*len(dst)], lower[:2*len(dst)]
	for x := range dst {
		best, at := math.Float64bits(upper[2*x]), 0
		for k, v := range [...]float64{upper[2*x+1], lower[2*x], lower[2*x+1]} {
			bits := math.Float64bits(v)
			if v > math.Float64frombits(best) {
				best, at = bits, k+1
			}
		}
		v := math.Float64frombits(best)
		held := math.Float64bits(0 * v) // not a number stays none
		if !(v > 0) {
			best, at = held, off
		}
		dst[x], from[x] = math.Float64frombits(best), uint8(at)
	}
}

// turn makes ready for backward and pull.
func (l *convolution) turn() {
	size := l.width * (l.in.Rows + l.kernel - 1) * l.in.Planes
	if l.inner == nil {
		l.inner, l.under, l.across = make([]float64, size), make([]float64, size), make([]float64, len(l.weights))
		l.below = make([]float64, l.in.Pixels())
		cells := max(l.out.Rows*l.out.Columns, (off+1)*l.maps)
		l.terms, l.at = make([]float64, cells), make([]int, cells)
	}
	for w, v := range l.weights {
		l.across[l.turned(w)] = v
	}
}

// window is where the window of an output begins in planes that lie in each other, of the first of two by two that are pooled
// and of which of these.
func (l *convolution) window(cell int, which int) int {
	y, x := cell/l.out.Columns, cell%l.out.Columns
	return ((2*y+which/2)*l.width + 2*x + which%2) * l.in.Planes
}

// backward adds to the derivatives in weights, in the order of turned, and constants what slopes in the pooled numbers of
// picture i are in them.
func (l *convolution) backward(dst, slopes []float64, i int) {
	x, from, piece, cells := l.input(i), l.from(i), l.kernel*l.in.Planes, l.out.Rows*l.out.Columns
	for n := range l.in.Planes {
		for y := range l.in.Rows {
			inner := l.inner[l.place(y)*l.in.Planes+n:]
			for k, v := range x[(n*l.in.Rows+y)*l.in.Columns:][:l.in.Columns] {
				inner[k*l.in.Planes] = v
			}
		}
	}
	weights, constants := dst[:len(l.weights)], dst[len(l.weights):]
	for m := range l.maps {
		count, sum := 0, 0.0
		for c, s := range slopes[m*cells : (m+1)*cells] {
			which := from[m*cells+c]
			if which == off {
				continue
			}
			l.terms[count], l.at[count] = s, l.window(c, int(which))
			count++
			sum += s
		}
		constants[m] = sum
		of := tile.Window{Data: weights[m*piece*l.kernel:][:piece*l.kernel], Stride: piece}
		tile.TermRows(of, tile.Window{Data: l.inner, Stride: l.width * l.in.Planes}, l.kernel, piece, l.terms[:count], l.at[:count])
	}
}

// pull returns the slopes in the inputs of picture i, borrowed.
func (l *convolution) pull(slopes []float64, i int) []float64 {
	from, piece, cells := l.from(i), l.kernel*l.in.Planes, l.out.Rows*l.out.Columns
	clear(l.under)
	var count [off + 1]int
	for c := range cells {
		clear(count[:])
		for m := range l.maps {
			which := int(from[m*cells+c])
			at := which*l.maps + count[which]
			l.terms[at], l.at[at] = slopes[m*cells+c], m*piece*l.kernel
			count[which]++
		}
		for which, n := range count[:off] {
			dst := tile.Window{Data: l.under[l.window(c, which):], Stride: l.width * l.in.Planes}
			of, at := l.terms[which*l.maps:][:n], l.at[which*l.maps:][:n]
			tile.TermRows(dst, tile.Window{Data: l.across, Stride: piece}, l.kernel, piece, of, at)
		}
	}
	for n := range l.in.Planes {
		for y := range l.in.Rows {
			under := l.under[l.place(y)*l.in.Planes+n:]
			row := l.below[(n*l.in.Rows+y)*l.in.Columns:][:l.in.Columns]
			for k := range row {
				row[k] = under[k*l.in.Planes]
			}
		}
	}
	return l.below
}
