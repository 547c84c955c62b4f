package family

import (
	"fmt"
	"slices"

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

// Step returns the step of a node on its own data. It leaves out the noise multiplier and the largest scale of gradients.
func (h *Holdings) Step() (descent.Local, error) {
	a := h.Spec.Algorithm
	shares, err := h.RecordShares(func(rows int) int { return max(rows, a.WeighRows) })
	if err != nil {
		return descent.Local{}, err
	}
	clip := min(a.Clip, h.Guarantees.Lipschitz())
	clips, err := h.clips(clip)
	return descent.Local{
		Params: h.Objective.Params(h.Federation.Shards.Features), Objective: h.Objective, Initial: h.initial(),
		Noise:      noise.Gaussian{Clip: clip, Clips: clips, Shares: shares, Together: a.ClipsMeans()},
		LocalSteps: a.LocalSteps,
		StepSize:   descent.StepSize{Base: a.StepSize.Base, Power: a.StepSize.Power},
		Radius:     a.Radius, Fill: a.Fill, Rows: a.WeighRows, Momentum: a.Momentum,
	}, err
}

// initial returns the parameters with which every node begins: those of an earlier model, or those drawn from the public seed, the
// same in all trials. It returns nil for zeros.
func (h *Holdings) initial() []float64 {
	var x []float64
	if e := h.Spec.Model.Earlier; e != nil {
		x = slices.Clone(e.Parameters)
	} else if starter, ok := h.Objective.Model.(model.Starter); ok {
		var stream step.Stream
		x = starter.Start(h.Federation.Shards.Features, h.Federation.Bound, stream.At(h.Spec.Seed, everyone, 0, 0, step.Placement))
	}
	if r := h.Spec.Algorithm.Radius; r > 0 && sparse.Norm(x) > r {
		scale := r / sparse.Norm(x)
		for i := range x {
			x[i] *= scale
		}
	}
	return x
}

// everyone is the node number in the key of draws that are common to all nodes.
const everyone step.NodeID = -1

// CheckStepSize refuses steps that can push two models apart where the spec's accountant assumes that they do not. Above 2/beta
// a gradient step is expansive and no amplification theorem holds. Accountants of public messages assume nothing of a step. The
// accountant of flows charges the expansion, but the price of a real network's grid assumes that there is none.
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

// MaxScale returns the largest factor by which fill may multiply gradients so that steps stay at or below 2/beta.
func (h *Holdings) MaxScale(size descent.StepSize) float64 {
	return (2/size.Largest() - h.Spec.Model.L2) / h.Objective.Model.Guarantees(h.Federation.Bound).Smoothness()
}

// NoiseNorm returns the root mean squared norm of the noise of one step.
func NoiseNorm(l *descent.Local) float64 { return l.Noise.Std() * math.Sqrt(float64(l.Params)) }
