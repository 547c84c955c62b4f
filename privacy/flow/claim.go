package flow

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
)

// Claim returns the claim of the accountant's upper bounds, with one sentence for each
// condition of the theorem. It is Sound for a schedule whose update a model guarantees
// (Of). It is SoundIf if the caller only asserts the Lipschitz constant.
func (a *Accountant) Claim() privacy.Claim { return a.claim("flow") }

func (a *Accountant) claim(name string) privacy.Claim { return a.claimWith(name, a.assumptions()) }

func (a *Accountant) claimWith(name string, assumptions []string) privacy.Claim {
	claim := a.unit(a.claimOf(name, assumptions))
	claim.Gaussian, claim.Final = true, a.p.Final
	return claim
}

func (a *Accountant) claimOf(name string, assumptions []string) privacy.Claim {
	if a.p.Rounding != nil {
		name += ", noise on a grid"
	}
	if a.rounds != nil {
		name += ", several averaging steps"
	}
	if a.update == (model.Update{}) {
		return privacy.Bound(name, a.p.lipschitzSentence()+", as asserted by the caller", assumptions...)
	}
	if asserted := a.update.IsAsserted(); asserted != "" {
		return privacy.Bound(name, a.p.lipschitzSentence()+", as asserted by the caller: "+asserted, assumptions...)
	}
	return privacy.Bound(name, "", append([]string{a.p.lipschitzSentence() + ": " + a.update.Source()}, assumptions...)...)
}

// AuditClaim returns the claim of the lower bounds.
func AuditClaim() privacy.Claim {
	return privacy.Claim{Accountant: "flow, quadratic losses", Status: privacy.Audit, Assumptions: []string{
		"losses are quadratic with the curvature that the Lipschitz constant allows, and the observers follow the protocol",
	}}
}

// AttackClaim returns the claim of Attack.
func AttackClaim() privacy.Claim {
	return privacy.Claim{Accountant: "flow, curved quadratic losses", Status: privacy.Audit, Assumptions: []string{
		"losses are quadratic, with a curvature of each node's own that the Lipschitz constant allows, and the observers follow the protocol",
	}}
}

// LocalClaim returns the claim of Local.
func (a *Accountant) LocalClaim() privacy.Claim {
	most := 0
	for u := range a.p.Contributions.width() {
		count := 0
		for t := range a.p.Rounds {
			if a.p.contribution(t, u) > 0 {
				count++
			}
		}
		most = max(most, count)
	}
	return a.unit(privacy.LocalClaim(most))
}

func (a *Accountant) assumptions() []string {
	all := a.runAssumptions(
		"the observers see nothing but the messages listed: every one that reaches them, late or with weight 0 too",
		"an observer who is silent changes no weights but its receivers' own, and no partners",
		a.p.deviationSentence(),
	)
	if a.rounds != nil {
		all = append(all, "what sums of a round's noise observers see was worked out exactly, or taken for all that can have arrived")
	}
	return all
}

// publicAssumptions returns the assumptions for the public, which takes no part.
func (a *Accountant) publicAssumptions() []string {
	return a.runAssumptions(
		"the public sees nothing else: whoever was sent messages, or pools what it sees with somebody who was, is an observer",
		"everyone in the run follows the protocol",
	)
}

// runAssumptions returns the assumptions about the run, with those about its observers
// among them.
func (a *Accountant) runAssumptions(observing ...string) []string {
	all := append([]string{
		"clipping is per example and keeps that constant: losses of one scalar margin, or a clip that never binds",
		"every node goes on from the noisy value that it sent, not from a copy without noise",
		"the start is public and the model is all that a node remembers: no momentum, tracking, error feedback or stale messages, and a session that resumes is priced with the rounds before it",
		a.p.releaseSentence(),
	}, observing...)
	all = append(all,
		"incoming values are clamped to a public box and never rejected or screened by their value; what is not finite becomes a constant",
		"minibatches do not depend on data, are the same in both worlds, and keep the constant whichever occurs",
		"weights do not depend on data, and a key of the noise serves one message ever",
	)
	if a.rounds != nil {
		all = append(all, fmt.Sprintf("noise is drawn once a round of %d turns of averaging, the same at every node and by everybody in every round", a.p.turns()))
	}
	if a.p.Rounding != nil {
		all = append(all, "every message is rounded to a grid, each coordinate to the nearest point, and gets fresh discrete Gaussian noise on it")
	}
	return all
}

// lipschitzSentence returns the sentence on the Lipschitz constants of local steps.
func (p *Problem) lipschitzSentence() string {
	low, high := math.Inf(1), 0.0
	for t := range max(1, len(p.Lipschitz)) {
		for j := range max(1, p.lipschitzWidth(t)) {
			x := p.Lipschitz.At(t, j)
			low, high = min(low, x), max(high, x)
		}
	}
	if low == high {
		return fmt.Sprintf("every local step has a Lipschitz constant of at most %g", high)
	}
	return fmt.Sprintf("local steps have Lipschitz constants of at most %g to %g, node by node and round by round", low, high)
}

func (p *Problem) lipschitzWidth(t int) int {
	if len(p.Lipschitz) == 0 {
		return 1
	}
	return len(p.Lipschitz[t])
}

// deviationSentence says who may deviate. If observers send other values, the results of
// accelerated averaging may leave the box that incoming values are confined to.
func (p *Problem) deviationSentence() string {
	switch {
	case p.acceleration() != 1:
		return "everyone follows the protocol, observers too: they look at what they get, and averaging is accelerated"
	case p.averages():
		return "everyone else follows the protocol and no value of theirs leaves the box that incoming ones are confined to; observers may send what they like"
	}
	return "everyone else follows the protocol; observers may send what they like"
}

func (p *Problem) releaseSentence() string {
	if p.Final {
		return "the public result is a function of the last round's messages, in a round fixed beforehand"
	}
	return "nothing is published, no average of other nodes' iterates either"
}
