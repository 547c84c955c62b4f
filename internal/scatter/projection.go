package scatter

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/internal/tile"
	"github.com/hearsay-dp/hearsay/step"
)

// A Projection multiplies rows of numbers by a matrix with one column for each of the k numbers of the result. Its entries are
// normal with variance 1/k. Inner products keep their means, with a variance of (|x|^2 |y|^2 + (x'y)^2)/k. The matrix follows
// from the seed.
type Projection struct {
	from, to int
	seed     uint64
}

// NewProjection returns a projection. It refuses to project to more numbers than a row has.
func NewProjection(from, to int, seed uint64) (Projection, error) {
	if to < 1 || to > from {
		return Projection{}, fault.New(fmt.Sprintf("project %d is not 1 to %d, how many numbers a row has", to, from), fmt.Sprintf("project: %d", max(1, min(400, from))))
	}
	return Projection{from, to, seed}, nil
}

// The matrix is drawn in parts of drawn rows, each of which is multiplied by some rows of data at a time.
const drawn, some = 512, 128

// Size returns the size of a projected row.
func (p Projection) Size() int { return p.to }

// Apply sets dst to the projected rows of src. Each call draws the matrix anew and holds a part of it at a time, so it is for many
// rows. Results are the same bits for any number of workers, and those of a row do not depend on the rows beside it.
func (p Projection) Apply(dst, src []float64, rows, workers int) {
	if len(src) != rows*p.from || len(dst) != rows*p.to {
		panic("scatter: rows of another size")
	}
	clear(dst)
	matrix := make([]float64, min(drawn, p.from)*p.to)
	for first := 0; first < p.from; first += drawn {
		depth := min(drawn, p.from-first)
		parallel.Each(depth, workers, func(i int) { p.draw(matrix[i*p.to:(i+1)*p.to], first+i) })
		parallel.Each((rows+some-1)/some, workers, func(i int) {
			var product tile.Product
			data := tile.Factor{Data: src[i*some*p.from+first:], Row: 1, Column: p.from}
			product.Add(dst[i*some*p.to:], p.to, data, tile.Factor{Data: matrix, Row: p.to, Column: 1}, depth, min(some, rows-i*some), p.to)
		})
	}
}

// draw sets a row of the matrix.
func (p Projection) draw(row []float64, number int) {
	var stream step.Stream
	stream.At(p.seed, step.NodeID(number), 0, 0, step.Projection)
	stream.Normals(row)
	deviation := 1 / math.Sqrt(float64(p.to))
	for i := range row {
		row[i] *= deviation
	}
}
