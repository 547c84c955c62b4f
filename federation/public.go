package federation

import (
	"context"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
)

// Public is what the public learns of this participant: whoever takes no part, and sees the final models alone.
type Public struct {
	Observer     string   `json:"observer"`      // privacy.Public
	ModelCharged bool     `json:"model_charged"` // true: the final models are all that it sees
	Epsilon      float64  `json:"epsilon"`
	Guess        float64  `json:"guess"`                // as Towards'
	Deviating    float64  `json:"epsilon_if_deviating"` // if one participant does not keep to the protocol: what that one could learn, who sees the final models too
	Assumptions  []string `json:"assumptions"`
}

// thePublic is how tables call it.
const thePublic = "the public, by the final models"

// publish prices what the public learns, where the run shows it the final models.
func (p *Plan) publish(ctx context.Context, f *Federation) error {
	law, err := family.PublicLawOf(ctx, f.setup.Algorithm, int(f.Self))
	if err != nil || law == nil {
		return err
	}
	own := p.onGrid(law)
	p.Public = &Public{Observer: privacy.Public.String(), ModelCharged: true, Epsilon: p.loss(own, p.Sigma, p.Delta), Guess: p.guess(own), Assumptions: law.Grounds()}
	for _, t := range p.Towards {
		p.Public.Deviating = max(p.Public.Deviating, t.Deviating)
	}
	return nil
}

// published is what the public was told, as reports have it; nil: nothing is shown to it.
func (s *Statement) published(about int) *report.Public {
	if s.SpentPublic == nil {
		return nil
	}
	loss := report.Number(s.SpentPublic.Epsilon)
	return &report.Public{Observer: s.Public.Observer, ModelCharged: true, Accountant: s.Accountant, Status: report.Status(s.Status), Mean: loss, Max: loss, About: about,
		Guess: s.Public.Guess, Assumptions: s.Public.Assumptions}
}
