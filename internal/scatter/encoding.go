package scatter

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// An Encoding says how rows of numbers become the rows that a model takes: by at most one scattering transform, and then by at
// most one projection, or by sums alone. All of it is public.
type Encoding struct {
	Shape []int  `json:"shape,omitempty"` // of rows that are pictures: planes, rows, columns; a scattering transform needs it
	Seed  uint64 `json:"seed,string"`     // of the matrix of a projection
	Steps []Step `json:"steps"`
}

// MostScales is the largest number of scales of a step.
const MostScales = 5

// A Step has exactly one of its fields set.
type Step struct {
	Scatter *Wavelets `json:"scatter,omitempty" yaml:"scatter,omitempty"`
	Project int       `json:"project,omitempty" yaml:"project,omitempty"` // size of a projected row
	// Sums replaces each number of a row by the sum of it and all later ones. A model's coefficients for these are the
	// differences of neighbouring coefficients for the numbers themselves.
	Sums bool `json:"sums,omitempty" yaml:"sums,omitempty"`
}

// Wavelets holds the parameters of a scattering transform.
type Wavelets struct {
	Scales int `json:"scales" yaml:"scales"`
	Angles int `json:"angles" yaml:"angles"`
}

// String describes the effect of a step on a row.
func (s Step) String() string {
	if s.Scatter != nil {
		return fmt.Sprintf("wavelet scattering of orders 0 to 2, %d scales, %d angles, normalised within the row", s.Scatter.Scales, s.Scatter.Angles)
	}
	if s.Sums {
		return "sums of each number and all later ones of the row"
	}
	return fmt.Sprintf("projection to %d numbers by a random matrix that is public", s.Project)
}

// CheckSteps refuses steps that no rows can take.
func CheckSteps(steps []Step) error {
	for i, s := range steps {
		switch w := s.Scatter; {
		case s.Sums && (w != nil || s.Project != 0 || len(steps) > 1):
			return fault.New(fmt.Sprintf("step %d: sums stands alone", i+1), "features: [{sums: true}]")
		case !s.Sums && (w != nil) == (s.Project != 0):
			return fault.New(fmt.Sprintf("step %d is not one of scatter, project and sums", i+1), "features: [{scatter: {scales: 2, angles: 8}}, {project: 400}]")
		case i > 0 && (s.Scatter != nil || steps[i-1].Scatter == nil):
			return fault.New(fmt.Sprintf("step %d: scatter comes at most once and first, project at most once and last", i+1), "features: [{scatter: {scales: 2, angles: 8}}, {project: 400}]")
		case w != nil && (w.Scales < 1 || w.Scales > MostScales || w.Angles < 1 || w.Angles > MostAngles):
			return fault.New(fmt.Sprintf("step %d: %d scales and %d angles are not 1 to %d and 1 to %d", i+1, w.Scales, w.Angles, MostScales, MostAngles), "scatter: {scales: 2, angles: 8}")
		case s.Project < 0:
			return fault.New(fmt.Sprintf("step %d: project: %d is no number of features", i+1, s.Project), "project: 400")
		}
	}
	return nil
}

// A Chain is a prepared Encoding. It does not change and is safe for concurrent use. A nil Chain leaves rows as they are.
type Chain struct {
	from, to   int
	scattering *Transform  // nil: none
	projection *Projection // nil: none
	sums       bool
}

// Words describes the effect of the encoding on a row, step by step.
func (e *Encoding) Words() (steps []string) {
	if e == nil {
		return nil
	}
	for _, s := range e.Steps {
		steps = append(steps, "then "+s.String())
	}
	return steps
}

// Chain returns the encoding prepared for rows of features numbers. It returns nil for an encoding without steps.
func (e *Encoding) Chain(features int) (*Chain, error) {
	if e == nil || len(e.Steps) == 0 {
		return nil, nil
	}
	if err := CheckSteps(e.Steps); err != nil {
		return nil, err
	}
	c := &Chain{from: features, to: features}
	for _, s := range e.Steps {
		if s.Sums {
			c.sums = true
			continue
		}
		if s.Scatter == nil {
			p, err := NewProjection(c.to, s.Project, e.Seed)
			if err != nil {
				return nil, err
			}
			c.projection, c.to = &p, p.Size()
			continue
		}
		if err := c.scatter(e.Shape, s.Scatter); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *Chain) scatter(shape []int, w *Wavelets) (err error) {
	if len(shape) != 3 {
		return fault.New("scatter takes pictures, and what shape rows have is not known", "give data.shape: planes, rows and columns of a picture, such as [1, 28, 28]")
	}
	for _, side := range shape {
		if side < 1 || side > max(MostSide, MostPlanes) {
			return fault.New(fmt.Sprintf("pictures of shape %v", shape), fmt.Sprintf("give up to %d planes, and sides of 3 to %d pixels", MostPlanes, MostSide))
		}
	}
	if n := shape[0] * shape[1] * shape[2]; n != c.from {
		return fault.New(fmt.Sprintf("pictures of shape %v have %d numbers, and rows have %d", shape, n, c.from),
			"give planes, rows and columns whose product is the number of features")
	}
	if c.scattering, err = New(Shape{Planes: shape[0], Height: shape[1], Width: shape[2]}, w.Scales, w.Angles); err != nil {
		return err
	}
	c.to = c.scattering.Size()
	return nil
}

// Size returns the size of an encoded row.
func (c *Chain) Size() int { return c.to }

// atOnce is the number of rows that are scattered before they are projected. A scattered row has up to some 100,000 numbers.
const atOnce = 2048

// Encode returns the encoded rows of x. Row i follows from row i of x alone.
func (c *Chain) Encode(x []float64, workers int) []float64 {
	if c == nil {
		return x
	}
	rows := len(x) / c.from
	encoded := make([]float64, rows*c.to)
	for first := 0; first < rows; first += atOnce {
		count := min(atOnce, rows-first)
		from, to := x[first*c.from:(first+count)*c.from], encoded[first*c.to:(first+count)*c.to]
		switch {
		case c.sums:
			addUp(to, from, c.from)
		case c.projection == nil:
			c.scattering.Apply(to, from, count, workers)
		case c.scattering == nil:
			c.projection.Apply(to, from, count, workers)
		default:
			scattered := make([]float64, count*c.scattering.Size())
			c.scattering.Apply(scattered, from, count, workers)
			c.projection.Apply(to, scattered, count, workers)
		}
	}
	return encoded
}

// addUp sets every row of dst to the sums of each number and all later ones of that row of src.
func addUp(dst, src []float64, columns int) {
	for first := 0; first < len(src); first += columns {
		sum := 0.0
		for j := first + columns - 1; j >= first; j-- {
			sum += src[j]
			dst[j] = sum
		}
	}
}

// Bound returns an upper bound on the norm of an encoded row, given the bound of a row before. A scattered row has deviation at
// most 1 in each of its groups. A projection can lengthen a row, so that its bound is +Inf. Sums are a product with the
// triangular matrix of ones, whose norm is 1/(2 sin(pi/(4n+2))).
func (c *Chain) Bound(before float64) float64 {
	switch {
	case c == nil:
		return before
	case c.projection != nil:
		return math.Inf(1)
	case c.sums:
		return before / (2 * math.Sin(math.Pi/float64(4*c.from+2))) * (1 + 1e-9)
	}
	return math.Sqrt(float64(c.to))
}
