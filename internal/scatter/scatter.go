// Package scatter computes features of pictures that depend on no data: a wavelet scattering transform, and a projection by a
// random matrix. Features of a row follow from this row alone, so they are public knowledge and cost no privacy.
package scatter

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
)

// A Shape is the layout of a row of numbers: planes of colour one after the other, each of Height rows of Width pixels.
type Shape struct{ Planes, Height, Width int }

// These are the limits of New.
const (
	MostSide   = 256
	MostPlanes = 64
	MostAngles = 16
)

// A Transform is a scattering transform of orders 0 to 2 (Mallat 2012; Bruna and Mallat 2013) with the conventions of Kymatio
// (Andreux et al. 2020). A plane x is reflected at its borders, 2^scales pixels beyond each. Its channels are
//
//	low(x), low|x * psi_a|, low||x * psi_a| * psi_b|
//
// for all Morlet wavelets a, and then for all pairs of which b has the larger scale. Wavelets are numbered scale by scale and,
// within a scale, angle by angle. Function low smooths by a Gaussian of 0.8 2^(scales-1) pixels and keeps the pixels 0, 2^scales,
// 2 2^scales, ... of each side. A side that 2^scales does not divide keeps its last, shorter stretch: 28 pixels give 4 at 3 scales.
//
// A Transform does not change after New and may be used by several goroutines at once.
type Transform struct {
	shape           Shape
	scales, angles  int
	rows, columns   *axis       // of the padded plane
	filters         [][]float64 // Fourier multipliers of the wavelets over the number of pixels, in the order of axes
	down, across    smoothing   // low, along a column and along a row
	channels, pixel int         // number of channels of a plane, and number of pixels of each
}

// New prepares a transform. It refuses sides of up to 2^scales pixels, which cannot be reflected.
func New(shape Shape, scales, angles int) (*Transform, error) {
	if err := check(shape, scales, angles); err != nil {
		return nil, err
	}
	border := 1 << scales
	t := &Transform{shape: shape, scales: scales, angles: angles, channels: 1 + scales*angles + scales*(scales-1)/2*angles*angles,
		rows: newAxis(shape.Height + 2*border), columns: newAxis(shape.Width + 2*border)}
	t.down = newSmoothing(t.rows, scales, shape.Height)
	t.across = newSmoothing(t.columns, scales, shape.Width)
	t.pixel = t.down.count * t.across.count
	t.filters = t.morlets()
	return t, nil
}

func check(s Shape, scales, angles int) error {
	switch {
	case s.Planes < 1 || s.Planes > MostPlanes:
		return fault.New(fmt.Sprintf("pictures have %d planes of colour, not 1 to %d", s.Planes, MostPlanes), "give 1 for grey and 3 for colour")
	case angles < 1 || angles > MostAngles:
		return fault.New(fmt.Sprintf("angles %d are not 1 to %d", angles, MostAngles), "angles: 8")
	case min(s.Height, s.Width) < 3 || max(s.Height, s.Width) > MostSide:
		return fault.New(fmt.Sprintf("pictures of %d x %d pixels have a side that is not 3 to %d", s.Height, s.Width, MostSide), "scale the pictures before they are read")
	}
	most := 1
	for 2<<most < min(s.Height, s.Width) {
		most++
	}
	if scales < 1 || scales > most {
		return fault.New(fmt.Sprintf("scales %d are not 1 to %d: 2^scales stays below both sides of %d x %d pixels", scales, most, s.Height, s.Width),
			fmt.Sprintf("scales: %d", min(2, most)))
	}
	return nil
}

// Size returns the size of a row of features: planes, channels, rows and columns, the slowest first.
func (t *Transform) Size() int { return t.shape.Planes * t.channels * t.pixel }

// Apply sets dst to the features of the rows of src. The features of each plane are normalised in groups of three channels. The
// last group has the one or two that are left over. A group has mean 0 and deviation 1, except that 1e-5 is added to its
// variance. Results are the same bits for any number of workers, and those of a row do not depend on the rows beside it.
func (t *Transform) Apply(dst, src []float64, rows, workers int) {
	t.each(dst, src, rows, workers, t.normalise)
}

// task is the number of pictures that share scratch memory.
const task = 16 * lanes

// each scatters all planes, lanes of them at a time, and calls finish with the features of each.
func (t *Transform) each(dst, src []float64, rows, workers int, finish func(plane []float64)) {
	planes, from, to := rows*t.shape.Planes, t.shape.Height*t.shape.Width, t.channels*t.pixel
	if len(src) != planes*from || len(dst) != planes*to {
		panic("scatter: rows of another size")
	}
	parallel.Each((planes+task-1)/task, workers, func(i int) {
		w := t.newWork()
		end := min(planes, (i+1)*task)
		for first := i * task; first < end; first += lanes {
			last := min(end, first+lanes)
			w.scatter(dst[first*to:last*to], src[first*from:last*from])
			for p := first; p < last; p++ {
				finish(dst[p*to : (p+1)*to])
			}
		}
	})
}

func (t *Transform) normalise(plane []float64) {
	for size := 3 * t.pixel; len(plane) > 0; {
		group := plane[:min(size, len(plane))]
		plane = plane[len(group):]
		mean, variance := moments(group)
		scale := 1 / math.Sqrt(variance+1e-5)
		for i, v := range group {
			group[i] = (v - mean) * scale
		}
	}
}

func moments(x []float64) (mean, variance float64) {
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	for _, v := range x {
		variance += float64((v - mean) * (v - mean))
	}
	return mean, variance / float64(len(x))
}
