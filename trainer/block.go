package trainer

import (
	"fmt"
	"strconv"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/safetensors"
	"github.com/hearsay-dp/hearsay/internal/tile"
	"github.com/hearsay-dp/hearsay/sparse"
)

// mostRows is the largest number of rows of a block.
const mostRows = 4096

// A block holds the gradients of some rows. For a dense layer it holds the inputs and the slopes of the outputs. For
// each other tensor it holds a row of numbers for each row.
type block struct {
	plan    *plan
	first   int // index of the first row among the requested rows
	rows    int
	others  [][]byte  // of each other tensor: rows x its numbers, in single precision
	row     []float64 // scratch: a row of one of them
	inputs  [][]float64
	slopes  [][]float64
	norms   []float64
	product tile.Product
}

// take decodes a message as the next block. came of the asked rows have arrived before it.
func (b *block) take(m *safetensors.Message, came, asked int) error {
	first, err := strconv.Atoi(m.Says["first"])
	if err != nil || first != came {
		return safetensors.Malformed("a block that begins with row %q of those asked for, and %d have come", m.Says["first"], came)
	}
	rows, err := strconv.Atoi(m.Says["rows"])
	if err != nil || rows < 1 || rows > mostRows || came+rows > asked {
		return safetensors.Malformed("a block of %q rows, %d of %d have come, and %d at once are allowed", m.Says["rows"], came, asked, mostRows)
	}
	b.first, b.rows = came, rows
	b.others = b.others[:0]
	for k, span := range b.plan.spans {
		of, err := matrix(m, fmt.Sprint("rows ", k), rows, span[1]-span[0])
		if err != nil {
			return err
		}
		b.others = append(b.others, of)
	}
	if parts := 2*len(b.plan.layers) + len(b.plan.spans); len(m.Tensors) != parts {
		return safetensors.Malformed("a block of %d tensors instead of %d", len(m.Tensors), parts)
	}
	b.inputs, b.slopes = resized(b.inputs, len(b.plan.layers)), resized(b.slopes, len(b.plan.layers))
	for k, layer := range b.plan.layers {
		if b.inputs[k], err = read(m, b.inputs[k], fmt.Sprint("inputs ", k), rows, layer.in); err != nil {
			return err
		}
		if b.slopes[k], err = read(m, b.slopes[k], fmt.Sprint("slopes ", k), rows, layer.out); err != nil {
			return err
		}
	}
	b.measure()
	return nil
}

func resized(s [][]float64, n int) [][]float64 {
	if s == nil {
		return make([][]float64, n)
	}
	return s
}

// matrix returns the data of a tensor of single precision, which must have the given name and shape.
func matrix(m *safetensors.Message, name string, rows, columns int) ([]byte, error) {
	t := m.Tensors[name]
	if t == nil || t.DType != "F32" || len(t.Shape) != 2 || t.Shape[0] != rows || t.Shape[1] != columns {
		return nil, safetensors.Malformed("no tensor %q of F32 and shape [%d, %d]", name, rows, columns)
	}
	return t.Data, nil
}

// read is matrix converted to doubles in dst, which grows if needed.
func read(m *safetensors.Message, dst []float64, name string, rows, columns int) ([]float64, error) {
	data, err := matrix(m, name, rows, columns)
	if err != nil {
		return dst, err
	}
	dst = room(dst, rows*columns)
	sparse.Widen(dst, data)
	return dst, nil
}

func room(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}

// other returns row i of the k-th other tensor, and the index of its first parameter.
func (b *block) other(i, k int) (row []float64, at int) {
	span := b.plan.spans[k]
	n := span[1] - span[0]
	b.row = room(b.row, n)
	sparse.Widen(b.row, b.others[k][4*i*n:])
	return b.row, span[0]
}

// measure computes the norms. The norm of a product of factors is the product of their norms.
func (b *block) measure() {
	b.norms = room(b.norms, b.rows)
	for i := range b.norms {
		square := 0.0
		for k := range b.others {
			row, _ := b.other(i, k)
			square += sparse.Dot(row, row)
		}
		for k, layer := range b.plan.layers {
			in, out := b.inputs[k][i*layer.in:(i+1)*layer.in], b.slopes[k][i*layer.out:(i+1)*layer.out]
			within := sparse.Dot(in, in)
			if layer.bias >= 0 {
				within++
			}
			square += float64(within * sparse.Dot(out, out))
		}
		b.norms[i] = math.Sqrt(square)
	}
}

// Norms implements model.Block.
func (b *block) Norms() []float64 { return b.norms }

// Add implements model.Block.
func (b *block) Add(dst, weight []float64) {
	for i, w := range weight {
		if w != 0 {
			b.addOthers(dst, w, i)
		}
	}
	for k, layer := range b.plan.layers {
		b.addLayer(dst, weight, k, layer)
	}
}

// addOthers adds w times row i of each other tensor.
func (b *block) addOthers(dst []float64, w float64, i int) {
	for k := range b.others {
		row, at := b.other(i, k)
		sparse.Axpy(dst[at:at+len(row)], w, row)
	}
}

// addLayer adds the weighted sum of the products of a layer's factors.
func (b *block) addLayer(dst, weight []float64, k int, layer dense) {
	in, out := b.inputs[k], b.slopes[k]
	for i, w := range weight {
		slopes := out[i*layer.out : (i+1)*layer.out]
		if w == 0 { // even if the factors are not finite
			clear(slopes)
			clear(in[i*layer.in : (i+1)*layer.in])
			continue
		}
		sparse.Scale(slopes, w)
		if layer.bias >= 0 {
			sparse.Axpy(dst[layer.bias:layer.bias+layer.out], 1, slopes)
		}
	}
	weights := dst[layer.weight : layer.weight+layer.in*layer.out]
	b.product.Add(weights, layer.in, tile.Factor{Data: out, Row: layer.out, Column: 1}, tile.Factor{Data: in, Row: layer.in, Column: 1}, b.rows, layer.out, layer.in)
}
