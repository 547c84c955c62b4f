package walk

import (
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// A Kernel is what holders do to the token, with their data or without. Update number at
// of a run is that of a turn: r says of which, whose and of which lane, and what is released is filled in. It owns only scratch memory and must not be shared between
// goroutines. descent.Kernel is one, package sum has others.
type Kernel interface {
	// Contribute updates the token, in place, with what its holder has.
	Contribute(token []float64, ex *model.Examples, scale float64, at int, r *step.Release)
	// NoiseOnly is the same without data: it protects the others as well.
	NoiseOnly(token []float64, at int, r *step.Release)
}

// A Keeper is the kernel of a protocol in which every node keeps a vector to itself from turn to
// turn (Protocol.Keeps). Hold lends it the one of the node whose turn comes next, to be
// changed in that turn and in no other.
type Keeper interface {
	Kernel
	Hold(own []float64)
}

// Chance is what a node decides by chance in a turn besides its noise, in a stream of its own.
type Chance interface {
	Chance(at step.NodeID, t step.Turn, lane step.Lane) *rand.Rand
}

// kernel is the one of p: the noisy gradient step where it names none.
func (p *Protocol) kernel(source noise.Source, router Router) Kernel {
	if p.Kernel == nil {
		return descent.NewKernel(&p.Local, source)
	}
	chance, _ := router.(Chance)
	return p.Kernel(&p.Local, source, chance)
}
