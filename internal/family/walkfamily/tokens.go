package walkfamily

import (
	"context"
	"slices"

	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// Several tokens walk concurrently. After a number of steps of each, curves show their mean and their mean squared distance
// from it. At the end that mean is the model, or each token is a model.

// together runs all tokens of a trial and returns the last ones.
func (a *Algorithm) together(ctx context.Context, run *sim.Walk, see family.Seen) ([][]float64, error) {
	mean := make([]float64, a.Protocol.Params)
	return run.Together(ctx, nil, func(t step.Turn, tokens [][]float64) {
		walk.MeanInto(mean, tokens)
		spread := 0.0
		for _, token := range tokens {
			for i, x := range token {
				spread += float64((x - mean[i]) * (x - mean[i]))
			}
		}
		see(int(t)-run.Protocol.BurnIn+1, mean, spread/float64(len(tokens)))
	})
}

// Kept implements family.Keeper. Tokens that are kept apart are scored one by one.
func (a *Algorithm) Kept() []int {
	if a.keys.Combine != apart {
		return nil
	}
	all := make([]int, a.Protocol.AllTokens())
	for lane := range all {
		all[lane] = lane
	}
	return all
}

// TrialKept implements family.Keeper.
func (a *Algorithm) TrialKept(ctx context.Context, seed uint64, see family.Seen, own func(models []float64)) ([]float64, error) {
	last, err := a.together(ctx, a.run(seed, a.Examples, a.scales), see)
	if err != nil {
		return nil, err
	}
	own(slices.Concat(last...))
	return walk.Mean(last), nil
}
