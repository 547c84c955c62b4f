package sum

import (
	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// Everywhere returns 1: the usual noise in every turn (002 Algorithm 7.1). schedule.Ring has
// other shares.
func Everywhere(int) float64 { return 1 }

// Adder is the kernel of a sum: the holder adds the mean of its rows, each clipped, and
// noise.
type Adder struct {
	local  *descent.Local
	share  func(at int) float64 // of the usual noise, as a standard deviation
	source noise.Source
	mean   []float64
	rows   rows
}

// NewAdder makes the kernel of a protocol.
func NewAdder(share func(at int) float64) func(*descent.Local, noise.Source, walk.Chance) walk.Kernel {
	return func(l *descent.Local, source noise.Source, _ walk.Chance) walk.Kernel {
		return &Adder{local: l, share: share, source: source, mean: make([]float64, l.Params)}
	}
}

// Contribute implements walk.Kernel.
func (a *Adder) Contribute(token []float64, ex *model.Examples, scale float64, at int, r *step.Release) {
	a.rows.Examples = *ex
	a.local.Noise.Add(token, a.mean, &a.rows, scale, a.share(at), a.source, r)
}

// NoiseOnly implements walk.Kernel.
func (a *Adder) NoiseOnly(token []float64, at int, r *step.Release) {
	a.local.Noise.AddNoise(token, a.share(at), a.source, r)
}

// rows serves the values themselves as noise.Gradients.
type rows struct{ model.Examples }

// Gradient implements noise.Gradients.
func (r *rows) Gradient(i int) (slope, norm float64, direction []float64) {
	x, _ := r.Row(i)
	return 1, model.RowNorm(x, false), x
}

// Value returns the addend of a node that holds ex, without noise: its mean of clipped rows, times scale.
func Value(l *descent.Local, ex model.Examples, scale float64) []float64 {
	x := make([]float64, l.Params)
	quiet := noise.Gaussian{Clip: l.Noise.Clip}
	quiet.Add(x, make([]float64, l.Params), &rows{ex}, scale, 1, nil, &step.Release{})
	return x
}
