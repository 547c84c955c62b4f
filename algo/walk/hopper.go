package walk

import (
	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// Hopper carries out whole turns: it decides what the holder does with the
// token and who is next. Every driver runs the algorithm through it. It holds
// no state of any node and must not be shared between goroutines.
type Hopper struct {
	// Watch, when set, is shown every release and the token after that turn,
	// borrowed. Simulations score models with it; a daemon has no such view.
	Watch func(r step.Release, token []float64)

	p      *Protocol
	kernel Kernel
	keeper Keeper // the kernel, where nodes keep a vector
	router Router
	bound  float64 // of the box that tokens are confined to
}

// NewHopper returns a hopper for p.
func NewHopper(p *Protocol, source noise.Source, router Router) *Hopper {
	h := &Hopper{p: p, kernel: p.kernel(source, router), router: router, bound: p.Bound()}
	if p.Keeps {
		h.keeper = h.kernel.(Keeper)
	}
	return h
}

// Hop performs turn t of the node at: it updates the token in place, which it
// confines to the public box before and after, and counts the contribution. The Release's To is the next holder, the node itself when
// the walk stays.
func (h *Hopper) Hop(token []float64, ex model.Examples, at step.NodeID, t step.Turn, node *Node) step.Release {
	descent.Confine(token, h.bound)
	release := h.update(token, ex, at, t, node)
	descent.Confine(token, h.bound)
	release.To = h.router.Next(at, t, h.p.Lane)
	if release.To == at {
		node.From = at
	}
	if h.Watch != nil {
		h.Watch(release, token)
	}
	return release
}

// skips reports whether the holder takes no part in a turn, by a draw that depends on
// no data.
func (h *Hopper) skips(at step.NodeID, t step.Turn) bool {
	return h.p.Skip > 0 && h.router.Away(at, t, h.p.Lane, h.p.Skip)
}

func (h *Hopper) update(token []float64, ex model.Examples, at step.NodeID, t step.Turn, node *Node) step.Release {
	update := int(t) - h.p.BurnIn
	if h.keeper != nil {
		h.keeper.Hold(node.own)
	}
	switch {
	case update < 0:
		return step.Release{From: at, Turn: t, Lane: h.p.Lane}
	case (len(ex.Y) > 0 || h.keeper != nil && h.p.After == NoiseOnly) && h.p.contributes(node) && !h.skips(at, t):
		h.p.contributed(node)
		return h.kernel.Contribute(token, ex, node.Scale, update, at, t, h.p.Lane)
	case h.p.After == Forward:
		return step.Release{From: at, Turn: t, Lane: h.p.Lane}
	default:
		return h.kernel.NoiseOnly(token, update, at, t, h.p.Lane)
	}
}
