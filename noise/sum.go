package noise

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Add adds the mean of values, each clipped to norm Clip, to x with noise of standard
// deviation share x Std, and fills in what r, which says who, when and of which lane, releases. A share of 0 adds none: what is
// added is then covered by the noise of others alone. share < 1 or more than one value
// under one noise is for sums whose steps all add up, such as rounds of a ring.
//
// Where noise is shared, values are cut down to whole multiples of Grain, and so is x,
// which may come from anywhere: sums of such numbers are exact, and no digit of a value
// can be told from its rounding. mean is scratch as long as x.
func (g *Gaussian) Add(x, mean []float64, of Gradients, scale, share float64, src Source, r *step.Release) {
	g.mean(mean, of, &Update{Scale: scale})
	g.add(x, mean, share, src, r)
	g.shared(r, share, len(x), of.Len() > 0)
}

// AddNoise is Add without a value.
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

// CutDown is by how much more than SensitivityOf a record moves what is added with shared
// noise: two means of so many coordinates that differ by one record may be cut down to
// whole multiples of Grain one grain further apart each. All that a node adds stays in the
// ball of the clip when it is cut down.
func (g Gaussian) CutDown(dims int) float64 {
	if g.Shares == nil {
		return 0
	}
	return g.Grain() * math.Sqrt(float64(dims)) * (1 + 0x1p-50)
}

// Grain is a power of two from 2^-28 to 2^-27 of Std: a whole number of steps of the grid
// that noise of at most Std has (package discrete). 0 without noise.
func (g Gaussian) Grain() float64 {
	std := g.Std()
	if std == 0 {
		return 0
	}
	_, exponent := math.Frexp(std) // std in [2^(exponent-1), 2^exponent)
	return math.Ldexp(1, exponent-28)
}
