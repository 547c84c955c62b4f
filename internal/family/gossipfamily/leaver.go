package gossipfamily

import (
	"github.com/hearsay-dp/hearsay/privacy"
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
func (a *Algorithm) LeftLaw(u int, from, until step.Turn, after int) (*walkpath.Law, error) {
	g, contributed := a.leaves(from)
	if g == nil || contributed+after > min(g.Rounds, int(until)/g.TurnsPerRound) {
		return nil, nil
	}
	left, err := flow.Forgetting(*g, contributed, after)
	if err != nil {
		return nil, err
	}
	return a.leftLaw(left, left.ForgettingClaim(), u)
}

// LeftPublicLaw implements family.Leaver.
func (a *Algorithm) LeftPublicLaw(u int, from step.Turn) (*walkpath.Law, error) {
	g, contributed := a.leaves(from)
	if g == nil || !g.Final {
		return nil, nil
	}
	left, err := flow.OfLeft(*g, contributed)
	if err != nil {
		return nil, err
	}
	return a.leftLaw(left, left.PublicClaim(), u)
}

// leaves returns the schedule, and in how many rounds a node contributed that stopped at turn from. It returns nil if the flow
// accountant does not price what is left, as where nodes are away in some turns.
func (a *Algorithm) leaves(from step.Turn) (g *schedule.Gossip, contributed int) {
	g, ok := a.Schedule().(*schedule.Gossip)
	if !ok || !a.flows() || from < 1 {
		return nil, 0
	}
	shown := *g
	if shown.Final = true; flow.Covers(shown) != nil {
		return nil, 0
	}
	every := step.Turn(g.TurnsPerRound)
	return g, int((from + every - 1) / every)
}

func (a *Algorithm) leftLaw(left *flow.Accountant, claim privacy.Claim, u int) (*walkpath.Law, error) {
	best, err := left.Optimal(u)
	if err != nil {
		return nil, err
	}
	return a.ofEnergy(claim, u, best.Energy), nil
}
