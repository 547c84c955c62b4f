package gossipfamily

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// mostTurnsLeft is the largest number of turns that travels tries.
const mostTurnsLeft = 1 << 20

// leftAfter bounds the shared noise left in a node's model after turns turns of averaging a step, over the noise of the mean of
// all nodes. Both are root mean squares over nodes. Shared noise sums to 0 over all nodes, and its energy at a node is
// proportional to the node's number of partners. With symmetric weights each of its eigencomponents shrinks by the polynomial
// of the averaging at its eigenvalue. Without acceleration that is largest at 1-gap. With acceleration it is at most the value
// at 1-gap/2 (gossip.Acceleration).
func (a *Algorithm) leftAfter(turns int) float64 {
	p := a.Protocol
	rate := 1 - a.Gap.Value
	if p.Gamma != 1 {
		rate = 1 - float64(a.Gap.Value/2)
	}
	before, left := 1.0, rate
	for range turns - 1 {
		next := float64(rate * left)
		if p.Gamma != 1 {
			next = float64(p.Gamma*next) + float64((1-p.Gamma)*before)
		}
		before, left = left, next
	}
	return p.Pairwise * math.Sqrt(float64(2*a.secrets.Edges())) * left
}

// travels says how many turns of averaging shared noise needs to cancel. It returns "" where the spectral gap does not tell. It
// also returns "" where nodes miss steps or values are moved into a ball, and for noise that takes back earlier noise, of which there is less in the mean of all.
func (a *Algorithm) travels() string {
	k := a.keys
	if k.Pairwise == 0 || k.misses() || a.Protocol.Radius > 0 || a.Protocol.Memory != nil || a.Protocol.Nodes < 2 || !a.Gap.Converged || !(a.Gap.Value > 0) || !a.Transition.Sparse().Symmetric(1e-12) {
		return ""
	}
	enough := 1
	for a.leftAfter(enough) > 1 && enough < mostTurnsLeft {
		enough *= 2
	}
	if a.leftAfter(enough) > 1 {
		return ""
	}
	for step := enough / 4; step > 0; step /= 2 {
		if a.leftAfter(enough-step) <= 1 {
			enough -= step
		}
	}
	text := fmt.Sprintf("What partners share cancels as it travels: after %d turns of averaging a step (algorithm.gossip_steps) nodes' models have no more of it than of the "+
		"noise of the mean of all (root mean square over nodes), by the spectral gap %.4g.", enough, a.Gap.Value)
	if k.TurnsPerRound < enough {
		text += fmt.Sprintf(" With %d there is up to %.3g times as much. Turns cost no privacy.", k.TurnsPerRound, a.leftAfter(k.TurnsPerRound))
	}
	return text
}
