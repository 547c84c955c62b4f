package discrete

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// spread is w^2 of the package's derivation: the variance, in grid steps, of
// the random rounding that turns continuous Gaussian noise into noise this
// close to the discrete one.
const spread = 8

// roundOff bounds the relative error by which float64 arithmetic may let the
// norm of a clipped vector of so many coordinates exceed the clip.
func roundOff(dims int) float64 { return float64(float64(dims+8) * 0x1p-52) }

// EffectiveSensitivity is the largest distance between the rounded vectors of
// two neighbouring inputs, of dims >= 0 coordinates, that clipping in float64
// keeps within sensitivity >= 0 of each other, on the grid for noise of
// standard deviation std > 0; all three in the value's own unit. It is the
// sensitivity, the round-off of the clipping, and sqrt(dims) steps for the grid.
func EffectiveSensitivity(sensitivity, std float64, dims int) float64 {
	if !(sensitivity >= 0) || dims < 0 {
		panic(fmt.Sprintf("discrete: sensitivity %g and %d coordinates are no vector's", sensitivity, dims))
	}
	step := math.Nextafter(NewGrid(std).Step(), math.Inf(1))
	return math.Nextafter(float64(sensitivity*(1+roundOff(dims)))+float64(step*math.Sqrt(float64(dims))), math.Inf(1))
}

// EffectiveMultiplier is the noise multiplier to account with where noise of
// standard deviation std > 0 was asked for: that of a continuous Gaussian
// mechanism to which the discrete one is as private, up to ExtraDelta.
// sensitivity > 0, dims >= 0 coordinates. It is smaller than std/sensitivity
// by about one part in 2^28 times std sqrt(dims)/sensitivity.
func EffectiveMultiplier(sensitivity, std float64, dims int) float64 {
	g := NewGrid(std)
	s := float64(g.steps) // exact
	noise := math.Ldexp(s*math.Sqrt(1-spread/(s*s)), g.exponent)
	return math.Nextafter(noise/EffectiveSensitivity(sensitivity, std, dims)*(1-0x1p-50), 0)
}

// Slack is what a hop must hide more than it would with continuous noise, in
// std's unit: 2 sqrt(dims) steps of the grid for std > 0. It is for noise that
// is added to a token of dims >= 0 coordinates whose other hops the observer
// does not see; see the package's account of noise of several hops. The
// round-off of the update itself comes on top.
func Slack(std float64, dims int) float64 {
	if dims < 0 {
		panic(fmt.Sprintf("discrete: %d coordinates", dims))
	}
	return math.Nextafter(2*NewGrid(std).Step()*math.Sqrt(float64(dims))*(1+0x1p-50), math.Inf(1))
}

// ExtraDelta is what the discreteness of the noise adds to delta, at every
// eps, of a run with so many draws in all, whoever made them: at most its turns
// times the coordinates of a release. It is 2 (e^(draws eta) - 1). draws >= 0.
func ExtraDelta(draws float64) float64 {
	if !(draws >= 0) {
		panic(fmt.Sprintf("discrete: %g draws", draws))
	}
	return 2 * math.Expm1(draws*closeness(spread))
}

// closeness is eta = ln((1+h)/(1-h)), h = 2 sum_{m>=1} e^(-2 pi^2 w2 m^2),
// rounded up; w2 > 0. Consecutive terms of the sum fall by e^(-6 pi^2 w2) at
// least, so the sum is below its first term over 1 minus that.
func closeness(w2 float64) float64 {
	first := 2 * math.Exp(-2*math.Pi*math.Pi*w2)
	h := first / -math.Expm1(-6*math.Pi*math.Pi*w2)
	return 2 * math.Atanh(h) * (1 + 0x1p-40)
}
