package federation

import (
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/report"
)

// Explain explains how much another participant could learn about this one, in the plan's numbers.
// They include the price of the noise's grid. Explain reads no data.
func (f *Federation) Explain(ctx context.Context, observer int) (*family.Explanation, error) {
	p, err := f.Plan(ctx)
	if err != nil {
		return nil, err
	}
	return f.setup.ExplainAs(int(f.Self), observer, func(e *family.Explanation) error {
		to := p.towards(f.Names[observer])
		e.ChargeView(to.Epsilon, to.Guess)
		e.Accountant, e.Status, e.Assumptions = p.Accountant, report.Status(p.Status), p.Assumptions
		e.Why.Local, e.Why.Sigma = p.Local, p.Sigma
		if p.noise.Relative != 0 {
			e.Why.Sigma /= p.noise.Relative
		}
		real := "This is of a real run: noise is drawn from the operating system's randomness, on a grid whose price is in the numbers."
		if family.OffGrid(f.setup.Algorithm) != "" {
			real = "This is of a real run: answers are random by the operating system's randomness."
		}
		e.Notes = []string{real, p.ifDeviating(e.ObserverName)}
		if p.MostLate > 0 {
			e.Notes = append(e.Notes, fmt.Sprintf("Whoever deviates may delay values. If values of %s come late, after the others went on without %s, epsilon is %s. Policies are checked, and budget books charged, with that.",
				steps(p.MostLate), e.AboutName, digits(p.Accepted().towards(f.Names[observer]).Epsilon)))
		}
		noisy, err := p.withNoise(family.Noisier * p.Sigma)
		if err != nil {
			return err
		}
		for i, to := range p.Towards {
			if to.Name == f.Names[observer] && !p.plain[i].IsCurved() { // the family lists the remedies for random answers
				if p.active && p.plain[i].Energies[0] > 0 {
					e.Notes = append(e.Notes, fmt.Sprintf("The grid lifts the energy of the plan from %.7g to %.7g contributions seen bare, more than all of which nobody is charged.",
						p.plain[i].Energies[0], p.laws[i].Energies[1]))
				}
				e.Remedies = []family.Remedy{{Change: fmt.Sprintf("privacy.sigma: %.4g", noisy.Sigma), Epsilon: p.loss(noisy.laws[i], noisy.Sigma, p.Delta)}}
			}
		}
		return nil
	})
}

// ifDeviating returns a sentence on the losses if the observer deviates from the protocol.
func (p *Plan) ifDeviating(observer string) string {
	if p.active {
		return fmt.Sprintf("They hold whatever %s sends, late, not at all, or to each another value, as long as all others keep to the protocol.", observer)
	}
	return fmt.Sprintf("If %s does not keep to the protocol they are those of all contributions seen bare: epsilon %s.", observer, digits(p.Local))
}

// towards returns the loss towards a participant, zero if the plan does not list it.
func (p *Plan) towards(name string) Towards {
	for _, t := range p.Towards {
		if t.Name == name {
			return t
		}
	}
	return Towards{}
}
