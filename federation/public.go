package federation

import (
	"context"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
)

// Public holds the loss towards the public: an observer who takes no part and sees the final models only.
type Public struct {
	Observer     string   `json:"observer"`      // true, because the public sees only the final models
	ModelCharged bool     `json:"model_charged"` // true: the final models are all that it sees
	Epsilon      float64  `json:"epsilon"`
	Guess        float64  `json:"guess"`                // as Guess of Towards
	Deviating    float64  `json:"epsilon_if_deviating"` // the largest loss towards a deviating participant, who sees the final models too
	Assumptions  []string `json:"assumptions"`
}

// ThePublic is the name of the public in tables.
const ThePublic = "the public, by the final models"

// publish prices the loss towards the public, if the run shows it the final models.
func (p *Plan) publish(ctx context.Context, f *Federation) error {
	law, err := family.PublicLawOf(ctx, f.setup.Algorithm, int(f.Self))
	if err != nil || law == nil {
		return err
	}
	own, assumptions := p.onGrid(law), append(append(slices.Clip(law.Grounds()), f.noiseGround()...), f.runGrounds()...)
	p.publicLaw = law
	p.Public = &Public{Observer: privacy.Public.String(), ModelCharged: true, Epsilon: p.loss(own, p.Sigma, p.Delta), Guess: p.guess(own), Deviating: p.mostDeviating(), Assumptions: assumptions}
	return nil
}

// toPublic returns the loss towards the public at noise sigma. It is 0 if the public is shown nothing. Where no accountant prices
// the public apart, each participant whose loss covers the final models sees all that the public sees, and more.
func (p *Plan) toPublic(sigma, delta float64) float64 {
	switch {
	case p.publicLaw != nil:
		return p.loss(p.onGrid(p.publicLaw), sigma, delta)
	case !p.shown:
		return 0
	}
	least := p.local(p.Contributions, sigma, delta)
	for _, law := range p.laws {
		if p.ModelCharged {
			least = min(least, p.loss(law, sigma, delta))
		}
	}
	return least
}

// mostDeviating returns the largest loss towards a participant that deviates, who is shown the final models too.
func (p *Plan) mostDeviating() (most float64) {
	for _, t := range p.Towards {
		most = max(most, t.Deviating)
	}
	return most
}

// published returns the loss towards the public in the type of reports. It returns nil if the
// public is shown nothing.
func (s *Statement) published(about int) *report.Public {
	if s.SpentPublic == nil {
		return nil
	}
	loss, guess, assumptions := s.SpentPublic.Epsilon, s.after(s.Late).Public.Guess, s.Public.Assumptions
	if s.Left != nil && s.Left.Public != nil && s.Alarm == "" {
		guess = min(guess, s.Left.Public.Guess)
		assumptions = append(assumptions[:len(assumptions):len(assumptions)], "the time at which "+s.Participant+" left does not depend on its data")
	}
	return &report.Public{Observer: s.Public.Observer, ModelCharged: true, Accountant: s.Accountant, Status: report.Status(s.Status), Mean: report.Number(loss), Max: report.Number(loss), About: about, Name: s.Participant,
		Guess: guess, Assumptions: assumptions}
}
