package walk

import (
	"hearsay/model"
	"hearsay/noise"
	"hearsay/step"
)

// Hopper carries out whole turns: it decides what the holder does with the
// token and who is next. Every driver runs the algorithm through it. It holds
// no state of any node and must not be shared between goroutines.
type Hopper struct {
	// Watch, when set, is shown every release and the token after that turn,
	// borrowed. Simulations score models with it; a daemon has no such view.
	Watch func(r step.Release, token []float64)

	p      *Protocol
	kernel *Kernel
	router Router
}

// NewHopper returns a hopper for p.
func NewHopper(p *Protocol, source noise.Source, router Router) *Hopper {
	return &Hopper{p: p, kernel: NewKernel(p, source), router: router}
}

// Hop performs turn t of the node at: it updates the token in place and counts
// the contribution. The Release's To is the next holder, the node itself when
// the walk stays.
func (h *Hopper) Hop(token []float64, ex model.Examples, at step.NodeID, t step.Turn, node *Node) step.Release {
	release := h.update(token, ex, at, t, node)
	release.To = h.router.Next(at, t)
	if h.Watch != nil {
		h.Watch(release, token)
	}
	return release
}

func (h *Hopper) update(token []float64, ex model.Examples, at step.NodeID, t step.Turn, node *Node) step.Release {
	switch {
	case int(t) < h.p.BurnIn:
		return h.kernel.Pass(at, t)
	case h.p.contributes(node.Contributions) && ex.Len() > 0:
		node.Contributions++
		return h.kernel.Contribute(token, ex, node.Scale, at, t)
	case h.p.After == Forward:
		return h.kernel.Pass(at, t)
	default:
		return h.kernel.NoiseOnly(token, at, t)
	}
}
