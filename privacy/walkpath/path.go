package walkpath

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
)

// AnyStart as a Walk's Start means that the first holder is drawn uniformly.
const AnyStart = schedule.AnyStart

// A Walk is the schedule of a random walk, which is the input of the path accountant, and a Watch of the
// accounting. For a cap per edge and for falling step sizes a Law charges the local loss; a Simulation prices
// these.
type Walk struct {
	schedule.Walk

	Watch *Watch // follows the computation; no law depends on it; nil: none
}

// check returns an error that names the first invalid field, or that u and v are not two different nodes.
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
	case w.CheckTokens() != nil:
		return w.CheckTokens()
	case w.Turns < 1 || w.BurnIn < 0 || w.Cap < 0:
		return fault.New(fmt.Sprintf("a walk of %d turns after %d of burn-in with at most %d contributions", w.Turns, w.BurnIn, w.Cap),
			"turns must be positive, burn-in and cap not negative")
	case w.Relatives().Check(w.Nodes) != nil:
		return w.Relatives().Check(w.Nodes)
	case w.Turns > mostTurns && w.notAmplified() == "":
		return fault.New(fmt.Sprintf("the path of a walk of %d turns is too long to account for", w.Turns),
			fmt.Sprintf("take at most %d turns, or charge the local loss", mostTurns))
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

// mostTurns is the longest walk whose laws, a few numbers a turn and pair, fit into memory.
const mostTurns = 20_000_000

// mostPower is the largest power by which step sizes may fall.
const mostPower = 2.0

// NotAmplified returns the reason why nothing is amplified, so that every contribution must be charged as
// public, or "" if there is none. Possible reasons: an update is expansive, noise may be missing, or the path
// depends on failures.
func (w Walk) NotAmplified() string {
	switch why := w.Update.Expansive(); {
	case why != "":
		return why
	case w.Forward:
		return "nodes at their cap pass the token on without noise"
	case w.Reroutes:
		return "who holds the token depends on failures"
	}
	return ""
}

// notAmplified returns the reason why a Law is the local one, or "" if it need not be.
func (w Walk) notAmplified() string {
	switch why := w.NotAmplified(); {
	case w.Power > 0:
		return "the step size changes from turn to turn, which only simulated paths can price"
	case w.EdgeCap > 0 && why == "":
		return "contributions are capped by edge, which only simulated paths can price"
	default:
		return why
	}
}

// Besides returns the assumption about releases before the walk, whose squared shift is at most muSquared.
func Besides(muSquared float64) string {
	return fmt.Sprintf("before the walk every node showed a value to everybody, which tells no more of its data than a Gaussian of variance 1 that is moved by %.4g; "+
		"both are charged together", math.Sqrt(muSquared))
}

// shownFirst is the assumption of laws of a walk whose weights follow from values that nodes released. The
// charge is for the value and the walk whose law follows from that value. Composition needs one bound for the
// walks of all values that could have been released (Dong, Roth and Su 2022, Theorem 3.2), and some of these
// walks may leak more.
const shownFirst = "the values that nodes showed before the walk would have been the same with any other data; without that a value and the walk " +
	"whose law follows from it tell more together than is stated (up to 1.2 times the delta was found on 2 to 4 nodes)"

// asserted returns the conditions that the user must assert for laws to be bounds, or "" if there are none.
func (w Walk) asserted() string {
	all := []string{w.Update.IsAsserted()}
	if w.Walk.Besides > 0 {
		all = append(all, shownFirst)
	}
	return strings.Join(slices.DeleteFunc(all, func(one string) bool { return one == "" }), "; and ")
}

// claim returns the claim of the path accountant: the conditions of its theorem, one sentence each
// (docs/PAPERS.md says where each is checked).
func (w Walk) claim(accountant string, besides ...string) privacy.Claim {
	steps := "the step size is constant"
	if w.Power > 0 {
		steps = fmt.Sprintf("the step size of turn t = 1, 2, .. is proportional to t^-%g, as is its noise", w.Power)
	}
	var updates []string
	if w.Update.Source() != w.Update.IsAsserted() {
		updates = []string{"every update is non-expansive: " + w.Update.Source()}
	}
	if w.AllTokens() > 1 {
		updates = append(updates, "tokens do not meet: each has hops, noise and a share of a node's contributions of its own")
	}
	if w.Skip > 0 {
		updates = append(updates, "a holder skips a turn by a draw of its own that depends on no data, and adds the noise of that turn all the same")
	}
	if w.Walk.Besides > 0 {
		besides = append(slices.Clone(besides), Besides(w.Walk.Besides))
	}
	claim := privacy.Bound(accountant, w.asserted(), slices.Concat(updates, []string{
		steps + ", and every turn after the burn-in adds fresh Gaussian noise, contribution or not; a key of the noise serves one release ever",
		"the token goes on as it was sent, noise included: no holder goes on from a copy without it",
		"the first token is public and nothing else of a run is updated: no momentum, tracking or error feedback; a node remembers how often it contributed",
		"a contribution uses all of a node's examples, or a part that is drawn independently of data and keeps the step non-expansive",
		"a token is confined to a public box before and after every update, by the projection on it, which is non-expansive; no token is refused for its values, and what is not finite becomes a constant",
		"the path of the token does not depend on data; the observer may know it all",
		"the observer sees the token at its own turns, and the last one if it is released; nothing else, no average of iterates",
		"everybody but the observer follows the protocol, and the observer sends the token where the weights say",
	}, besides)...)
	claim.Final = w.Final
	return claim
}
