package walk

import (
	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// heavy is the kernel of one place that takes all steps and carries them on (descent.Local.Carry). Where every iterate is
// charged as public, so is what is carried on.
type heavy struct {
	*descent.Kernel
	local            *descent.Local
	before, velocity []float64
}

// NewHeavy returns a kernel for Protocol.Kernel whose steps carry momentum. One kernel has to take all steps of a run: nodes
// that hand a token on do not hand on what its steps carry.
func NewHeavy(l *descent.Local, source noise.Source, _ Chance) Kernel {
	return &heavy{Kernel: descent.NewKernel(l, source), local: l, before: make([]float64, l.Params), velocity: make([]float64, l.Params)}
}

// Contribute implements Kernel.
func (k *heavy) Contribute(token []float64, ex *model.Examples, scale float64, at int, r *step.Release) {
	copy(k.before, token)
	k.Kernel.Contribute(token, ex, scale, at, r)
	k.local.Carry(token, k.before, k.velocity, at)
}

// NoiseOnly implements Kernel.
func (k *heavy) NoiseOnly(token []float64, at int, r *step.Release) {
	copy(k.before, token)
	k.Kernel.NoiseOnly(token, at, r)
	k.local.Carry(token, k.before, k.velocity, at)
}
