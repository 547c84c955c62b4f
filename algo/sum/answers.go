package sum

import (
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/step"
)

// Answers holds the law of randomised responses that a token counts (002 Algorithms 5.2 and D.1).
type Answers struct{ schedule.Answer }

// Hidden returns floor(gamma n), the number of answers that the token of a ring of n nodes begins with.
func Hidden(gamma float64, nodes int) int { return int(gamma * float64(nodes)) }

// NewResponder returns a function that makes the kernels of a protocol of that many updates.
func (a Answers) NewResponder(updates int) func(*descent.Local, noise.Source, walk.Chance) walk.Kernel {
	return func(_ *descent.Local, _ noise.Source, chance walk.Chance) walk.Kernel {
		return &Responder{a, updates, chance}
	}
}

// Responder is the kernel of a histogram: the holder counts one answer, of one of its
// rows, which it draws.
type Responder struct {
	Answers
	updates int
	chance  walk.Chance
}

// Contribute implements walk.Kernel.
func (r *Responder) Contribute(token []float64, ex *model.Examples, _ float64, at int, of *step.Release) {
	chance := r.chance.Chance(of.From, of.Turn, of.Lane)
	r.hide(token, at, chance)
	_, y := ex.Row(chance.IntN(ex.Len()))
	answer := model.ClassOf(y, r.Values)
	// Float64 returns multiples of 2^-53, so the comparison rounds gamma up.
	if chance.Float64() < r.Gamma {
		answer = chance.IntN(r.Values)
	}
	token[answer]++
	r.release(of, true)
}

// NoiseOnly implements walk.Kernel: an answer that is random.
func (r *Responder) NoiseOnly(token []float64, at int, of *step.Release) {
	chance := r.chance.Chance(of.From, of.Turn, of.Lane)
	r.hide(token, at, chance)
	token[chance.IntN(r.Values)]++
	r.release(of, false)
}

// hide counts the random answers before the first one and after the last.
func (r *Responder) hide(token []float64, at int, chance *rand.Rand) {
	random := 0
	if at == 0 {
		random += r.Start
	}
	if at == r.updates-1 {
		random += r.End
	}
	for range random {
		token[chance.IntN(r.Values)]++
	}
}

// release sets the release of one answer, with sensitivity 1 and Gamma for its noise.
func (r *Responder) release(of *step.Release, contributed bool) {
	of.Contributed, of.Sensitivity, of.NoiseStd = contributed, 1, r.Gamma
}

// Debias sets dst to an unbiased estimate of the number of answers of each
// value, from the counts of a token:
//
//	(count - (gamma answers + start + end)/L)/(1 - gamma).
//
// 002 Algorithm 5.2 takes away gamma/L in all, which is the share of one answer. At
// gamma = 1 nothing can be estimated, and no entry of dst is a finite number.
func (a Answers) Debias(dst, counts []float64, answers int) {
	random := (float64(a.Gamma*float64(answers)) + float64(a.Start+a.End)) / float64(a.Values)
	for i, count := range counts {
		dst[i] = (count - random) / (1 - a.Gamma)
	}
}

// Std returns the standard deviation of Debias of one value, if truly of all answers
// have that true value.
func (a Answers) Std(answers, truly int) float64 {
	low := a.Gamma / float64(a.Values)
	high := 1 - a.Gamma + low
	uniform := 1 / float64(a.Values)
	variance := float64(float64(truly)*high*(1-high)) + float64(float64(answers-truly)*low*(1-low)) + float64(float64(a.Start+a.End)*uniform*(1-uniform))
	return math.Sqrt(variance) / (1 - a.Gamma)
}
