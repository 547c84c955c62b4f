package path

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/sparse"
)

// AnyStart as a Walk's Start draws the first holder uniformly.
const AnyStart = -1

// A Walk is what the path accountant needs to know of a random walk of one
// token: the law of its path, and which turns add noise. It is the
// protocol of algo/walk: the holder of every turn after the burn-in updates the
// token and adds noise; a node that has contributed Cap times, or EdgeCap times
// to a token from the same neighbour, adds noise only.
type Walk struct {
	Nodes  int            // n >= 1
	W      *sparse.Matrix // transition matrix, rows sum to 1; nil: every node alike, the holder included (complete graph)
	Start  int            // the first holder, or AnyStart
	Turns  int            // turns that update the token, the first holder's included, >= 1
	BurnIn int            // turns before them that change nothing, >= 0
	Cap    int            // most contributions of a node, 0: no cap
	Final  bool           // the last token is shown to everybody

	// These are priced by a Simulation; a Law charges the local loss.
	EdgeCap int     // most contributions of a node after receipts from one neighbour, itself too, 0: no cap
	Power   float64 // step sizes fall as 1/(turn+1)^Power, 0: constant

	Updates Updates // what is known of them; the zero value amplifies nothing

	Watch *Watch // follows Laws; no law depends on it. nil: nobody does
}

// check returns an error that names the first field that makes no sense, and
// whether u and v are two different nodes.
func (w Walk) check(u, v int) error {
	switch {
	case w.Nodes < 1:
		return fault.New(fmt.Sprintf("a walk on %d nodes", w.Nodes), "give at least one node")
	case w.W != nil && w.W.N != w.Nodes:
		return fault.New(fmt.Sprintf("a walk on %d nodes has a transition matrix of %d", w.Nodes, w.W.N),
			"give the matrix of this graph")
	case w.Start != AnyStart && (w.Start < 0 || w.Start >= w.Nodes):
		return fault.New(fmt.Sprintf("a walk on %d nodes starts at %d", w.Nodes, w.Start), "start at 0..n-1 or anywhere (-1)")
	case w.EdgeCap < 0:
		return fault.New(fmt.Sprintf("a cap of %d contributions an edge", w.EdgeCap), "give 1 or more, or 0 for no cap")
	case !(w.Power >= 0 && w.Power <= mostPower):
		return fault.New(fmt.Sprintf("step sizes fall with the power %g", w.Power), fmt.Sprintf("give a power from 0 (constant) to %g, such as 0.5", mostPower))
	case w.Turns < 1 || w.BurnIn < 0 || w.Cap < 0:
		return fault.New(fmt.Sprintf("a walk of %d turns after %d of burn-in with at most %d contributions", w.Turns, w.BurnIn, w.Cap),
			"turns must be positive, burn-in and cap not negative")
	}
	if w.W != nil && w.Nodes > 1 {
		if err := privacy.CheckStochastic(w.W); err != nil {
			return err
		}
	}
	return w.checkPair(u, v)
}

func (w Walk) checkPair(u, v int) error {
	if u < 0 || v < 0 || u >= w.Nodes || v >= w.Nodes {
		return fault.New(fmt.Sprintf("the pair (%d, %d) is not in a graph of %d nodes", u, v, w.Nodes), "nodes are 0..n-1")
	}
	if u == v {
		return fault.New(fmt.Sprintf("node %d as observer of itself", u), "a loss is between two different nodes")
	}
	return nil
}

// most is the largest number of contributions one node can make.
func (w Walk) most() int {
	if w.Cap == 0 {
		return w.Turns
	}
	return min(w.Cap, w.Turns)
}

// mostPower is the steepest fall of step sizes.
const mostPower = 2.0

// notAmplified says why a Law is the local one, "" if it need not be.
func (w Walk) notAmplified() string {
	switch why := w.Updates.Expansive(); {
	case w.Power > 0:
		return "the step size changes from turn to turn, which only simulated paths can price"
	case w.EdgeCap > 0 && why == "":
		return "contributions are capped by edge, which only simulated paths can price"
	default:
		return why
	}
}

// assumptions hold for every number of the path accountant, for step sizes that
// fall with the given power.
func assumptions(power float64) []string {
	steps := "the step size is constant"
	if power > 0 {
		steps = fmt.Sprintf("the step size of turn t = 1, 2, .. is proportional to t^-%g, as is its noise", power)
	}
	return []string{
		"every update is non-expansive: the loss is convex and smooth, the step at most 2/smoothness, clipping is per example on a generalised linear model and before the noise",
		steps + ", and every turn after the burn-in adds fresh Gaussian noise, contribution or not",
		"a token is confined to a public box before and after every update, by the projection on it, which is non-expansive; no token is refused for its values",
		"the path of the token does not depend on data; the observer may know it all",
		"the observer sees the token at its own turns, and the last one if it is released; nothing else, no average of iterates",
	}
}
