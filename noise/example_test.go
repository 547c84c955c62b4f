package noise_test

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// gradients are two examples' at the current parameters, one far too long.
type gradients [][]float64

func (g gradients) Len() int { return len(g) }
func (g gradients) Gradient(i int) (slope, norm float64, direction []float64) {
	return 1, []float64{1, 50}[i], g[i]
}

// A step clips each example's gradient, adds the noise, and says what it
// released.
func ExampleGaussian_Descend() {
	mechanism := noise.Gaussian{Clip: 1, Multiplier: 2}
	theta, room := []float64{0, 0}, make([]float64, 2)
	source := noise.NewSimulated(1) // worthless as protection; a daemon has another
	r := step.Release{From: 7}      // of turn 0
	mechanism.Descend(theta, room, gradients{{1, 0}, {0, 50}}, &noise.Update{Rate: 0.5, Scale: 1}, source, &r)
	fmt.Printf("node %d moved by at most %g, noise %g: multiplier %g\n", r.From, r.Sensitivity, r.NoiseStd, r.Multiplier())
	fmt.Printf("clipped mean %.2f\n", room)
	// Output:
	// node 7 moved by at most 2, noise 4: multiplier 2
	// clipped mean [0.50 0.50]
}
