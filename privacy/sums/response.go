package sums

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// A RandomResponse answers with the truth but for probability Gamma in (0, 1],
// when it answers with one of Values >= 2 values, uniformly, the truth
// included (Warner 1965; 002, Algorithm 5.2).
type RandomResponse struct {
	Values int
	Gamma  float64
}

// Respond is the response that is eps-DP by itself, eps > 0 (002, Proposition
// 3.6): Gamma = L/(exp(eps) + L - 1).
func Respond(values int, eps float64) RandomResponse {
	return RandomResponse{values, float64(values) / (math.Expm1(eps) + float64(values))}
}

// Epsilon is the exact loss of one public answer: the logarithm of the ratio
// of the chances of the truth and of one other value.
func (r RandomResponse) Epsilon() float64 {
	return math.Log1p(float64(r.Values) * (1 - r.Gamma) / r.Gamma)
}

// Truth is the chance to answer with the truth, by luck included.
func (r RandomResponse) Truth() float64 { return 1 - r.Gamma + r.Other() }

// Other is the chance to answer with one given other value.
func (r RandomResponse) Other() float64 { return r.Gamma / float64(r.Values) }

// Check reports a response that is none.
func (r RandomResponse) Check() error {
	if r.Values < 2 {
		return fault.New(fmt.Sprintf("a histogram of %d values", r.Values), "give at least 2 values")
	}
	if !(r.Gamma > 0 && r.Gamma <= 1) {
		return fault.New(fmt.Sprintf("random answers with probability %g", r.Gamma), "give gamma above 0 and at most 1")
	}
	return nil
}
