package experiment

import (
	"context"
	"slices"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/internal/family"
)

// WithRows returns a federation with rows on its nodes and others kept for testing, for a
// simulation of the very run. Algorithm, schedule, noise and sensitivities are those
// that follow from public facts; rows that would change them are a fault of the caller.
func (s *Priced) WithRows(ctx context.Context, shards *dataset.Shards, test dataset.Block) (*Priced, error) {
	f := *s.Federation
	f.Shards, f.Test = shards, test
	h := hold(s.Ground, &f)
	h.Public = s.Public
	p, err := makeAlgorithm(ctx, h)
	if err != nil {
		return nil, err
	}
	noise := s.Algorithm.Local().Noise
	a, err := p.Algorithm.WithNoise(noise.Multiplier)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(a.Local().Noise.Sensitivities(), noise.Sensitivities()) || a.Turns() != s.Algorithm.Turns() {
		panic("experiment: rows have changed the run")
	}
	return &Priced{newPrepared(a), s.Accounting}, nil
}

// OfTrial returns the run of trial i, with other rows kept for testing if trials split anew.
func (s *Priced) OfTrial(ctx context.Context, i int) (*Priced, error) {
	if !s.splits(i) {
		return s, nil
	}
	a, err := s.resplit(ctx, TrialSeed(s.Spec.Seed, i))
	if err != nil {
		return nil, err
	}
	return &Priced{newPrepared(a), s.Accounting}, nil
}

// Quiet returns the same run without noise.
func (s *Priced) Quiet() (*Priced, error) {
	a, err := s.Algorithm.WithNoise(0)
	if err != nil {
		return nil, err
	}
	return &Priced{newPrepared(a), family.Accounting{}}, nil
}

// Ends returns the models that the nodes end a run of a seed with. It returns one if all nodes have
// the same, else one for each node, in their order.
func (s *Priced) Ends(ctx context.Context, seed uint64) ([][]float64, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	keeper, keeps := s.Algorithm.(family.Keeper)
	scoring, d := s.Algorithm.Scoring(), s.Algorithm.Local().Params
	if keeps && scoring.OwnModels && !scoring.Tokens {
		var each [][]float64
		_, err := keeper.TrialKept(ctx, seed, func(int, []float64, float64) {}, func(models []float64) {
			each = nil
			for model := range slices.Chunk(slices.Clone(models), d) {
				each = append(each, model)
			}
		})
		return each, err
	}
	r := newRecorder(newScorer(s.Algorithm), 1, func(score) {}, cancel)
	last, err := r.run(ctx, s.Algorithm, seed)
	r.end()
	if r.failure != nil {
		return nil, r.failure
	}
	if err != nil {
		return nil, err
	}
	return [][]float64{r.model(last)}, nil
}
