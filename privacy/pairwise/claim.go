package pairwise

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/privacy"
)

// Claim returns the claim behind energies. Its assumptions are one sentence each.
func (a *Accountant) Claim() privacy.Claim {
	unit := privacy.Participant
	if a.p.Records {
		unit = privacy.Record
	}
	claim := privacy.Claim{Accountant: "noise that cancels, joint Gaussian", Status: privacy.Sound, Unit: unit, Towards: privacy.AllMessages, Gaussian: true, Assumptions: []string{
		"observers see every message of every round, and know the noise of the secrets that they share",
		"every node adds its own noise and that of all its secrets in every round that it takes part in, to what it sends and goes on from",
		"nodes go on from messages as sent: no copy without noise, no momentum on gradients without noise; the start is public",
		"averaging draws on what was sent alone, however often it is repeated",
		"each contribution is clipped before the noise, whatever the value is that it is computed at",
		"no noise is used twice, and who shares secrets with whom is public and fixed: keys are authenticated from end to end",
		"everybody outside the coalition follows the protocol; who deviates is in the coalition",
	}}
	if a.p.Energy > 0 {
		claim.Assumptions = append(claim.Assumptions, privacy.MemoryAssumption)
	}
	if a.p.Absent > 0 {
		claim.Assumptions = append(claim.Assumptions, fmt.Sprintf("at most %d nodes miss a round, in each perhaps others; their partners reveal the noise of that round that they share with them, "+
			"to everybody, and no message of that round reaches anybody from a node that misses it: else that node loses what its own noise alone lets out in it", a.p.Absent))
	}
	return claim
}

// looser returns the claim of a bound that does not try all coalitions of a size.
func (a *Accountant) looser(size int) privacy.Claim {
	c := a.Claim()
	c.Assumptions = append(c.Assumptions, fmt.Sprintf("there are too many coalitions of %d to try: a bound for all of them is charged, which leaves out edges", size))
	return c
}
