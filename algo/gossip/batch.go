package gossip

import (
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/step"
)

// A Sampler gives the randomness by which node v draws the batch of turn t.
type Sampler interface {
	At(v step.NodeID, t step.Turn) *rand.Rand
}

// Seeded samples with keyed streams. Not safe for concurrent use.
type Seeded struct {
	seed   uint64
	stream step.Stream
}

// NewSeeded samples with the streams of seed.
func NewSeeded(seed uint64) *Seeded { return &Seeded{seed: seed} }

// At implements Sampler.
func (s *Seeded) At(v step.NodeID, t step.Turn) *rand.Rand {
	return s.stream.At(s.seed, v, t, 0, step.Data)
}

// batch is scratch memory for a batch.
type batch struct {
	order []int
	rows  model.Examples
}

// draw copies size rows of ex, drawn without replacement, into b.
func (b *batch) draw(ex model.Examples, size int, r *rand.Rand) model.Examples {
	b.order = b.order[:0]
	for i := range ex.Len() {
		b.order = append(b.order, i)
	}
	b.rows = model.Examples{Features: ex.Features, X: b.rows.X[:0], Y: b.rows.Y[:0]}
	norms := b.rows.Norms[:0]
	for k := range size {
		pick := k + r.IntN(len(b.order)-k)
		b.order[k], b.order[pick] = b.order[pick], b.order[k]
		x, y := ex.Row(b.order[k])
		b.rows.X, b.rows.Y = append(b.rows.X, x...), append(b.rows.Y, y)
		if ex.Norms != nil {
			norms = append(norms, ex.Norms[b.order[k]])
		}
	}
	if ex.Norms != nil {
		b.rows.Norms = norms
	}
	return b.rows
}
