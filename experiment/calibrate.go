package experiment

import (
	"context"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// Accountants returns the accountants of all kinds, each once.
func Accountants() (names []string) {
	for _, kind := range Kinds() {
		for _, name := range kind.Accountants {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// A Calibrated holds the smallest noise with which one accountant meets a
// target, and the losses by all accountants at that noise.
type Calibrated struct {
	Accountant string             `json:"accountant"`
	Sigma      float64            `json:"sigma,omitempty"`     // noise multiplier, the upper end of Bracket
	Bracket    *Bracket           `json:"bracket,omitempty"`   // null where refused, and where sigma was not searched for
	NoiseStd   float64            `json:"noise_std,omitempty"` // per coordinate
	Losses     []report.Accounted `json:"losses,omitempty"`    // its own first
	Refused    string             `json:"refused,omitempty"`   // why it does not price this run, if it does not
	Hint       string             `json:"hint,omitempty"`
}

// A Bracket holds the ends of the last interval of bisection. At Low the target is missed, or
// sigma may not be smaller. At High it is met.
type Bracket struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Calibrate finds the smallest sigma of each accountant whose mean or largest
// pairwise loss meets the target. An accountant whose assumptions do not hold says
// so; it is an error if none is left.
func (p *Prepared) Calibrate(ctx context.Context, accountants []string, target spec.Calibrate) ([]Calibrated, error) {
	var list []Calibrated
	var refusal error
	refused := 0
	for _, name := range accountants {
		aimed := newPrepared(p.Algorithm.WithPrivacy(aimedAt(p.Spec.Privacy, name, target)))
		priced, err := stage(ctx, nil, "", aimed.price)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			refused++
			refusal = err
			list = append(list, Calibrated{Accountant: name, Refused: err.Error(), Hint: fault.Hint(err)})
		default:
			answer, err := priced.answer(name)
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

// aimedAt returns a spec's privacy block with another accountant and target.
func aimedAt(p spec.Privacy, accountant string, target spec.Calibrate) spec.Privacy {
	p.Accountant, p.Sigma, p.Calibrate = accountant, nil, &target
	return p
}

// answer returns the result of a calibration.
func (s *Priced) answer(name string) (Calibrated, error) {
	first, sigma := s.Accounting.Accounts[0], s.Accounting.Sigma
	low, err := first.Low, error(nil)
	if first.Accountant == report.LocalAccountant {
		low, err = family.LocalLow(s.Algorithm, sigma)
	}
	c := Calibrated{Accountant: name, Sigma: sigma, NoiseStd: s.Algorithm.Local().Noise.Std()}
	if low != 0 {
		c.Bracket = &Bracket{low, sigma}
	}
	for _, a := range s.Accounting.Accounts {
		c.Losses = append(c.Losses, a.Accounted)
	}
	return c, err
}
