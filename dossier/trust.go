package dossier

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/privacy"
)

// trusted lists who must be trusted, and with which task, for the numbers of a claim to hold.
func trusted(p *experiment.Priced, claim *Claim) []string {
	what := "all its data"
	if p.Spec.Records() {
		what = p.Spec.OneRecord()
	}
	all := []string{
		fmt.Sprintf("Each participant trusts its own machine, its key, and this program: that it clips what %s can change, and adds the noise.", what),
	}
	if p.Spec.Federated() {
		all = append(all, "The operating system's randomness, from which noise and routes are drawn, and the disk, which keeps the ledger: what was let out is never drawn again.")
	} else {
		all = append(all, "In a real run: the operating system's randomness. A simulation draws its noise from a seed and protects nobody.")
	}
	if len(p.Spec.Privacy.Limits) > 0 {
		all = append(all, "Whoever has a limit of its own trusts itself to clip at its smaller norm. Others' noise is as if it had none.")
	}
	switch {
	case claim.Observer == privacy.Everybody.String():
		all = append(all, "Nobody else: every message is charged as if all the world saw it, whoever puts together what, and whether or not others keep to the protocol.")
	case p.Algorithm.Active() && claim.Accountant == p.Spec.Privacy.Accountant:
		all = append(all, "Others are trusted with their noise: losses below that towards all others together count on whoever is not the observer, or in the coalition, adding the noise that the protocol asks. The observer may send what it likes.")
	default:
		all = append(all, "Others are trusted to follow the protocol and to add their noise: losses below that towards all others together count on it. Whoever does not learns at most what all others together could.")
	}
	if p.Spec.Federated() {
		all = append(all, "The network and its operators are not trusted: links are encrypted and both ends prove their keys; who listens sees addresses, sizes and times.")
	}
	if !claim.Model {
		all = append(all, "Nobody shows the final model to others: the numbers do not cover that.")
	}
	return all
}
