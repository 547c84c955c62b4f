package federation

import (
	"context"
	"slices"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/family/weighted"
	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/node/wire"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// As returns the same federation for the participant called name. Values common to all participants
// are not computed again.
func (f *Federation) As(name string) (*Federation, error) {
	other := *f
	if other.Self = step.NodeID(f.Spec.Number(name)); other.Self < 0 {
		return nil, f.Spec.NoParticipant(name)
	}
	noise, err := other.price(f.Noise.Sigma)
	noise.Std, noise.Clip = f.Noise.Std, other.local().Noise.ClipOf(other.Self)
	other.Noise = noise
	return &other, err
}

// WithRows returns the run as a simulation takes it. The simulation has the algorithm and the noise
// of the real run, learns from shards, and tests on test.
func (f *Federation) WithRows(ctx context.Context, shards *dataset.Shards, test dataset.Block) (*experiment.Priced, error) {
	return f.setup.WithRows(ctx, shards, test)
}

// Shape returns the public facts about the data.
func (f *Federation) Shape() dataset.Shape { return f.shape }

// Public returns the federation without anybody's rows, for pages and plans.
func (f *Federation) Public() *experiment.Priced { return f.setup }

// Written sets the notation of this participant's files. A field of n that is not set keeps its
// value from the spec.
func (f *Federation) Written(n textfile.Notation) { f.shape.Notation = n.Or(f.shape.Notation) }

// ReadSplit reads like Read, with a split into training and test rows by another seed.
func (f *Federation) ReadSplit(path string, test float64, seed uint64) (*dataset.Shard, error) {
	return f.shape.OpenShard(path, test, seed, f.Self)
}

// WithConstants returns the spec of a weighted walk with a constant for every participant. It draws
// missing constants with the spec's seed for the rows of rows(v). It serves rehearsals, which show
// nobody any constant. It returns s itself if none is missing.
func WithConstants(ctx context.Context, s *spec.Spec, rows func(v int) (dataset.Block, error)) (*spec.Spec, error) {
	if _, shows := s.Algorithm.Own.(*weighted.Keys); !shows || !slices.ContainsFunc(s.Participants, func(p spec.Participant) bool { return p.Constant == 0 }) {
		return s, nil
	}
	h, err := experiment.PublicHoldings(ctx, s)
	if err != nil {
		return nil, err
	}
	release, err := weighted.NewRelease(h)
	if err != nil {
		return nil, err
	}
	own := *s
	own.Participants = slices.Clone(s.Participants)
	var stream step.Stream
	for v := range own.Participants {
		if own.Participants[v].Constant != 0 {
			continue
		}
		b, err := rows(v)
		if err != nil {
			return nil, err
		}
		own.Participants[v].Constant = release.Draw(examples(h.Objective.Model, b), stream.At(s.Seed, step.NodeID(v), 0, 0, step.Response))
	}
	return &own, nil
}

// CheckRows returns an error if this participant's node would not start with these rows.
func (f *Federation) CheckRows(s *dataset.Shard, file string) error { return f.checkRows(s, file) }

// Cost returns the messages and bytes that the run sends by its schedule. frame is the size in bytes of
// the frame of one such message (docs/WIRE.md), its numbers included. Greetings, acknowledgements and
// the overhead of QUIC or TCP are not counted.
func (f *Federation) Cost() (cost family.Cost, frame int, err error) {
	cost = f.setup.Algorithm.Cost()
	codec := wire.Codec{Federation: wire.FederationOf(f.Hash), MaxParams: max(1, cost.BytesPerHop/8)}
	last := step.NodeID(len(f.Names) - 1)
	text, err := codec.Append(nil, &wire.Frame{Kind: wire.KindStep, Incarnation: 1, Sequence: uint64(cost.Hops),
		Msg: step.Msg{From: last, To: last, Turn: step.Turn(f.setup.Algorithm.Turns()), Body: make([]float64, cost.BytesPerHop/8)}})
	return cost, len(text), err
}
