package flow

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// Lifted bounds the energy on a grid of what has a plan of the given energy for
// continuous noise, where rounding moves two updates by at most rounding in every
// round (Problem.Rounding) and data can move at most so many messages, rounds times
// nodes, none with less noise than 1:
//
//	(sqrt(energy) + 2 rounding sqrt(messages))^2.
//
// Proof. Let every node that has a difference absorb 2 rounding more than planned,
// or all of it. By induction no node is left with more than planned: at most c + r
// arrive where c did; what absorbs all leaves nothing, and what absorbs a + 2r of it
// leaves at most c + r - (a + 2r) + r. Where the observers see a message a = c, so
// that all is absorbed. Each of the messages absorbs at most a + 2r, and the norm
// of a sum is at most the sum of the norms.
//
// So the price of a grid is known without solving again, for any noise: a
// participant's plan, its policy and the advice of both say the same.
func Lifted(energy, rounding, messages float64) float64 {
	if !(energy >= 0) || !(rounding >= 0) || !(messages >= 0) {
		panic(fmt.Sprintf("flow: energy %g on a grid with rounding %g of %g messages", energy, rounding, messages))
	}
	if energy == 0 || rounding == 0 || math.IsInf(energy, 1) {
		return energy // of messages that data cannot move, rounding moves none
	}
	root := raised(math.Sqrt(energy)+raised(2*rounding*math.Sqrt(messages), 3), 2)
	return raised(root*root, 1)
}
