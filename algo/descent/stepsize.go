package descent

import "github.com/hearsay-dp/hearsay/internal/math"

// StepSize is gamma_t = Base / (t+1)^Power for the update t = 0, 1, ...
type StepSize struct {
	Base  float64
	Power float64 // 0: constant
}

// At returns the step size of update t.
func (s StepSize) At(t int) float64 {
	switch s.Power {
	case 0:
		return s.Base
	case 1:
		return s.Base / float64(t+1)
	}
	return s.Base * math.Pow(float64(t+1), -s.Power)
}

// Largest returns the largest step size of a run, that of the first update.
func (s StepSize) Largest() float64 { return s.Base }

// sum returns an upper bound of the sum over the first n >= 1 updates of gamma_t^power. An integral bounds all terms
// after the first.
func (s StepSize) sum(n int, power float64) float64 {
	first, decay := math.Pow(s.Base, power), float64(s.Power*power)
	last := float64(max(1, n))
	switch decay {
	case 0:
		return float64(first * last)
	case 1:
		return float64(first * (1 + math.Log(last)))
	}
	return float64(first * (1 + (math.Pow(last, 1-decay)-1)/(1-decay)))
}
