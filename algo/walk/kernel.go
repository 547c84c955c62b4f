package walk

import (
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// A Kernel updates the token for a holder, with or without its data. at is the number of the update in the run. r
// names the turn, node and lane; the kernel fills in the rest of the release. A kernel owns only scratch memory and
// is not safe for concurrent use. descent.Kernel is one; package sum has others.
type Kernel interface {
	// Contribute updates the token in place with the holder's data.
	Contribute(token []float64, ex *model.Examples, scale float64, at int, r *step.Release)
	// NoiseOnly does the same without data, because the noise protects the other nodes as well.
	NoiseOnly(token []float64, at int, r *step.Release)
}

// A Keeper is the kernel of a protocol in which every node keeps a private vector from turn to turn (Protocol.Keeps).
// Hold passes the vector of the node whose turn comes next, which may be changed in that turn only.
type Keeper interface {
	Kernel
	Hold(own []float64)
}

// Chance returns the stream of a node's random decisions in a turn other than its noise.
type Chance interface {
	Chance(at step.NodeID, t step.Turn, lane step.Lane) *rand.Rand
}

// kernel returns the kernel of p, which is the noisy gradient step if p names none.
func (p *Protocol) kernel(source noise.Source, router Router) Kernel {
	if p.Kernel == nil {
		return descent.NewKernel(&p.Local, source)
	}
	chance, _ := router.(Chance)
	return p.Kernel(&p.Local, source, chance)
}
