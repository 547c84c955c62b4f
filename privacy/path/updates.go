package path

import (
	"fmt"
	"math"
)

// Updates says what is known of the step a node takes: the assumptions of
// privacy amplification by iteration, which must all hold.
type Updates struct {
	Convex       bool    // every loss that may come up is convex
	ClipSafe     bool    // nothing is clipped, or per example, before the noise, on a generalised linear model
	ConstantStep bool    // all turns have one step size
	NoiseAlways  bool    // a node at its cap still adds noise
	Smoothness   float64 // Lipschitz constant of the gradient; 0 or +Inf: none is known
	Step         float64 // the largest step size
}

// Expansive says why two tokens may drift apart under an update, or why noise
// may be missing, so that nothing is amplified and every contribution has to be
// charged as public. It is empty when updates and noise are as they must be.
func (u Updates) Expansive() string {
	switch {
	case !u.Convex:
		return "the loss is not convex"
	case !u.ClipSafe:
		return "clipping makes the step expansive on this model"
	case !u.NoiseAlways:
		return "nodes at their cap pass the token on without noise"
	case !u.ConstantStep:
		return "the step size changes from turn to turn"
	case !(u.Smoothness > 0) || math.IsInf(u.Smoothness, 1):
		return "no bound of the loss's smoothness is known"
	case !(u.Step > 0 && u.Step*u.Smoothness <= 2):
		return fmt.Sprintf("step size %g is above 2/smoothness = %g", u.Step, 2/u.Smoothness)
	}
	return ""
}
