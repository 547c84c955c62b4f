package federation

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/internal/math"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/noise/discrete"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
)

// Noise holds the parameters of the noise in real releases. That noise is a discrete Gaussian on a
// grid, accounted as a continuous one (package discrete).
type Noise struct {
	Sigma      float64 // effective multiplier, which accountants use
	Nominal    float64 // drawn multiplier, slightly larger
	ExtraDelta float64 // addition to delta for the grid, over the whole run
	Slack      float64 // amount that a hop must hide in addition to that of continuous noise, in units of the sensitivity
	Std        float64 // of one release, per coordinate, before the step size
	Clip       float64 // this participant's own
	Relative   float64 // this participant's sensitivity, grid included, over the largest, where sensitivities differ; 0 means 1
}

// setNoise raises the noise by the price of the grid.
func (f *Federation) setNoise() error {
	noise, err := f.price(f.calibrated())
	if err != nil {
		return err
	}
	if f.setup, err = f.setup.WithNoise(noise.Nominal); err != nil {
		return err
	}
	if err := f.checkRange(); err != nil {
		return err
	}
	f.steps = max(usualSteps, 1+f.roundOff())
	noise.Slack = slack(noise.Nominal, f.Params(), f.steps)
	noise.Std, noise.Clip = f.local().Noise.Std(), f.local().Noise.ClipOf(f.Self)
	f.Noise = noise
	return nil
}

// price returns the noise for an effective multiplier sigma in units of the largest sensitivity.
// The grid is the same for all participants, so its price is relatively larger for a smaller
// sensitivity.
func (f *Federation) price(sigma float64) (Noise, error) {
	noise, err := onGrid(sigma, f.Params(), f.rounded(), f.setup.Algorithm.Draws()*float64(f.Params()))
	noise.Slack = slack(noise.Nominal, f.Params(), max(usualSteps, f.steps))
	if relatives := f.local().Noise.Relatives(); relatives != nil && err == nil {
		noise.Relative = sigma / discrete.EffectiveMultiplier(relatives[f.Self]/noise.Nominal, 1, f.rounded()) * (1 + 0x1p-50)
	}
	return noise, err
}

// rounded returns the number of coordinates for which rounding is charged. The price of rounding grows with its
// square root. Four times the number of parameters stands for twice the steps, and covers the round-off of the
// model too. A row of a Poisson sample is in or out, which is half a sensitivity apart. Rounding moves it as far,
// so it counts twice as much as a whole sensitivity. Noise that remembers earlier rounds is rounded in each of them.
func (f *Federation) rounded() int {
	if f.local().Noise.Sampled() {
		return 16 * f.Params()
	}
	if g, ok := f.setup.Algorithm.Schedule().(*schedule.Gossip); ok {
		return 4 * g.Rounding() * f.Params()
	}
	return 4 * f.Params()
}

// usualSteps bounds, for most runs, the steps of the grid by which one turn moves two models apart,
// round-off of the update included.
const usualSteps = 2

// slack returns the Slack of Noise for a multiplier, if one turn moves two models apart by steps
// steps of the grid.
func slack(multiplier float64, dims int, steps float64) float64 {
	return steps * discrete.Slack(1, dims) * multiplier
}

// mostRows is the maximal number of rows of a participant. Up to this number their mean is exact to
// 2^-29 of the clip.
const mostRows = 1 << 24

// roundOff returns an upper bound on how far the round-off of one turn in 53 bits moves two models
// apart, in steps of the finest grid. All values that enter a turn lie in a box of half-width b. Let
// d be the coordinates, m the neighbours and u = 2^-53. The mean of m values is off by at most
// m u sqrt(d) b, the projection by (d+4) u sqrt(d) b, and the additions by 12 u sqrt(d) b. A
// gradient adds 2 (d+2) u sqrt(d) b, because margins are off by (d+2) u |a| sqrt(d) b and the step
// is at most 2/smoothness. The mean of n clipped gradients adds n u of the clip. More noise makes
// the bound smaller.
func (f *Federation) roundOff() float64 {
	local, last := f.local(), int(f.setup.Algorithm.Turns())-1
	d, m := float64(f.Params()), 0
	for v := range f.Names {
		m = max(m, len(f.setup.Neighbours(v)))
	}
	unit := local.StepSize.At(last) * local.Noise.Std() / (1 << 29)
	rows := 1 / (local.Noise.Multiplier * math.Sqrt(d))
	gradient := 2 * d
	if local.Proximal {
		gradient *= 1 + float64(local.StepSize.Largest()*f.setup.Guarantees.Bend())
	}
	if r, ok := f.setup.Algorithm.(family.Rounder); ok {
		gradient += r.RoundOff(f.setup.Guarantees.Bend())
	}
	return 2*(gradient+d+float64(m)+22)*0x1p-53*f.setup.Algorithm.Bound()/unit + rows
}

// calibrationMargin is the relative amount by which calibrated noise is raised.
const calibrationMargin = 1e-4

// calibrated returns the spec's noise multiplier. A calibrated multiplier was found for continuous
// noise. calibrated raises it so that the grid's addition to the energy of a path does not lift the
// loss above the target. It compares that addition with the energy whose Gaussian view loses as
// much as the target. The raise is twice the needed one to first order, for safety.
// calibrationMargin covers accountants that bound one pair in two ways, about 1e-5 apart. The
// plan's losses are bounds even if the raise is too small.
func (f *Federation) calibrated() float64 {
	sigma, target := f.setup.Accounting.Sigma, f.Spec.Privacy.Calibrate
	if target == nil {
		return sigma
	}
	mu := privacy.MuGaussian(target.Target(), f.Spec.Privacy.Metric.Delta)
	energy := float64(mu * sigma * mu * sigma)
	grid := f.setup.Algorithm.OnGrid(energy, 2*discrete.Slack(1, f.Params())*sigma) - energy
	return float64(sigma * (1 + calibrationMargin + grid/energy))
}

// onGrid prices noise of an effective multiplier sigma > 0 on vectors of dims coordinates, in a run
// of that many draws. It charges rounding for rounded coordinates. The step of a grid is between
// 2^-29 and 2^-28 of the noise. onGrid charges the coarsest, so the price holds for every step size.
func onGrid(sigma float64, dims, rounded int, draws float64) (Noise, error) {
	nominal := sigma
	for range 100 {
		effective := discrete.EffectiveMultiplier(1/nominal, 1, rounded)
		if effective >= sigma {
			nominal *= 1 + 0x1p-40 // round-off of the step size's multiplications
			return Noise{
				Sigma: sigma, Nominal: nominal, ExtraDelta: discrete.ExtraDelta(draws),
				Slack: slack(nominal, dims, usualSteps),
			}, nil
		}
		nominal = math.Nextafter(nominal*(sigma/effective)*(1+0x1p-48), math.Inf(1))
	}
	return Noise{}, fault.New(fmt.Sprintf("privacy.sigma: %g on %d parameters is more noise than the grid can hold", sigma, dims),
		"use less noise, or a smaller model")
}

// largestToken is the maximal entry of a model in units of the noise of a step. Up to it, the
// round-off of an addition in 53 bits is an eighth of the finest grid's step. That is far less than
// the extra price in onGrid. Slack charges the round-off of a whole turn (roundOff).
const largestToken = 1 << 20

// checkRange returns an error if the public box (descent.Local.Bound) exceeds largestToken. The box
// contains every value that enters a step, whoever sent it. The check uses the last step, because
// it has the least noise if step sizes fall.
func (f *Federation) checkRange() error {
	local, last := f.local(), int(f.setup.Algorithm.Turns())-1
	bound := f.setup.Algorithm.Bound()
	if family.OffGrid(f.setup.Algorithm) != "" {
		return nil
	}
	if bound <= largestToken*local.StepSize.At(last)*local.Noise.Std() {
		return nil
	}
	return fault.New(fmt.Sprintf("algorithm.steps: in %d turns with sigma %g the model could outgrow the grid of its noise", last+1, local.Noise.Multiplier),
		"take fewer steps, add more noise, keep the step size constant, or set algorithm.radius")
}

// local returns the step that a participant takes on its rows.
func (f *Federation) local() *descent.Local { return f.setup.Algorithm.Local() }
