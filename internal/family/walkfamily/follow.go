package walkfamily

import (
	"context"

	"github.com/hearsay-dp/hearsay/step"
)

// Follow implements family.Followed.
func (a *Algorithm) Follow(ctx context.Context, seed uint64, watch func(r step.Release, token []float64)) error {
	_, err := a.run(seed, a.Examples, a.scales).Bulk(ctx, watch)
	return err
}

// Rate implements family.Followed.
func (a *Algorithm) Rate(t step.Turn) float64 {
	if update := int(t) - a.Protocol.BurnIn; update >= 0 {
		return a.Protocol.StepSize.At(update)
	}
	return 0
}

// Begins implements family.Followed.
func (a *Algorithm) Begins() (tokens [][]float64) {
	for _, p := range a.Protocol.Lanes() {
		tokens = append(tokens, p.Begin())
	}
	return tokens
}

// Shown implements family.Followed.
func (a *Algorithm) Shown() bool { return a.Protocol.Final }
