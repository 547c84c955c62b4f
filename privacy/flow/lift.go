package flow

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// Lifted returns an upper bound on the energy on a grid, given the energy of a plan
// for continuous noise. Rounding moves two updates by at most rounding in every
// round (Problem.Rounding). Data can move at most messages messages, rounds times
// nodes, and each has noise of at least 1:
//
//	(sqrt(energy) + 2 rounding sqrt(messages))^2.
//
// Proof, with r = rounding. Let every node that has a difference absorb 2r more than
// planned, or all of it. By induction no node is left with more than planned. At
// most c + r arrive where c did. A node that absorbs all leaves nothing, and one
// that absorbs a + 2r leaves at most c + r - (a + 2r) + r. Where the observers see a
// message a = c, so all is absorbed. Each message absorbs at most a + 2r, and the
// norm of a sum is at most the sum of the norms.
//
// So the price of a grid is known without solving again, for any noise. A
// participant's plan, its policy and the advice of both use this one bound. Lifted
// panics if an argument is negative or NaN.
func Lifted(energy, rounding, messages float64) float64 {
	if !(energy >= 0) || !(rounding >= 0) || !(messages >= 0) {
		panic(fmt.Sprintf("flow: energy %g on a grid with rounding %g of %g messages", energy, rounding, messages))
	}
	if energy == 0 || rounding == 0 || math.IsInf(energy, 1) {
		return energy // rounding moves no message that data cannot move
	}
	root := raised(math.Sqrt(energy)+raised(2*rounding*math.Sqrt(messages), 3), 2)
	return raised(root*root, 1)
}
