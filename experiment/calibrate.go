package experiment

import (
	"context"

	"hearsay/internal/fault"
	"hearsay/report"
	"hearsay/spec"
)

// Accountants are those that can calibrate a walk, the ones to rely on last.
func Accountants() []string { return []string{"published", report.LocalAccountant, "path"} }

// A Calibrated is the smallest noise that one accountant asks for to meet a
// target, and what all accountants make of it.
type Calibrated struct {
	Accountant string             `json:"accountant"`
	Sigma      float64            `json:"sigma,omitempty"`     // noise multiplier
	NoiseStd   float64            `json:"noise_std,omitempty"` // per coordinate
	Losses     []report.Accounted `json:"losses,omitempty"`    // its own first
	Refused    string             `json:"refused,omitempty"`   // why it does not price this run, if it does not
	Hint       string             `json:"hint,omitempty"`
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
			list = append(list, own.answer(name))
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
func (s *Setup) answer(name string) Calibrated {
	c := Calibrated{Accountant: name, Sigma: s.Accounting.Sigma, NoiseStd: s.Protocol.Noise.Std()}
	for _, a := range s.Accounting.Accounts {
		c.Losses = append(c.Losses, a.Accounted)
	}
	return c
}
