package gossipfamily

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/algo/rollcall"
	"github.com/hearsay-dp/hearsay/fault"
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
	if k.Dropout > 0 {
		who = fmt.Sprintf("Each misses a step with probability %g, by the spec's seed; if more than %d are drawn, the others wait for the rest.", k.Dropout, k.Absent)
	}
	return fmt.Sprintf("Nodes that miss a step are at most %d (algorithm.absent). The others reveal the noise of that step that they share with them, and go on. "+
		"Losses count on it in every step, whoever is missing. %s Real federations cannot do this yet: their nodes wait.", k.Absent, who)
}
