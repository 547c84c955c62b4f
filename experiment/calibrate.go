package experiment

import (
	"context"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// Accountants are those that can calibrate a walk, the ones to rely on last.
func Accountants() []string { return []string{"published", report.LocalAccountant, "path"} }

// A Calibrated is the smallest noise that one accountant asks for to meet a
// target, and what all accountants make of it.
type Calibrated struct {
	Accountant string             `json:"accountant"`
	Sigma      float64            `json:"sigma,omitempty"`     // noise multiplier, the upper end of Bracket
	Bracket    *Bracket           `json:"bracket,omitempty"`   // null where refused
	NoiseStd   float64            `json:"noise_std,omitempty"` // per coordinate
	Losses     []report.Accounted `json:"losses,omitempty"`    // its own first
	Refused    string             `json:"refused,omitempty"`   // why it does not price this run, if it does not
	Hint       string             `json:"hint,omitempty"`
}

// A Bracket is what bisection ended with: at Low the target is missed, or
// sigma may not be smaller; at High it is met.
type Bracket struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Calibrate finds the smallest sigma of each accountant whose mean or largest
// pairwise loss meets the target. The Setup, which need only be Open, is not
// changed. An accountant whose assumptions do not hold says so; it is an error
// if none is left.
func (s *Setup) Calibrate(ctx context.Context, accountants []string, target spec.Calibrate) ([]Calibrated, error) {
	if err := s.checkWalk(); err != nil {
		return nil, err
	}
	var list []Calibrated
	var refusal error
	refused := 0
	for _, name := range accountants {
		own := s.aimedAt(name, target)
		err := Within(ctx, func() error { return own.account(ctx) })
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			refused++
			refusal = err
			list = append(list, Calibrated{Accountant: name, Refused: err.Error(), Hint: fault.Hint(err)})
		default:
			answer, err := own.answer(name)
			if err != nil {
				return nil, err
			}
			list = append(list, answer)
		}
	}
	if refused == len(accountants) {
		return nil, refusal
	}
	return list, nil
}

// aimedAt is the same setup with another accountant and target.
func (s *Setup) aimedAt(accountant string, target spec.Calibrate) *Setup {
	own, ownSpec, protocol := *s, *s.Spec, *s.Protocol
	ownSpec.Privacy.Accountant, ownSpec.Privacy.Sigma, ownSpec.Privacy.Calibrate = accountant, nil, &target
	own.Spec, own.Protocol, own.Accounting = &ownSpec, &protocol, Accounting{}
	return &own
}

// answer is what calibration came to.
func (s *Setup) answer(name string) (Calibrated, error) {
	low, err := s.low()
	sigma := s.Accounting.Sigma
	c := Calibrated{Accountant: name, Sigma: sigma, NoiseStd: s.Protocol.Noise.Std(), Bracket: &Bracket{low, sigma}}
	for _, a := range s.Accounting.Accounts {
		c.Losses = append(c.Losses, a.Accounted)
	}
	return c, err
}

// low is the lower end of the bracket. The local loss is inverted in closed
// form; bisection finds the same sigma, and the bracket.
func (s *Setup) low() (float64, error) {
	first, sigma := s.Accounting.Accounts[0], s.Accounting.Sigma
	if first.Accountant != report.LocalAccountant {
		return first.low, nil
	}
	m, err := s.metric()
	if err != nil {
		return 0, err
	}
	_, target := s.calibration()
	found, err := privacy.SmallestSigma(func(sigma float64) (float64, error) {
		loss, _, err := privacy.LocalLoss(s.cap(), sigma, m)
		return loss, err
	}, privacy.LeastSigma, target)
	return min(found.Low, sigma), err
}
