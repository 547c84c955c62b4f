package sumsfamily

import (
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/algo/sum"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/family/walkfamily"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// Averaging is private averaging by a walk on any graph (000 section 5; 002 section 7.3). After a burn-in it takes the running
// average of the values that the token meets, with noise at each. That is RW DP-SGD on norm(x - y_v)^2 with step sizes 1/(2t).
// The token carries the sum over the turns so far, and its holder divides. The updates of a sum are non-expansive and its noise
// stays the same, as the path accountant needs. The estimate of several tokens is the mean.
type Averaging struct{ *walkfamily.Algorithm }

func prepareAveraging(ctx context.Context, h family.Holdings) (family.Algorithm, error) {
	prepared, err := walkfamily.Family{}.Prepare(ctx, h.WithSpec(func(s *spec.Spec) {
		s.Algorithm.StepSize = spec.StepSize{Base: 1}
		if s.Report.Every == 0 {
			s.Report.Every = max(1, s.Algorithm.Steps/200)
		}
	}))
	if err != nil {
		return nil, err
	}
	a := Averaging{prepared.(*walkfamily.Algorithm)}
	adding := model.Adding(2 * a.Protocol.Noise.Clip)
	a.Protocol.Kernel, a.Protocol.Updates = sum.NewAdder(sum.Everywhere), &adding
	a.Algorithm = a.Copied(a.Protocol.Noise.Multiplier, func(s *spec.Spec) { s.Algorithm.StepSize = spec.StepSize{} })
	return a, nil
}

// WithNoise implements family.Algorithm.
func (a Averaging) WithNoise(multiplier float64) (family.Algorithm, error) {
	return Averaging{a.Copied(multiplier, func(*spec.Spec) {})}, nil
}

// WithPrivacy implements family.Algorithm.
func (a Averaging) WithPrivacy(p spec.Privacy) family.Algorithm {
	return Averaging{a.Copied(a.Protocol.Noise.Multiplier, func(s *spec.Spec) { s.Privacy = p })}
}

// Trial implements family.Algorithm. It shows the running average at the steps that are reported.
func (a Averaging) Trial(ctx context.Context, seed uint64, see family.Seen) ([]float64, error) {
	every, steps, shown := a.Spec.Report.Every, a.Protocol.Steps, make([]float64, a.Protocol.Params)
	token, err := a.Algorithm.Trial(ctx, seed, func(done int, token []float64, _ float64) {
		if done >= 1 && (done%every == 0 || done == steps) {
			divided(shown, token, done)
			see(done, shown, 0)
		}
	})
	if err != nil {
		return nil, err
	}
	divided(shown, token, steps)
	return shown, nil
}

// divided sets dst to x over by.
func divided(dst, x []float64, by int) {
	for i, v := range x {
		dst[i] = v / float64(by)
	}
}

// Machine implements family.Algorithm.
func (a Averaging) Machine(own family.Participant) family.Machine {
	m := a.Algorithm.Machine(own)
	last := m.Model
	m.Model = func() []float64 {
		token := last()
		if token == nil {
			return nil
		}
		mean := make([]float64, len(token))
		divided(mean, token, a.Protocol.Steps)
		return mean
	}
	return m
}

// Estimate implements family.Estimator. The true value is the mean of the values that the walk meets in the long run.
func (a Averaging) Estimate(means [][]float64) *report.Estimated {
	shares, n := a.Scoring().Shares, float64(a.Spec.Nodes)
	if shares == nil {
		return nil
	}
	truth, scales := make([]float64, a.Protocol.Params), a.Scales()
	for v := range step.NodeID(a.Spec.Nodes) {
		if ex := a.Examples.Examples(v); ex.Len() > 0 {
			for i, x := range sum.Value(a.Local(), ex, scales[v]) {
				truth[i] += float64(n * shares[v] * x)
			}
		}
	}
	std := n * a.Protocol.Noise.Std() / math.Sqrt(a.updates())
	return estimated("sum over nodes", a.Federation.FeatureNames, means, truth, n, std)
}

// updates returns the number of updates of all tokens.
func (a Averaging) updates() float64 {
	return float64(a.Protocol.Steps) * float64(a.Protocol.AllTokens())
}

// Audit implements family.Algorithm.
func (a Averaging) Audit() (family.Audit, error) {
	return nil, fault.New(fmt.Sprintf("algorithm.kind: nobody attacks a %s", averaging), "audit a walk, or gossip")
}

// Utility implements family.Algorithm.
func (a Averaging) Utility() family.Utility {
	each := a.Protocol.Noise.Std() / math.Sqrt(a.updates())
	distance := float64(a.Protocol.Params) * each * each
	return family.Utility{Distance2: &distance, NoisePerHop: family.NoiseNorm(a.Local()),
		Why: "of the mean of what the token meets, noise alone; whom it meets is chance besides, the less the longer it walks and the faster it mixes"}
}

// Notes implements family.Algorithm.
func (a Averaging) Notes() (notes []string) {
	notes = a.Algorithm.Notes()
	if cap := float64(a.Protocol.Cap); cap > 0 && cap*float64(a.Spec.Nodes) < a.updates() {
		notes = append(notes, fmt.Sprintf("Nodes give at most %d times each, in fewer turns than the %.0f that there are: in all others noise alone is added, and counts as zero.",
			a.Protocol.Cap, a.updates()))
	}
	if a.Spec.Algorithm.BurnIn > 0 || a.Mixing == 0 {
		return notes
	}
	return append(notes, fmt.Sprintf("The token starts at some node without a burn-in: its first turns count its surroundings more than others. The mixing time is at most %.0f hops.", a.Mixing))
}
