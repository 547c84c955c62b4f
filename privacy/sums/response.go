package sums

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// A RandomResponse describes randomised response. It gives the true value,
// except that with probability Gamma in (0, 1] it gives one of Values >= 2
// values, uniformly, the truth included (Warner 1965; 002, Algorithm 5.2).
type RandomResponse struct {
	Values int
	Gamma  float64
}

// Respond returns the response whose own loss is eps > 0 (002, Proposition
// 3.6): Gamma = L/(exp(eps) + L - 1).
func Respond(values int, eps float64) RandomResponse {
	return RandomResponse{values, float64(values) / (math.Expm1(eps) + float64(values))}
}

// Epsilon returns the exact loss of one public answer: the logarithm of the
// ratio of the probabilities of the truth and of one other value.
func (r RandomResponse) Epsilon() float64 {
	return math.Log1p(float64(r.Values) * (1 - r.Gamma) / r.Gamma)
}

// Truth returns the probability of the true value, including true random
// answers.
func (r RandomResponse) Truth() float64 { return 1 - r.Gamma + r.Other() }

// Other returns the probability of one given other value.
func (r RandomResponse) Other() float64 { return r.Gamma / float64(r.Values) }

// Check returns an error for fewer than 2 values or a Gamma outside (0, 1].
func (r RandomResponse) Check() error {
	if r.Values < 2 {
		return fault.New(fmt.Sprintf("a histogram of %d values", r.Values), "give at least 2 values")
	}
	if !(r.Gamma > 0 && r.Gamma <= 1) {
		return fault.New(fmt.Sprintf("random answers with probability %g", r.Gamma), "give gamma above 0 and at most 1")
	}
	return nil
}
