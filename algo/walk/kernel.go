package walk

import (
	"math"

	"hearsay/internal/linalg"
	"hearsay/model"
	"hearsay/noise"
	"hearsay/step"
)

// Kernel is the mathematics of one turn. It owns only scratch memory and must
// not be shared between goroutines.
type Kernel struct {
	p        *Protocol
	source   noise.Source
	gradient []float64
	local    localGradients
}

// NewKernel returns the kernel of p with noise from source.
func NewKernel(p *Protocol, source noise.Source) *Kernel {
	return &Kernel{p: p, source: source, gradient: make([]float64, p.Params), local: newLocalGradients(p)}
}

// Contribute takes one noisy gradient step on ex:
//
//	x <- Proj(x - gamma_t (scale * mean of clipped gradients + noise + L2 x))
func (k *Kernel) Contribute(token []float64, ex model.Examples, scale float64, node step.NodeID, t step.Turn) step.Release {
	k.local.at(token, ex)
	release := k.p.Noise.Mean(k.gradient, &k.local, scale, k.source, node, t)
	k.descend(token, t)
	return release
}

// NoiseOnly takes the same step without data.
func (k *Kernel) NoiseOnly(token []float64, node step.NodeID, t step.Turn) step.Release {
	release := k.p.Noise.Only(k.gradient, k.source, node, t)
	k.descend(token, t)
	return release
}

// Pass leaves the token as it is.
func (k *Kernel) Pass(node step.NodeID, t step.Turn) step.Release {
	return step.Release{From: node, Turn: t}
}

func (k *Kernel) descend(token []float64, t step.Turn) {
	gamma := k.p.StepSize.At(int(t) - k.p.BurnIn)
	if k.p.Objective.L2 != 0 {
		k.p.Objective.Shrink(k.gradient, 1, token)
	}
	linalg.Axpy(token, -gamma, k.gradient)
	if k.p.Radius > 0 {
		project(token, k.p.Radius)
	}
}

// project moves x to the nearest point of the ball around 0.
func project(x []float64, radius float64) {
	square := linalg.Dot(x, x)
	if square <= radius*radius {
		return
	}
	factor := radius / math.Sqrt(square)
	for i := range x {
		x[i] *= factor
	}
}
