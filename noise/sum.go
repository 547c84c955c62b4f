package noise

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Add adds the mean of values, each clipped to norm Clip, to x with noise of standard deviation share x Std. r
// names the node, turn and lane; Add fills in the rest of the release. With a share of 0 it adds no noise, and
// the value must then be covered by the noise of others. share < 1, or several values under one noise, is for
// sums in which all steps add up, such as rounds of a ring.
//
// With share < 1, values are truncated to whole multiples of Grain, and x, which may come from anywhere, is
// rounded to them. Sums of such numbers are exact, so that rounding reveals no digit of a value. mean is
// scratch as long as x.
func (g *Gaussian) Add(x, mean []float64, of Gradients, scale, share float64, src Source, r *step.Release) {
	g.mean(mean, of, &Update{Scale: scale}, g.ClipOf(r.From))
	g.add(x, mean, share, src, r)
	g.shared(r, share, len(x), of.Len() > 0)
}

// AddNoise does as Add without a value.
func (g *Gaussian) AddNoise(x []float64, share float64, src Source, r *step.Release) {
	g.add(x, nil, share, src, r)
	g.shared(r, share, len(x), false)
}

func (g *Gaussian) add(x, value []float64, share float64, src Source, r *step.Release) {
	if grain := g.Grain(); share < 1 && grain > 0 {
		for i := range x {
			x[i] = grain * math.RoundToEven(x[i]/grain)
		}
		for i := range value {
			value[i] = grain * math.Trunc(value[i]/grain)
		}
	}
	if value != nil {
		sparse.Axpy(x, 1, value)
	}
	if std := share * g.Std(); std > 0 {
		src.Add(x, std, r.From, r.Turn, r.Lane)
	}
}

func (g *Gaussian) shared(r *step.Release, share float64, dims int, contributed bool) {
	g.release(r, contributed)
	r.NoiseStd = share * g.Std()
	if share < 1 {
		r.Sensitivity += g.CutDown(dims)
	}
}

// CutDown returns the amount by which shared noise raises SensitivityOf of a record. Truncation to whole
// multiples of Grain may move two means that differ by one record one grain further apart in each of dims
// coordinates. A node's truncated value stays in the ball of the clip.
func (g Gaussian) CutDown(dims int) float64 {
	if g.Shares == nil {
		return 0
	}
	return g.Grain() * math.Sqrt(float64(dims)) * (1 + 0x1p-50)
}

// Grain returns a power of two from 2^-28 to 2^-27 of Std. It is a whole number of steps of the grid of noise
// of at most Std (package discrete). It returns 0 without noise.
func (g Gaussian) Grain() float64 {
	std := g.Std()
	if std == 0 {
		return 0
	}
	_, exponent := math.Frexp(std) // std in [2^(exponent-1), 2^exponent)
	return math.Ldexp(1, exponent-28)
}
