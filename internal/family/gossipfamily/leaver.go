package gossipfamily

import (
	"github.com/hearsay-dp/hearsay/privacy/flow"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/step"
)

// Stays implements family.Leaver.
func (a *Algorithm) Stays() string {
	switch {
	case a.Spec.External():
		return "the program of an external model holds the rows"
	case a.Protocol.Rounds < 2:
		return "averaging uses each value once, when it begins: what was sent stays in the average"
	}
	return ""
}

// LeftLaw implements family.Leaver, where the flow accountant prices the run.
func (a *Algorithm) LeftLaw(u int, from step.Turn, after int) (*walkpath.Law, error) {
	g, ok := a.Schedule().(*schedule.Gossip)
	if !ok || !a.flows() || from < 1 {
		return nil, nil
	}
	every := step.Turn(g.TurnsPerRound)
	contributed := int((from + every - 1) / every)
	if contributed+after > g.Rounds {
		return nil, nil
	}
	left, err := flow.Forgetting(*g, contributed, after)
	if err != nil {
		return nil, err
	}
	best, err := left.Optimal(u)
	if err != nil {
		return nil, err
	}
	return a.ofEnergy(left.ForgettingClaim(), u, best.Energy), nil
}
