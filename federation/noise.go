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

// Noise is the noise of real releases: a discrete Gaussian on a grid, and the
// continuous one that it is accounted as (package discrete).
type Noise struct {
	Sigma      float64 // multiplier that accountants are given
	Nominal    float64 // multiplier that is drawn with, a trifle more
	ExtraDelta float64 // what discreteness adds to delta over the whole run
	Slack      float64 // what a hop hides more than with continuous noise, in units of the sensitivity
	Std        float64 // of one release before the step size, per coordinate
	Clip       float64
	Relative   float64 // where one record is the unit: this participant's sensitivity, the price of the grid included, over the largest; 0 means 1
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
	noise.Std, noise.Clip = f.local().Noise.Std(), f.local().Noise.Clip
	f.Noise = noise
	return nil
}

// price is the noise of an effective multiplier sigma in this run, sigma being in units of
// the largest sensitivity. The grid is the same for all: what it adds is more of a smaller
// one.
func (f *Federation) price(sigma float64) (Noise, error) {
	noise, err := onGrid(sigma, f.Params(), f.rounded(), f.setup.Algorithm.Draws()*float64(f.Params()))
	noise.Slack = slack(noise.Nominal, f.Params(), max(usualSteps, f.steps))
	if relatives := f.local().Noise.Relatives(); relatives != nil && err == nil {
		noise.Relative = sigma / discrete.EffectiveMultiplier(relatives[f.Self]/noise.Nominal, 1, f.rounded()) * (1 + 0x1p-50)
	}
	return noise, err
}

// rounded is of how many coordinates the rounding is charged: its price grows with their root.
// Four times as many as there are stand for twice the steps, for the round-off of the
// model too. A row of a Poisson sample is in or out, half a sensitivity apart, and rounding
// moves that as far: it counts twice of the whole. Noise that remembers earlier rounds is rounded in each of them.
func (f *Federation) rounded() int {
	if f.local().Noise.Sampled() {
		return 16 * f.Params()
	}
	if g, ok := f.setup.Algorithm.Schedule().(*schedule.Gossip); ok {
		return 4 * g.Rounding() * f.Params()
	}
	return 4 * f.Params()
}

// usualSteps is how many steps of the grid a turn moves two models apart at most,
// the round-off of the update included, in most runs.
const usualSteps = 2

// slack is what a hop hides more than with continuous noise of a multiplier, where a
// turn moves two models by so many steps of the grid.
func slack(multiplier float64, dims int, steps float64) float64 {
	return steps * discrete.Slack(1, dims) * multiplier
}

// mostRows is how many rows a participant may learn from: their mean is then exact
// to 2^-29 of the clip.
const mostRows = 1 << 24

// roundOff bounds how far apart the round-off of a turn in 53 bits can move two
// models, in steps of the finest grid. All that enters a turn is in a box of
// half-width b. In d coordinates and among m neighbours the mean of m values is off
// by m u sqrt(d) b, u = 2^-53, a gradient by 2 (d+2) u sqrt(d) b, for margins are off by
// (d+2) u |a| sqrt(d) b and the step is at most 2/smoothness, the projection by (d+4) u
// sqrt(d) b, and the additions by 12 u sqrt(d) b; and the mean of n clipped gradients by
// n u of the clip. More noise makes it less.
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

// calibrationMargin is what calibrated noise is raised by, relatively.
const calibrationMargin = 1e-4

// calibrated is the spec's noise multiplier. One that is calibrated was found for
// continuous noise; it is raised so that what the grid adds to the energy of a
// path does not lift the loss above the target. That energy is compared with the
// one whose Gaussian view loses as much as the target, twice for good measure. The
// margin is for accountants that bound one pair in two ways, some 1e-5 apart. What
// the plan says is a bound whether or not all this is enough.
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

// onGrid prices noise of an effective multiplier sigma > 0 on vectors of so
// many coordinates, with the price of rounding of so many, for a run of so many draws. Grids are relative to the noise,
// between 2^-29 and 2^-28 of it; the coarsest is charged, so that the price
// holds for every step size.
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

// largestToken is how large an entry of a model may become, in units of the noise
// of a step, so that the round-off of adding to it in 53 bits is an eighth of the finest
// grid's step: far less than what onGrid charges on top. What roundOff finds of a
// whole turn Slack charges.
const largestToken = 1 << 20

// checkRange refuses a run whose public box (descent.Local.Bound), which holds
// everything that enters a step whoever sent it, is larger. Where step sizes
// fall, the last has the least noise.
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

// local is the step that a participant takes on its rows.
func (f *Federation) local() *descent.Local { return f.setup.Algorithm.Local() }
