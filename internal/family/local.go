package family

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/digits"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Step is the step that a node takes on its own data, but for the noise
// multiplier and for how far gradients may be scaled.
func (h *Holdings) Step() (descent.Local, error) {
	a := h.Spec.Algorithm
	shares, err := h.RecordShares(func(rows int) int { return max(rows, a.WeighRows) })
	return descent.Local{
		Params: h.Objective.Params(h.Federation.Shards.Features), Objective: h.Objective, Initial: h.initial(),
		Noise:    noise.Gaussian{Clip: min(a.Clip, h.Guarantees.Lipschitz()), Shares: shares, Together: a.ClipsMeans()},
		StepSize: descent.StepSize{Base: a.StepSize.Base, Power: a.StepSize.Power},
		Radius:   a.Radius, Fill: a.Fill, Rows: a.WeighRows, Momentum: a.Momentum,
	}, err
}

// initial are the parameters that everybody begins with, nil meaning zeros: drawn
// from the public seed, the same in all trials.
func (h *Holdings) initial() []float64 {
	starter, ok := h.Objective.Model.(model.Starter)
	if !ok {
		return nil
	}
	var stream step.Stream
	x := starter.Start(h.Federation.Shards.Features, h.Federation.Bound, stream.At(h.Spec.Seed, everyone, 0, 0, step.Placement))
	if r := h.Spec.Algorithm.Radius; r > 0 && sparse.Norm(x) > r {
		scale := r / sparse.Norm(x)
		for i := range x {
			x[i] *= scale
		}
	}
	return x
}

// everyone is the node that what is drawn for all of them is keyed by.
const everyone step.NodeID = -1

// CheckStepSize refuses steps that would push two models apart where the spec's accountant
// counts on their not doing so: beyond 2/beta a gradient step is expansive and no
// amplification theorem holds. Accountants of what everybody sees ask nothing of a step; that of
// flows charges how far it spreads models, but the price of a real network's grid counts on it.
func (h *Holdings) CheckStepSize(size descent.StepSize) error {
	beta, gamma := h.Guarantees.Smoothness(), size.Largest()
	switch h.Spec.Privacy.Accountant {
	case report.LocalAccountant, "pairwise", "tight":
		return nil
	case "flow":
		if !h.Public {
			return nil
		}
	}
	if math.IsInf(beta, 1) || gamma <= 2/beta {
		return nil
	}
	return fault.New(fmt.Sprintf("algorithm.step_size: %g is above 2/beta = %.4g, the largest that keeps a step of this %s model (beta = %.4g) non-expansive",
		gamma, 2/beta, h.Objective.Name(), beta), fmt.Sprintf("use a step size of at most %g, or accountant: local, which asks nothing of it", digits.Down(2/beta, 4)))
}

// MaxScale bounds what fill may multiply gradients by: steps up to 2/beta.
func (h *Holdings) MaxScale(size descent.StepSize) float64 {
	return (2/size.Largest() - h.Spec.Model.L2) / h.Objective.Model.Guarantees(h.Federation.Bound).Smoothness()
}

// NoiseNorm is the root mean squared norm of the noise of one step.
func NoiseNorm(l *descent.Local) float64 { return l.Noise.Std() * math.Sqrt(float64(l.Params)) }
