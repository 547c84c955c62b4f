package descent

import "math"

// StepSize is gamma_t = Base / (t+1)^Power for the update t = 0, 1, ...
type StepSize struct {
	Base  float64
	Power float64 // 0: constant
}

// At is the step size of update t.
func (s StepSize) At(t int) float64 {
	switch s.Power {
	case 0:
		return s.Base
	case 1:
		return s.Base / float64(t+1)
	}
	return s.Base * math.Pow(float64(t+1), -s.Power)
}

// Largest is the largest step size of a run, that of the first update.
func (s StepSize) Largest() float64 { return s.Base }
