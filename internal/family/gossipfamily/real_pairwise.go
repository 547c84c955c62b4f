package gossipfamily

import (
	"runtime"

	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/step"
)

// cancels reports whether the spec's numbers are those of the pairwise accountant.
func (a *Algorithm) cancels() bool { return a.Spec.Privacy.Accountant == pairwiseName }

// pairwiseLaws returns the laws of node u towards each other node.
func (a *Algorithm) pairwiseLaws(u int) ([]*walkpath.Law, error) {
	accountant, err := a.pairwise()
	if err != nil {
		return nil, err
	}
	energies, claim, err := accountant.Towards(u, runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, err
	}
	laws := make([]*walkpath.Law, len(energies))
	for v, energy := range energies {
		if v != u {
			laws[v] = a.sampledLaw(claim, u, energy)
		}
	}
	return laws, nil
}

// pairwiseTogether returns the leakage of u towards the worst coalition of size others, or a bound for all of them.
func (a *Algorithm) pairwiseTogether(u, size int) ([]walkpath.Coalition, error) {
	accountant, err := a.pairwise()
	if err != nil {
		return nil, err
	}
	energy, members, claim, err := accountant.WorstOf(u, min(size, a.Protocol.Nodes-1), runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, err
	}
	return []walkpath.Coalition{{Members: members, Law: a.sampledLaw(claim, u, energy)}}, nil
}

// sampledLaw returns the law of an energy. The energy assumes that all of u's rows are in all its messages; the law's Rate says
// how often they are.
func (a *Algorithm) sampledLaw(claim privacy.Claim, u int, energy float64) *walkpath.Law {
	law := a.ofEnergy(claim, u, energy)
	if law.Rate = a.Protocol.Noise.Rate(step.NodeID(u)); law.Rate < 1 {
		law.Assumptions = append(law.Assumptions[:len(law.Assumptions):len(law.Assumptions)], privacy.PoissonAssumption)
	}
	return law
}

// wholePlans returns the energy on a grid. slack is two roundings of a message or more.
func (a *Algorithm) wholePlans(energy, slack float64) float64 {
	accountant, err := a.pairwise()
	if err != nil {
		panic("gossip: " + err.Error()) // Towards has returned this error before
	}
	if a.Protocol.Noise.Sampled() { // the whole plan of a row that is in the sample, against none, is half as long: its rounding counts four times
		return accountant.Lifted(energy, slack)
	}
	return accountant.Lifted(energy, slack/2)
}

// pairwiseConditions lists the conditions on which numbers of a real run with cancelling noise rest.
var pairwiseConditions = []string{
	"every participant adds noise of its own and that of all its secrets in every round that it takes part in, whether it contributes or not, and goes on from what it sent",
	"what the noise of a secret hides is computational: it rests on X25519, SHA-256 and ChaCha8, and on both ends keeping their keys of the run and forgetting them afterwards; " +
		"a participant's own noise does not, and bounds the loss towards all together",
	"where partners are no neighbours, others pass on their keys, which identities sign: who passes on nothing, or an old key, keeps the run from beginning",
	"who shows garbage for a key keeps the run from beginning; who adds other noise than agreed spoils the model and learns no more",
}
