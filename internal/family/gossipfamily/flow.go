package gossipfamily

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/flow"
	"github.com/hearsay-dp/hearsay/spec"
)

// flowName is the accountant of learning with noise on every message
// (docs/FLOW.md).
const flowName = "flow"

// flowAccountants are the bounds and what attacks attain. They stand beside others
// where that takes a second or so.
func (a *Algorithm) flowAccountants(m privacy.Metric) []family.Accountant {
	quick := sync.OnceValue(func() bool {
		if a.Protocol.Nodes > exactLimit || a.checkFlow() != nil || a.keys.changes(a.Spec) && a.flowSize() > besideFlow {
			return false
		}
		accountant, err := a.flow()
		return err == nil && (accountant.EveryCost(a.movements()) <= besideFlow || accountant.CheapCost() <= besideFlow)
	})
	return []family.Accountant{
		{Name: flowName, Check: a.checkFlow, Beside: quick, Price: a.priced(flowName, m)},
		a.auditAccountant(m, quick),
	}
}

// How many multiplications the flow accountant may take beside another one, and
// pair by pair before one plan has to do for all: some ten seconds.
const besideFlow, quickFlow float64 = 1e9, 1e10

// flowSize is about how many multiplications all pairs take at least, known before
// any matrix is made. Turns of one edge are many to a round.
func (a *Algorithm) flowSize() float64 {
	n, turns := float64(a.Protocol.Nodes), float64(a.Turns())
	if a.keys.Wake == "edges" {
		return 100 * n * turns
	}
	return 20 * n * n * turns
}

// checkFlow says why the flow accountant has no ground: it needs fresh noise on
// every message that data can move, or in every round at all nodes, and local steps of a
// known Lipschitz constant. It makes no matrix.
func (a *Algorithm) checkFlow() error {
	if a.keys.Pairwise > 0 {
		return fault.New("privacy.accountant: flow knows no noise that cancels", "use accountant: pairwise")
	}
	if a.Turns() > flow.MostTurns {
		return fault.New(fmt.Sprintf("privacy.accountant: flow prices up to %d turns, and this run has %d", flow.MostTurns, a.Turns()),
			"use fewer steps, or accountant: local")
	}
	if reason := unshown(a.Spec, a.keys); reason != "" {
		return fault.New("privacy.accountant: flow: "+reason, "use release: none, or accountant: local, which charges every message as public")
	}
	if isAveraging(a.Spec) {
		return fault.New("privacy.accountant: flow prices local steps with fresh noise, and averaging draws noise once", "use kind: gossip-gd, or accountant: exact")
	}
	return asFlow(flow.Covers(a.schedule()))
}

// OnlyLocal implements spec.Rules: no proof covers weighted sums of noise on a grid, for
// what a round's sums hide is no whole vector; where every message has fresh noise none is
// needed (flow.Lifted).
func (Family) OnlyLocal(s *spec.Spec) string {
	const only = "noise on a grid is priced below it where every message has fresh noise, but "
	switch k := KeysOf(s); {
	case k.Pairwise > 0:
		return "" // every message that data can move has noise, and whole plans hide it (pairwise.Grid)
	case k.Memory != "":
		return "plans absorb what noise of one round hides, and this noise remembers earlier rounds"
	case k.Epoch > 1:
		return "plans count every row in every batch, and here batches take turns"
	case s.Algorithm.Momentum != 0:
		return "what momentum carries on is a hidden state to whoever does not see all messages"
	case s.Algorithm.ClipsMeans():
		return "nothing is known of how far steps along clipped means spread two models"
	case isAveraging(s):
		return only + "averaging draws noise once and sends sums of it"
	case k.TurnsPerRound > 1 && k.Noise != eachTurn:
		return only + fmt.Sprintf("gossip_steps: %d repeats what was sent", k.TurnsPerRound)
	}
	return unshown(s, KeysOf(s))
}

// unshown says why the final models that a spec shows are no functions of the last turn's messages of all
// nodes; "" where they are, or nothing is shown.
func unshown(s *spec.Spec, k *Keys) string {
	switch {
	case s.Privacy.Release != "final":
		return ""
	case s.Algorithm.Average != "none":
		return "privacy.release: final shows the means of nodes' models over many rounds (average: " + s.Algorithm.Average + "), which follow from more than the last messages"
	case k.Wake == "edges" || k.Dropout > 0:
		return "privacy.release: final shows what nodes have that are away in the last turn, and what they hold was not sent in it"
	}
	return ""
}

// asFlow says whose error it is.
func asFlow(err error) error {
	if err == nil {
		return nil
	}
	return fault.New("privacy.accountant: flow: "+err.Error(), fault.Hint(err))
}

// flow is the accountant of the schedule.
func (a *Algorithm) flow() (*flow.Accountant, error) {
	accountant, err := flow.Of(a.schedule())
	return accountant, asFlow(err)
}

// flowPairs are the energies of all pairs: the optimum for one of each kind on
// symmetric graphs and wherever that is quick, else of a plan of each or of one for all,
// refined until the largest are near the optimum.
func (a *Algorithm) flowPairs(workers int) (*flow.Pairs, error) {
	accountant, err := a.flow()
	if err != nil {
		return nil, err
	}
	if movements := a.movements(); accountant.EveryCost(movements) <= a.quick() {
		return a.found.once("optimal", func() *flow.Pairs {
			return a.watched(accountant, "flows of all pairs").Every(movements, workers)
		}), nil
	}
	if err := accountant.CheckPairs(); err != nil {
		return nil, asFlow(err)
	}
	return a.found.once("cheap", func() *flow.Pairs {
		pairs := a.rough(accountant, workers)
		closely := a.watched(accountant, "flows of the pairs that lose most")
		closely.Refine(pairs, a.quick(), workers)
		closely.Sharpen(pairs, a.choose(accountant, pairs), workers)
		return pairs
	}), nil
}

// rough are the energies of all pairs by plans that are quick.
func (a *Algorithm) rough(accountant *flow.Accountant, workers int) *flow.Pairs {
	if accountant.AimedCost() <= aimedOver*a.quick() {
		return a.watched(accountant, "flows of all pairs").Aimed(workers)
	}
	return a.watched(accountant, "flows of all pairs, by one plan").Cheap(workers)
}

// aimedOver is how much longer than other things all pairs by a plan of each may take.
const aimedOver = 10

// watched tells whoever follows the run how far the accountant is.
func (a *Algorithm) watched(accountant *flow.Accountant, stage string) *flow.Accountant {
	a.stage(stage)
	if a.Watch == nil {
		return accountant
	}
	return accountant.WithProgress(a.Watch.Progress).WithKeeper(a.Watch.Keeper)
}

// stage tells whoever follows the run what is done next.
func (a *Algorithm) stage(what string) {
	if a.Watch != nil && a.Watch.Stage != nil {
		a.Watch.Stage(what)
	}
}

// quick is how many multiplications all pairs may cost before something cheaper has
// to do.
func (a *Algorithm) quick() float64 {
	if a.Spec.Privacy.Accountant == flowName {
		return quickFlow
	}
	return besideFlow
}

// movements are the symmetries that the graph's generator is known for. Those that
// a sequence of graphs has not are not used.
func (a *Algorithm) movements() [][]int32 {
	if s, ok := a.Graph.Symmetry(); ok {
		return flow.Movements(s.Family, s.Sides)
	}
	return nil
}

// composing says what stands behind the losses of many rounds.
func (a *Algorithm) composing() string {
	if a.Spec.Privacy.Accountant == pairwiseName {
		return fmt.Sprintf("Partners share noise, %.4g times a node's own, that one adds and the other subtracts. Losses are towards who sees every message of the run and knows the noise of its "+
			"own secrets, whatever gradients follow from (docs/PAIRWISE.md); that a secret's noise hides anything from others is computational in a real run.", a.keys.Pairwise)
	}
	const why = "Gradients follow what was received, so rounds do not compose as if inputs were fixed. "
	if a.Spec.Privacy.Accountant == flowName {
		return why + "The flow accountant does without that (docs/FLOW.md): neighbours are charged all that they are sent, others less."
	}
	if a.Protocol.Noise.Sampled() {
		return why + "The local loss counts on each row's being in a batch with its probability only (docs/SAMPLES.md); the flow accountant counts every row in every batch."
	}
	note := why + "Below the local loss only the flow accountant is a bound (docs/FLOW.md)"
	if err := a.checkFlow(); err != nil {
		return note + ", which has no ground here (" + strings.TrimPrefix(err.Error(), "privacy.accountant: ") + ")."
	}
	return note + ": privacy.accountant: flow."
}

// explainFlow sets what the flow accountant says of one pair, with the energy in units of
// the node's own sensitivity.
func (a *Algorithm) explainFlow(e *family.Explanation) (energy float64, err error) {
	if err := a.checkFlow(); err != nil {
		return 0, err
	}
	accountant, err := a.flow()
	if err != nil {
		return 0, err
	}
	best, err := accountant.Optimal(e.About, e.Observer)
	if err != nil {
		return 0, err
	}
	attack, err := accountant.Attack(e.About, e.Observer)
	if err != nil {
		return 0, err
	}
	if relatives := a.Protocol.Noise.Relatives(); relatives != nil { // energies are in units of the largest sensitivity, plans of the node's own
		attack.Energy /= relatives[e.About] * relatives[e.About]
		if best.Energy, err = accountant.Check(best.Plan); err != nil {
			return 0, err
		}
	}
	attained := e.EpsilonOf(attack.Energy, e.Why.Sigma)
	e.Accountant, e.Assumptions, e.Audit = flowName, accountant.Claim().Grounds(), &attained
	if !a.attackable() {
		e.Audit = nil
	}
	if certificate, err := accountant.Certify(best.Plan, best.Energy); err == nil {
		e.Certificate = certificate
	} else {
		e.Assumptions = append(e.Assumptions, "the plan is not shown: "+err.Error())
	}
	e.Why.Flow, e.Why.Seen, e.Why.Turns, e.Why.Final = true, best.Energy, accountant.Problem().Turns, a.Protocol.Final
	return best.Energy, nil
}

// FlowEnergies are sound upper bounds of what observers, who pool what they see, learn of each node, in units of a
// contribution's squared sensitivity, and what stands behind them: the flow accountant, or where it has no ground
// or would take too long all that a node releases.
func (a *Algorithm) FlowEnergies(observers []int) ([]float64, privacy.Claim) {
	energies := slices.Repeat([]float64{float64(a.Charged())}, a.Protocol.Nodes)
	local := privacy.LocalClaim(a.Charged())
	local.Unit = a.Unit()
	if a.averaging() || a.checkFlow() != nil {
		return energies, local
	}
	accountant, err := a.flow()
	if err != nil {
		return energies, local
	}
	if len(observers) == 1 && accountant.TowardsCost() <= quickFlow {
		if found, err := accountant.Towards(observers[0], 1); err == nil {
			return found, accountant.Claim()
		}
	}
	claim := local
	if len(observers) > 1 && a.Protocol.Nodes <= mostPooled && a.flowSize() <= quickFlow {
		for u := range energies {
			if slices.Contains(observers, u) {
				continue
			}
			if best, err := accountant.Optimal(u, observers...); err == nil {
				energies[u], claim = min(energies[u], best.Energy), accountant.Claim()
			}
		}
	}
	return energies, claim
}

// mostPooled is the most nodes whose energies towards a coalition are looked for one by one.
const mostPooled = 64
