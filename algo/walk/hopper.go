package walk

import (
	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// Hopper performs whole turns: it decides whether the holder contributes and who is next. Every driver runs the
// algorithm through it. It holds no state of any node and is not safe for concurrent use.
type Hopper struct {
	// Watch receives every release and the token after that turn, which it must not keep; nil: none. Simulations
	// score models with it. A daemon does not set it.
	Watch func(r step.Release, token []float64)

	p      *Protocol
	kernel Kernel
	keeper Keeper // the kernel, if nodes keep a vector
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

// Next draws the holder of the token after turn t of the node at, which is at itself when the walk stays. It is
// called once a turn, at any time before it, because the path does not depend on learning.
func (h *Hopper) Next(at step.NodeID, t step.Turn) step.NodeID { return h.router.Next(at, t, h.p.Lane) }

// Hop performs turn r.Turn of the node r.From, which holds ex and hands the token to r.To (Next). It updates the
// token in place, confines it to the public box before and after, and counts the contribution. It fills in the rest
// of the release r.
func (h *Hopper) Hop(token []float64, ex *model.Examples, node *Node, r *step.Release) {
	*r = step.Release{From: r.From, To: r.To, Turn: r.Turn, Lane: h.p.Lane}
	descent.Confine(token, h.bound)
	h.update(token, ex, node, r)
	descent.Confine(token, h.bound)
	if r.To == r.From {
		node.From = r.From
	}
	if h.Watch != nil {
		h.Watch(*r, token)
	}
}

// skips reports whether the holder takes no part in a turn, by a draw that does not depend on data.
func (h *Hopper) skips(at step.NodeID, t step.Turn) bool {
	return h.p.Skip > 0 && h.router.Away(at, t, h.p.Lane, h.p.Skip)
}

func (h *Hopper) update(token []float64, ex *model.Examples, node *Node, r *step.Release) {
	update := int(r.Turn) - h.p.BurnIn
	if h.keeper != nil {
		h.keeper.Hold(node.own)
	}
	switch {
	case update < 0:
	case (len(ex.Y) > 0 || h.keeper != nil && h.p.After == NoiseOnly) && h.p.contributes(node) && !h.skips(r.From, r.Turn):
		h.p.contributed(node)
		h.kernel.Contribute(token, ex, node.Scale, update, r)
	case h.p.After == Forward:
	default:
		h.kernel.NoiseOnly(token, update, r)
	}
}
