package gossipfamily

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/algo/rollcall"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/spec"
)

// checkAbsent refuses missing nodes where no theorem or no protocol covers them (docs/PAIRWISE.md, missing a round).
func (k *Keys) checkAbsent(s *spec.Spec) error {
	switch {
	case k.Absent == 0:
		return nil
	case s.Algorithm.Momentum != 0:
		return fault.New("algorithm.absent: a node that misses a step would carry on one that nobody has seen", "leave out momentum, or absent")
	case k.Memory != "":
		return fault.New("algorithm.absent: a node that misses a step has no noise of it to remember", "leave out memory, or absent")
	case k.Sampling == poisson:
		return fault.New("algorithm.absent: no bound for Poisson samples is worked out where nodes miss steps", "use sampling: fixed or cyclic, or leave absent out")
	}
	return nil
}

// GoesOn implements spec.GoesOn.
func (k *Keys) GoesOn() bool { return k.Absent > 0 }

// checkAgreeing refuses settings with which participants cannot agree on who misses a step (gossip.Absences).
func (k *Keys) checkAgreeing(s *spec.Spec) error {
	switch {
	case isAveraging(s):
		return fault.New("algorithm.absent: participants agree on who misses a step of learning, and averaging has one step", "use kind: gossip-gd, or leave absent out")
	case k.TurnsPerRound > 1:
		return fault.New(fmt.Sprintf("algorithm.absent: participants agree on who misses a step of one exchange, and gossip_steps is %d", k.TurnsPerRound),
			"give gossip_steps: 1, or leave absent out")
	case s.Algorithm.Radius > 0:
		return fault.New("algorithm.absent: what others share with one who is missing cannot be taken out of values that are moved into a ball", "leave out radius, or absent")
	}
	return nil
}

// checkEverybody refuses graphs on which not everybody exchanges with everybody, because only who waits for a participant can vote
// against it.
func (a *Algorithm) checkEverybody() error {
	n := a.Graph.Len()
	if !a.Spec.Federated() || a.keys.Absent == 0 || a.Graph.Edges() == n*(n-1)/2 && a.Spec.Weights == "hamilton" {
		return nil
	}
	return fault.New(fmt.Sprintf("algorithm.absent: who misses a step is agreed on by all who wait for it, and on %s with weights %s not everybody averages with everybody alike", a.Graph.Name(), a.Spec.Weights),
		fmt.Sprintf("use graph: complete:%d with weights: hamilton and no edges, or leave absent out", n))
}

// agree lets the machine of a participant go on without others that miss a step.
func (a *Algorithm) agree(m *gossip.Machine, by noise.Introduced) {
	if a.keys.Absent == 0 || !a.Spec.Federated() {
		return
	}
	f := a.Spec.Federation
	m.MayMiss(gossip.Absences{Rules: a.rules(), By: by, Patience: int(f.Patience / f.Tick)})
}

// Calls implements family.Caller.
func (a *Algorithm) Calls() (longest, repeated int) {
	if a.keys.Absent == 0 || !a.Spec.Federated() {
		return 0, 0
	}
	return gossip.Longest(a.rules(), a.Protocol.Params), 16 * a.keys.Absent
}

// Late implements family.Caller.
func (a *Algorithm) Late() int {
	if a.keys.Absent == 0 {
		return 0
	}
	return gossip.MostLate
}

// Liars implements family.Caller.
func (a *Algorithm) Liars() int {
	if a.keys.Absent == 0 {
		return a.Spec.Nodes
	}
	return a.rules().Liars
}

// rules returns the numbers of a roll call.
func (a *Algorithm) rules() rollcall.Rules {
	return rollcall.Rules{Nodes: a.Spec.Nodes, Absent: a.keys.Absent, Liars: max(1, a.Spec.Privacy.Coalition)}
}

// checkEnough refuses more missing nodes than the others have a quorum for (rollcall.Rules).
func (k *Keys) checkEnough(s *spec.Spec) error {
	together, most := max(1, s.Privacy.Coalition), 0
	least := rollcall.Least(k.Absent, together)
	if k.Absent == 0 || s.Nodes >= least {
		return nil
	}
	for rollcall.Least(most+1, together) <= s.Nodes {
		most++
	}
	hint := fmt.Sprintf("give at most %d", most)
	if most < 1 {
		hint = fmt.Sprintf("leave absent out, or have %d nodes or more", least)
	}
	return fault.New(fmt.Sprintf("algorithm.absent: to agree on %d who miss a step, against %d who lie together (privacy.coalition), takes %d nodes, and there are %d",
		k.Absent, together, least, s.Nodes), hint)
}

// missing describes nodes that miss a step, and their cost. It returns "" if none may.
func (a *Algorithm) missing() string {
	k := a.keys
	if k.Absent == 0 {
		return ""
	}
	who := "In this run nobody misses any (algorithm.dropout draws who does)."
	switch {
	case a.Spec.Federated():
		who = fmt.Sprintf("Nodes wait %v for a silent one (federation.patience). It misses the step once %d of %d have signed that they wait no longer. They are more than half of those who do not lie, if at most %d do.",
			a.Spec.Federation.Patience, a.rules().Quorum(), a.Spec.Nodes, a.rules().Liars)
	case k.Dropout > 0:
		who = fmt.Sprintf("Each misses a step with probability %g, by the spec's seed; if more than %d are drawn, the others wait for the rest.", k.Dropout, k.Absent)
	}
	return fmt.Sprintf("Nodes that miss a step are at most %d (algorithm.absent). The others reveal the noise of that step that they share with them, and go on. "+
		"Losses count on it in every step, whoever is missing. %s", k.Absent, who)
}
