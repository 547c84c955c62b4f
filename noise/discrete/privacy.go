package discrete

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// spread is w^2 of the package's derivation: the variance, in grid steps, of the random rounding that turns
// continuous Gaussian noise into noise close to the discrete one.
const spread = 8

// roundOff bounds the relative error by which float64 arithmetic may let the norm of a clipped vector of dims
// coordinates exceed the clip.
func roundOff(dims int) float64 { return float64(float64(dims+8) * 0x1p-52) }

// EffectiveSensitivity returns the largest distance between the rounded vectors of two neighbouring inputs, of
// dims >= 0 coordinates, that clipping in float64 keeps within sensitivity >= 0. The grid is that for noise of
// standard deviation std > 0. All three are in the value's own unit. The result is the sensitivity, plus the
// round-off of the clipping, plus sqrt(dims) steps for the grid.
func EffectiveSensitivity(sensitivity, std float64, dims int) float64 {
	if !(sensitivity >= 0) || dims < 0 {
		panic(fmt.Sprintf("discrete: sensitivity %g and %d coordinates are no vector's", sensitivity, dims))
	}
	step := math.Nextafter(NewGrid(std).Step(), math.Inf(1))
	return math.Nextafter(float64(sensitivity*(1+roundOff(dims)))+float64(step*math.Sqrt(float64(dims))), math.Inf(1))
}

// EffectiveMultiplier returns the noise multiplier to account with for noise of standard deviation std > 0. It
// is that of a continuous Gaussian mechanism to which the discrete one is as private, up to ExtraDelta.
// sensitivity > 0, dims >= 0 coordinates. It is smaller than std/sensitivity by about one part in 2^28 times
// std sqrt(dims)/sensitivity.
func EffectiveMultiplier(sensitivity, std float64, dims int) float64 {
	g := NewGrid(std)
	s := float64(g.steps) // exact
	noise := math.Ldexp(s*math.Sqrt(1-spread/(s*s)), g.exponent)
	return math.Nextafter(noise/EffectiveSensitivity(sensitivity, std, dims)*(1-0x1p-50), 0)
}

// Slack returns the amount that a hop must hide in addition to that of continuous noise, in std's unit: 2
// sqrt(dims) steps of the grid for std > 0. It is for noise added to a token of dims >= 0 coordinates whose
// other hops the observer does not see (see "Noise of several hops" in the package comment). It does not
// include the round-off of the update itself.
func Slack(std float64, dims int) float64 {
	if dims < 0 {
		panic(fmt.Sprintf("discrete: %d coordinates", dims))
	}
	return math.Nextafter(2*NewGrid(std).Step()*math.Sqrt(float64(dims))*(1+0x1p-50), math.Inf(1))
}

// ExtraDelta returns the amount that the discreteness of the noise adds to delta, at every eps, of a run with
// draws >= 0 draws in all nodes together. That number is at most the run's turns times the coordinates of a
// release. The result is 2 (e^(draws eta) - 1).
func ExtraDelta(draws float64) float64 {
	if !(draws >= 0) {
		panic(fmt.Sprintf("discrete: %g draws", draws))
	}
	return 2 * math.Expm1(draws*closeness(spread))
}

// closeness returns eta = ln((1+h)/(1-h)), h = 2 sum_{m>=1} e^(-2 pi^2 w2 m^2), rounded up. w2 > 0. Consecutive
// terms of the sum fall by e^(-6 pi^2 w2) at least, so the sum is below its first term over 1 minus that.
func closeness(w2 float64) float64 {
	first := 2 * math.Exp(-2*math.Pi*math.Pi*w2)
	h := first / -math.Expm1(-6*math.Pi*math.Pi*w2)
	return 2 * math.Atanh(h) * (1 + 0x1p-40)
}
