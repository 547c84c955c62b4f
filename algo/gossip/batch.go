package gossip

import (
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/step"
)

// A Sampler returns the randomness with which node v draws the batch of turn t.
type Sampler interface {
	At(v step.NodeID, t step.Turn) *rand.Rand
}

// Seeded is a Sampler with keyed streams. It is not safe for concurrent use.
type Seeded struct {
	seed   uint64
	stream step.Stream
}

// NewSeeded returns a sampler with the streams of seed.
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
	for k := range size {
		pick := k + r.IntN(len(b.order)-k)
		b.order[k], b.order[pick] = b.order[pick], b.order[k]
	}
	return b.copy(ex, b.order[:size])
}

// sample copies a Poisson sample of the rows of ex into b. Each row is included with probability rate,
// independently and whatever the rows hold.
func (b *batch) sample(ex model.Examples, rate float64, r *rand.Rand) model.Examples {
	b.order = b.order[:0]
	for i := range ex.Len() {
		if r.Float64() < rate {
			b.order = append(b.order, i)
		}
	}
	return b.copy(ex, b.order)
}

// every copies rows first, first+batches, first+2*batches, ... of ex into b. This is batch first if rows are dealt
// to batches one by one.
func (b *batch) every(ex model.Examples, batches, first int) model.Examples {
	b.order = b.order[:0]
	for i := first; i < ex.Len(); i += batches {
		b.order = append(b.order, i)
	}
	return b.copy(ex, b.order)
}

// copy copies some rows of ex into b.
func (b *batch) copy(ex model.Examples, rows []int) model.Examples {
	norms := b.rows.Norms[:0]
	b.rows = model.Examples{Features: ex.Features, X: b.rows.X[:0], Y: b.rows.Y[:0]}
	for _, i := range rows {
		x, y := ex.Row(i)
		b.rows.X, b.rows.Y = append(b.rows.X, x...), append(b.rows.Y, y)
		if ex.Norms != nil {
			norms = append(norms, ex.Norms[i])
		}
	}
	if ex.Norms != nil {
		b.rows.Norms = norms
	}
	return b.rows
}

// Rate returns the least multiple of 2^-53 that is at least q, in (0, 1]. It is the exact probability with which a
// row is in a Poisson sample, because a coin has 53 bits.
func Rate(q float64) float64 { return math.Ceil(q*0x1p53) / 0x1p53 }
