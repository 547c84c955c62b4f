package gossipfamily

import (
	"context"
	"runtime"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
)

// PublicLosses implements family.Publisher, by the spec's accountant.
func (a *Algorithm) PublicLosses(_ context.Context, priced family.Accounting) (*report.Public, error) {
	if !a.Protocol.Final {
		return nil, nil
	}
	m, err := family.Metric(&a.Spec.Privacy)
	if err != nil {
		return nil, err
	}
	public := &report.Public{Observer: privacy.Public.String(), ModelCharged: true}
	if !a.flows() && !a.cancels() { // all messages are charged as public, and the last models follow from them
		own := priced.Own()
		public.Accountant, public.Status, public.Mean, public.Max = own.Accountant, own.Status, own.Mean, own.Max
		public.Assumptions = append(report.List[string]{}, own.Assumptions...)
		return a.finished(public, own.Gaussian, m), nil
	}
	a.stage("what the public learns from the last models")
	energies, claim, err := a.publicEnergies()
	if err != nil {
		return nil, err
	}
	m = family.Tightest(m)
	public.Accountant, public.Status = a.Spec.Privacy.Accountant, report.Status(claim.Status)
	for u, energy := range energies {
		loss := report.Number(a.publicLoss(u, energy, priced.Sigma, m))
		public.Mean += loss / report.Number(len(energies))
		if loss > public.Max || u == 0 {
			public.Max, public.About = loss, u
		}
	}
	public.Mean, public.Assumptions = min(public.Mean, public.Max), claim.Grounds()
	return a.finished(public, claim.Gaussian, m), nil
}

// finished adds the largest probability of a right guess by the public, and the shared assumptions.
func (a *Algorithm) finished(public *report.Public, gaussian bool, m privacy.Metric) *report.Public {
	switch {
	case gaussian:
		public.Guess = m.GuessOf(float64(public.Max))
	case m.Order == 0:
		public.Guess = privacy.Guess(float64(public.Max), m.Delta)
	}
	public.Assumptions = append(public.Assumptions, family.TakenAsPublic(a, true)...)
	return public
}

// publicEnergies returns the energies of all nodes towards the public, in units of the largest sensitivity.
func (a *Algorithm) publicEnergies() ([]float64, privacy.Claim, error) {
	workers := runtime.GOMAXPROCS(0)
	if a.cancels() {
		accountant, err := a.pairwise()
		if err != nil {
			return nil, privacy.Claim{}, err
		}
		energies, claim, err := accountant.Beside(nil, workers)
		return energies, a.outsider(claim), err
	}
	accountant, err := a.flow()
	if err != nil {
		return nil, privacy.Claim{}, err
	}
	side, err := a.watched(accountant, "flows towards the public").Public(a.movements(), accountant.PublicMethod(a.movements(), quickFlow), workers)
	if err != nil {
		return nil, privacy.Claim{}, err
	}
	return side.Values, side.Claim, nil
}

// outsider returns a claim for cancelling noise towards the public. The public is charged as if it saw every message and knew
// no shared noise.
func (a *Algorithm) outsider(claim privacy.Claim) privacy.Claim {
	claim.Towards, claim.Final = privacy.Public, true
	claim.Assumptions = append(claim.Assumptions, "the public is charged as if it saw every message, and knows no noise that two participants share")
	if a.Protocol.Noise.Sampled() {
		claim.Gaussian, claim.Assumptions = false, append(claim.Assumptions, privacy.PoissonAssumption)
	}
	return claim
}

// publicLoss returns the loss of an energy of node u. The flow accountant counts every row in every batch.
func (a *Algorithm) publicLoss(u int, energy, sigma float64, m privacy.Metric) float64 {
	if a.flows() {
		return privacy.GaussianLoss(energy, sigma, m)
	}
	return a.lossOf(u, energy, sigma, m)
}

// PublicLaw implements family.Publisher.
func (a *Algorithm) PublicLaw(_ context.Context, u int) (*walkpath.Law, error) {
	switch {
	case !a.Protocol.Final:
		return nil, nil
	case a.cancels():
		accountant, err := a.pairwise()
		if err != nil {
			return nil, err
		}
		energies, claim, err := accountant.Beside(nil, runtime.GOMAXPROCS(0))
		if err != nil {
			return nil, err
		}
		return a.sampledLaw(a.outsider(claim), u, energies[u]), nil
	case !a.flows():
		return family.LocalLaws(a.Charged(), a.Protocol.Noise, a.Protocol.Nodes, u)[(u+1)%a.Protocol.Nodes], nil
	}
	accountant, err := a.flow()
	if err != nil {
		return nil, err
	}
	best, err := accountant.Optimal(u)
	if err != nil {
		return nil, err
	}
	return a.ofEnergy(accountant.PublicClaim(), u, best.Energy), nil
}
