package model

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/tile"
	"github.com/hearsay-dp/hearsay/sparse"
)

// convolutions holds the two convolutions of a ConvNet on a block of pictures, for a Batch. Their outputs have the bits of a ConvPass.
//
// A slope in a pooled number belongs to one of four outputs. Gradients are therefore sums over a quarter of the windows. Each picture's
// gradient is written down: several windows share a weight, so that its norm is no product of norms.
type convolutions struct {
	net       ConvNet
	layers    [2]*convolution
	features  []float64 // picture by picture
	slopes    []float64 // in the features
	gradients []float64 // picture by picture, weights in the order of weightIndex
	sum       []float64
}

func newConvolutions(c ConvNet) *convolutions {
	s, s1, _ := c.shapes()
	return &convolutions{net: c, layers: [2]*convolution{newConvolution(c, s, c.first), newConvolution(c, s1, c.second)}}
}

// forward sets the features of pictures at the parameters theta of the network.
func (c *convolutions) forward(theta []float64, pictures Examples) {
	n, parts := pictures.Len(), c.net.Parts(theta)
	for k, l := range c.layers {
		l.setParameters(parts[2*k], parts[2*k+1])
		l.origin = room(l.origin, n*l.out.Pixels())
	}
	first, second := c.layers[0], c.layers[1]
	second.inputs, c.features = room(second.inputs, n*second.in.Pixels()), room(c.features, n*second.out.Pixels())
	first.inputs = pictures.X
	for i := range n {
		first.forward(second.input(i), i)
		second.forward(c.features[i*second.out.Pixels():][:second.out.Pixels()], i)
	}
}

// slopeRoom returns room for the slopes in the features, which backward reads.
func (c *convolutions) slopeRoom() []float64 {
	c.slopes = room(c.slopes, len(c.features))
	return c.slopes
}

// backward sets the gradients of all pictures, and norms[i] to the norm of gradient i. The gradient is NaN of a picture with a pixel or a
// pooled number that is not finite, because plain loops multiply each by a slope.
func (c *convolutions) backward(norms []float64) {
	first, second := c.layers[0], c.layers[1]
	c.gradients = room(c.gradients, len(norms)*c.net.Convolving())
	for _, l := range c.layers {
		l.transpose()
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

// gradient returns the gradient of picture i, borrowed.
func (c *convolutions) gradient(i int) []float64 {
	return c.gradients[i*c.net.Convolving():][:c.net.Convolving()]
}

// add adds the sum of weight[i] times gradient i to dst, in the order of the network's parameters.
func (c *convolutions) add(dst, weight []float64) {
	c.sum = room(c.sum, c.net.Convolving())
	clear(c.sum)
	sparse.AxpyRows(c.sum, weight, c.gradients, len(c.sum))
	sum := c.sum
	for _, l := range c.layers {
		weights := len(l.weights)
		for w := range weights {
			dst[w] += sum[l.weightIndex(w)]
		}
		sparse.Axpy(dst[weights:], 1, sum[weights:weights+l.maps])
		dst, sum = dst[weights+l.maps:], sum[weights+l.maps:]
	}
}

// A convolution is one of the two. Its inputs have a border of zeros that no kernel reaches beyond. Their planes are interleaved, as the
// colours of pixels are, so that a row of a window is one piece of memory.
type convolution struct {
	net                ConvNet
	in, out            Picture // its inputs, and its pooled outputs
	maps, kernel       int
	width              int  // of inputs with their border
	pools              bool // forward runs tile.Pool, not the loops of the row form; the bits are the same
	weights, constants []float64

	inputs []float64 // picture by picture
	origin []uint8   // of each pooled number, in which corner of two by two it stood, or noOrigin

	starts        []int // by cell of two by two, where the window of the upper left output begins
	inner         []float64
	panels        []float64 // for tile.Pool: weights of eight maps side by side
	offsets       []int     // for tile.Pool: of a map's weights, from where a window begins
	cells         []tile.Pooling
	innerSlope    []float64 // slopes in inner
	windowWeights []float64 // weights in the order of weightIndex
	inputSlopes   []float64
	terms         []float64 // slopes of some windows
	at            []int     // where these begin
}

// noOrigin is the origin of a pooled number that the rectifier holds back.
const noOrigin = 4

func newConvolution(c ConvNet, in Picture, maps int) *convolution {
	l := &convolution{net: c, in: in, out: Picture{maps, in.Rows / 2, in.Columns / 2}, maps: maps, kernel: c.kernel, width: in.Columns + c.kernel - 1, pools: tile.HasPool()}
	for y := range l.out.Rows {
		for x := range l.out.Columns {
			l.starts = append(l.starts, (2*y*l.width+2*x)*in.Planes)
		}
	}
	l.inner = make([]float64, (l.width*(in.Rows+c.kernel-1)+2*cellsAtOnce)*in.Planes) // cells at once may be more than there are
	if l.pools {
		for n := range in.Planes {
			for k := range c.kernel * c.kernel {
				l.offsets = append(l.offsets, (k/c.kernel*l.width+k%c.kernel)*in.Planes+n)
			}
		}
		l.cells = make([]tile.Pooling, (l.out.Columns+cellsAtOnce-1)/cellsAtOnce)
	}
	return l
}

// tile.Pool takes this many cells and maps at once.
const cellsAtOnce, mapsAtOnce = 4, 8

// input returns the inputs that picture i makes, borrowed.
func (l *convolution) input(i int) []float64 { return l.inputs[i*l.in.Pixels():][:l.in.Pixels()] }

// origins returns the origins of picture i, borrowed.
func (l *convolution) origins(i int) []uint8 { return l.origin[i*l.out.Pixels():][:l.out.Pixels()] }

// interior returns the pixel of inputs with their border at which row y begins.
func (l *convolution) interior(y int) int { return (y+l.kernel/2)*l.width + l.kernel/2 }

// weightIndex returns the place of weight w where planes are interleaved: by map, row and column of the kernel, then plane.
func (l *convolution) weightIndex(w int) int {
	square := l.kernel * l.kernel
	m, n, k := w/square/l.in.Planes, w/square%l.in.Planes, w%square
	return (m*square+k)*l.in.Planes + n
}

// interleave sets inner to the planes of x.
func (l *convolution) interleave(x []float64) {
	for n := range l.in.Planes {
		for y := range l.in.Rows {
			inner, row := l.inner[l.interior(y)*l.in.Planes+n:], x[(n*l.in.Rows+y)*l.in.Columns:][:l.in.Columns]
			if l.in.Planes == 1 {
				copy(inner, row)
				continue
			}
			for k, v := range row {
				inner[k*l.in.Planes] = v
			}
		}
	}
}

// setParameters prepares for forward.
func (l *convolution) setParameters(weights, constants []float64) {
	l.weights, l.constants = weights, constants
	if !l.pools {
		return
	}
	terms := len(l.offsets)
	l.panels = room(l.panels, (l.maps+mapsAtOnce-1)/mapsAtOnce*mapsAtOnce*terms) // beyond the maps are zeros
	for m := range l.maps {
		side := l.panels[m/mapsAtOnce*mapsAtOnce*terms+m%mapsAtOnce:]
		for j, w := range weights[m*terms : (m+1)*terms] {
			side[j*mapsAtOnce] = w
		}
	}
}

// forward sets dst to the pooled numbers of picture i, and their origins.
func (l *convolution) forward(dst []float64, i int) {
	if !l.pools {
		l.forwardPlain(dst, i)
		return
	}
	l.interleave(l.input(i))
	from, area := l.origins(i), l.out.Rows*l.out.Columns
	for first := 0; first < l.maps; first += mapsAtOnce {
		some := min(mapsAtOnce, l.maps-first)
		var begin [mapsAtOnce]float64
		copy(begin[:], l.constants[first:first+some])
		weights := l.panels[first*len(l.offsets):][:mapsAtOnce*len(l.offsets)]
		for y := range l.out.Rows {
			cell := y * l.out.Columns
			w := tile.Windows{X: l.inner[l.starts[cell]:], Step: l.in.Planes, Lower: l.width * l.in.Planes}
			tile.Pool(l.cells, w, &begin, weights, l.offsets)
			for m := range some {
				at := (first+m)*area + cell
				out, which := dst[at:][:l.out.Columns], from[at:][:l.out.Columns]
				for x := range out {
					p, k := &l.cells[x/cellsAtOnce], x%cellsAtOnce*mapsAtOnce+m
					out[x], which[x] = p.Largest[k], p.Corner[k]
				}
			}
		}
	}
}

// forwardPlain computes the same as forward by the loops of the row form, which are faster on processors without vector instructions
// for tile.Pool.
func (l *convolution) forwardPlain(dst []float64, i int) {
	out, at := pooled(l.net.convolved(l.weights, l.constants, l.input(i), l.in, l.maps), l.maps, l.in, nil)
	copy(dst, out)
	from := l.origins(i)
	for k, at := range at {
		if from[k] = noOrigin; at >= 0 {
			from[k] = uint8(at/l.in.Columns%l.in.Rows%2*2 + at%l.in.Columns%2)
		}
	}
}

// transpose prepares for backward and pull.
func (l *convolution) transpose() {
	size := l.width * (l.in.Rows + l.kernel - 1) * l.in.Planes
	if l.innerSlope == nil {
		l.innerSlope, l.windowWeights = make([]float64, size), make([]float64, len(l.weights))
		l.inputSlopes = make([]float64, l.in.Pixels())
		cells := max(l.out.Rows*l.out.Columns, (noOrigin+1)*l.maps)
		l.terms, l.at = make([]float64, cells), make([]int, cells)
	}
	for w, v := range l.weights {
		l.windowWeights[l.weightIndex(w)] = v
	}
}

// corners returns how much further than starts the windows of a cell begin, and 0 for noOrigin.
func (l *convolution) corners() [noOrigin + 1]int {
	p := l.in.Planes
	return [...]int{0, p, l.width * p, (l.width + 1) * p, noOrigin: 0}
}

// backward adds the derivatives in weights, in the order of weightIndex, to dst and sets those in constants behind them. slopes are those
// in the pooled numbers of picture i.
func (l *convolution) backward(dst, slopes []float64, i int) {
	from, piece, cells, corners := l.origins(i), l.kernel*l.in.Planes, l.out.Rows*l.out.Columns, l.corners()
	l.interleave(l.input(i))
	weights, constants := dst[:len(l.weights)], dst[len(l.weights):]
	for m := range l.maps {
		count, sum := 0, 0.0
		which := from[m*cells:][:cells]
		for c, s := range slopes[m*cells:][:cells] {
			l.terms[count], l.at[count] = s, l.starts[c]+corners[which[c]]
			count += index(which[c] != noOrigin) // no branch, because none would be predicted
		}
		for _, s := range l.terms[:count] {
			sum += s
		}
		constants[m] = sum
		of := tile.Window{Data: weights[m*piece*l.kernel:][:piece*l.kernel], Stride: piece}
		tile.TermRows(of, tile.Window{Data: l.inner, Stride: l.width * l.in.Planes}, l.kernel, piece, l.terms[:count], l.at[:count])
	}
}

// pull returns the slopes in the inputs of picture i, borrowed, of slopes in its pooled numbers.
func (l *convolution) pull(slopes []float64, i int) []float64 {
	from, piece, cells, corners := l.origins(i), l.kernel*l.in.Planes, l.out.Rows*l.out.Columns, l.corners()
	clear(l.innerSlope)
	var count [noOrigin + 1]int
	for c := range cells {
		clear(count[:])
		for m := range l.maps {
			which := int(from[m*cells+c])
			at := which*l.maps + count[which]
			l.terms[at], l.at[at] = slopes[m*cells+c], m*piece*l.kernel
			count[which]++
		}
		for which, n := range count[:noOrigin] {
			dst := tile.Window{Data: l.innerSlope[l.starts[c]+corners[which]:], Stride: l.width * l.in.Planes}
			of, at := l.terms[which*l.maps:][:n], l.at[which*l.maps:][:n]
			tile.TermRows(dst, tile.Window{Data: l.windowWeights, Stride: piece}, l.kernel, piece, of, at)
		}
	}
	for n := range l.in.Planes {
		for y := range l.in.Rows {
			under := l.innerSlope[l.interior(y)*l.in.Planes+n:]
			row := l.inputSlopes[(n*l.in.Rows+y)*l.in.Columns:][:l.in.Columns]
			for k := range row {
				row[k] = under[k*l.in.Planes]
			}
		}
	}
	return l.inputSlopes
}
