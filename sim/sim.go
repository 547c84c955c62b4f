// Package sim drives algorithms without a network. Bulk runs kernels over slabs, for up to millions of nodes.
// Virtual networks run machines over a seeded queue that delays, loses, duplicates and reorders their messages
// (Network.Run). With the same seed both give the same result, bit for bit.
package sim

import (
	"context"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// Holdings holds the examples of every node.
type Holdings interface {
	Examples(v step.NodeID) model.Examples
}

// Slab holds all examples in one block: node v owns rows
// Offsets[v]..Offsets[v+1].
type Slab struct {
	Features int
	X, Y     []float64
	Offsets  []int
	Norms    []float64 // of every row (model.Norms); nil: computed at each use
}

// Examples returns the rows of v, which the caller must not change.
func (s *Slab) Examples(v step.NodeID) (ex model.Examples) {
	s.fill(&ex, v)
	return ex
}

// fill writes Examples into ex, because a copy in every hop would cost time.
func (s *Slab) fill(ex *model.Examples, v step.NodeID) {
	lo, hi := s.Offsets[v], s.Offsets[v+1]
	ex.Features, ex.X, ex.Y, ex.Norms = s.Features, s.X[lo*s.Features:hi*s.Features], s.Y[lo:hi], nil
	if s.Norms != nil {
		ex.Norms = s.Norms[lo:hi]
	}
}

// All returns every row as one block.
func (s *Slab) All() model.Examples {
	lo, hi := s.Offsets[0], s.Offsets[len(s.Offsets)-1]
	return model.Examples{Features: s.Features, X: s.X[lo*s.Features : hi*s.Features], Y: s.Y[lo:hi]}
}

// Walk is one run of a walk: the protocol, the examples of every node, the chooser of the next holder, and the
// seed of its routes and its (simulated) noise.
type Walk struct {
	Protocol *walk.Protocol
	Holdings Holdings
	Choose   walk.Chooser
	Seed     uint64
	Routes   *uint64   // the seed of the routes; nil: Seed
	Scales   []float64 // Protocol.Scale of every node; nil: computed
}

// Scales computes the Scale of each of n nodes, on workers workers.
func Scales(ctx context.Context, p *descent.Local, n int, h Holdings, workers int) ([]float64, error) {
	scales := make([]float64, n)
	const block = 1024
	err := Each(ctx, (n+block-1)/block, workers, func(_ context.Context, i int) error {
		for v := i * block; v < min((i+1)*block, n); v++ {
			scales[v] = p.ScaleOf(step.NodeID(v), h.Examples(step.NodeID(v)))
		}
		return nil
	})
	return scales, err
}

// hopper returns a fresh hopper of one token; each goroutine or machine has its own.
func (w *Walk) hopper(p *walk.Protocol, watch Watcher) *walk.Hopper {
	routes := w.Seed
	if w.Routes != nil {
		routes = *w.Routes
	}
	h := walk.NewHopper(p, noise.NewSimulated(w.Seed), walk.NewSeeded(w.Choose, routes))
	h.Watch = watch
	return h
}

// A Watcher receives every turn's release and the token after it, which it must not keep.
type Watcher func(r step.Release, token []float64)
