package flow

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
)

// An observer that sees no message before some round, and all of them from then on, learns no more than the public of
// that round, if u contributes no more. The plan absorbs every change by u's data there, so nothing later differs. So
// the loss of a node that left needs no plan of its own.

// Forgetting prices the data of a node's first contributed rounds towards a late observer. It sees nothing before the
// messages of round contributed-1+after, counting from 0, and everything from then on: all turns of that round, too. The
// node goes on adding noise and averaging without its data. The energies are those towards the public (Public, Optimal
// without observers). Forgetting returns an error for contributed < 1, after < 0, or a round after the end of a run with
// step sizes.
func Forgetting(s schedule.Gossip, contributed, after int) (*Accountant, error) {
	if contributed < 1 || after < 0 {
		return nil, fault.New(fmt.Sprintf("%d rounds of contributions, seen %d rounds after the last", contributed, after), "give 1 round or more, and 0 or more after it")
	}
	rounds := contributed + after
	if s.StepSizes != nil && rounds > len(s.StepSizes) {
		return nil, fault.New(fmt.Sprintf("round %d of a run of %d, whose steps differ from round to round", rounds, len(s.StepSizes)), "ask about a round of the run")
	}
	if s.Rounds = rounds; s.StepSizes != nil {
		s.StepSizes = s.StepSizes[:rounds]
	}
	s = leftBy(s, contributed)
	p, err := problemOf(s)
	if err != nil {
		return nil, err
	}
	if !averages(s) { // each turn is a round of the problem, and the first of the last round is seen
		p.until(p.Rounds - s.TurnsPerRound + 1)
	}
	return pricing(s, p)
}

// OfLeft prices a run as Of does, for a node that contributes in the first contributed rounds only. The final models are public.
func OfLeft(s schedule.Gossip, contributed int) (*Accountant, error) {
	return Of(leftBy(s, contributed))
}

// leftBy returns the schedule s with contributions in its first contributed rounds only, and with a public result.
func leftBy(s schedule.Gossip, contributed int) schedule.Gossip {
	every := max(1, s.Every)
	if most := (contributed + every - 1) / every; s.Cap == 0 || most < s.Cap {
		s.Cap = most
	}
	s.Final = true
	return s
}

// until ends the problem after that many rounds.
func (p *Problem) until(rounds int) {
	p.Rounds, p.Contributions, p.Lipschitz = rounds, p.Contributions[:rounds], p.Lipschitz[:rounds]
	if p.Steps != nil {
		p.Steps = p.Steps[:rounds]
	}
	if len(p.Weights) > rounds {
		p.Weights = p.Weights[:rounds]
	}
}

// ForgettingClaim returns the claim of energies of Forgetting.
func (a *Accountant) ForgettingClaim() privacy.Claim {
	return a.claimWith("flow, what is left", a.runAssumptions(
		"whoever comes late saw no message and no model of an earlier round, and pools what it sees with nobody who did; from that round on it may see every message and send what it likes",
		"the node contributes in no later round, and goes on adding noise and averaging without its data",
		"everyone who was in the run before that round follows the protocol, later too: a node that deviates can pass on what it heard before",
	))
}
