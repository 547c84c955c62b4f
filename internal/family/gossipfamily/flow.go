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

// flowName is the accountant of learning with noise on every message (docs/FLOW.md).
const flowName = "flow"

// flowAccountants returns the accountant of upper bounds and that of attacks. They stand beside others where they take about a
// second.
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

// besideFlow is the largest number of multiplications of the flow accountant beside another one. quickFlow is the largest
// number for pairwise plans before one plan for all is used instead: some ten seconds.
const besideFlow, quickFlow float64 = 1e9, 1e10

// flowSize returns an approximate lower bound on the multiplications for all pairs. It makes no matrix. Turns of one edge are
// many to a round.
func (a *Algorithm) flowSize() float64 {
	n, turns := float64(a.Protocol.Nodes), float64(a.Turns())
	if a.keys.Wake == "edges" {
		return 100 * n * turns
	}
	return 20 * n * n * turns
}

// checkFlow returns an error if a condition of the flow accountant does not hold. It needs fresh noise on every message that
// data can move, or in every round at all nodes, and local steps of a known Lipschitz constant. It makes no matrix.
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

// OnlyLocal implements spec.Rules. No proof covers weighted sums of noise on a grid, because the part that a round's sums hide
// is no whole vector. Where every message has fresh noise no such proof is needed (flow.Lifted).
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

// unshown says why the final models that a spec shows are no functions of the last turn's messages of all nodes. It returns ""
// where they are, or where no model is shown.
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

// asFlow marks an error as one of the flow accountant.
func asFlow(err error) error {
	if err == nil {
		return nil
	}
	return fault.New("privacy.accountant: flow: "+err.Error(), fault.Hint(err))
}

// flow returns the accountant of the schedule.
func (a *Algorithm) flow() (*flow.Accountant, error) {
	accountant, err := flow.Of(a.schedule())
	return accountant, asFlow(err)
}

// flowPairs returns the energies of all pairs. They are optimal where that is quick, with one pair of each kind on symmetric
// graphs. Otherwise they come from a plan for each pair or one plan for all. The largest are then refined towards the optimum.
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

// rough returns the energies of all pairs by quick plans.
func (a *Algorithm) rough(accountant *flow.Accountant, workers int) *flow.Pairs {
	if accountant.AimedCost() <= aimedOver*a.quick() {
		return a.watched(accountant, "flows of all pairs").Aimed(workers)
	}
	return a.watched(accountant, "flows of all pairs, by one plan").Cheap(workers)
}

// aimedOver is the factor by which plans for each pair may exceed quick.
const aimedOver = 10

// watched reports the stage and the accountant's progress to the watch, if there is one.
func (a *Algorithm) watched(accountant *flow.Accountant, stage string) *flow.Accountant {
	a.stage(stage)
	if a.Watch == nil {
		return accountant
	}
	return accountant.WithProgress(a.Watch.Progress).WithKeeper(a.Watch.Keeper)
}

// stage reports the next stage to the watch, if there is one.
func (a *Algorithm) stage(what string) {
	if a.Watch != nil && a.Watch.Stage != nil {
		a.Watch.Stage(what)
	}
}

// quick returns the largest number of multiplications for all pairs. Above it a cheaper method is used.
func (a *Algorithm) quick() float64 {
	if a.Spec.Privacy.Accountant == flowName {
		return quickFlow
	}
	return besideFlow
}

// movements returns the known symmetries of the graph's generator. The accountant does not use those that a sequence of graphs
// does not have.
func (a *Algorithm) movements() [][]int32 {
	if s, ok := a.Graph.Symmetry(); ok {
		return flow.Movements(s.Family, s.Sides)
	}
	return nil
}

// composing says what justifies the losses of many rounds.
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
	if a.keys.Pairwise > 0 {
		return why + "Below the local loss only the pairwise accountant is a bound (docs/PAIRWISE.md): privacy.accountant: pairwise."
	}
	note := why + "Below the local loss only the flow accountant is a bound (docs/FLOW.md)"
	if err := a.checkFlow(); err != nil {
		return note + ", which has no ground here (" + strings.TrimPrefix(err.Error(), "privacy.accountant: ") + ")."
	}
	return note + ": privacy.accountant: flow."
}

// explainFlow sets the flow accountant's results for one pair. It returns the energy in units of the node's own sensitivity.
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
	if relatives := a.Protocol.Noise.Relatives(); relatives != nil { // energies are in units of the largest sensitivity, plans in units of the node's own
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

// FlowEnergies returns sound upper bounds on the leakage of each node towards observers who pool their views, with their claim.
// The unit is a contribution's squared sensitivity. The bounds are those of the flow accountant. Where that does not apply or
// would take too long, they charge all releases of a node.
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

// mostPooled is the largest number of nodes whose energies towards a coalition are computed one by one.
const mostPooled = 64
