package walk

import (
	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// heavy is the kernel of a single node that takes all steps of a run, with momentum (descent.Local.Carry). Where
// every iterate is charged as public, the velocity is public too.
type heavy struct {
	*descent.Kernel
	local            *descent.Local
	before, velocity []float64
}

// NewHeavy returns a kernel for Protocol.Kernel whose steps have momentum. One kernel must take all steps of a run,
// because nodes that hand on a token do not hand on the velocity.
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
