package sumsfamily

import (
	"context"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/step"
)

// Follow implements family.Followed.
func (a *Algorithm) Follow(ctx context.Context, seed uint64, watch func(r step.Release, token []float64)) error {
	_, err := a.simulation(seed).Bulk(ctx, watch)
	return err
}

// Rate implements family.Followed. It is 1, because a turn adds its contribution unscaled.
func (a *Algorithm) Rate(step.Turn) float64 { return 1 }

// Begins implements family.Followed.
func (a *Algorithm) Begins() [][]float64 { return [][]float64{a.protocol.Begin()} }

// Shown implements family.Followed.
func (a *Algorithm) Shown() bool { return a.protocol.Final }

// PoolLosses implements family.Pooled. For sums it prices the joint view. It returns nil for a histogram, because only the
// local loss is known.
func (a *Algorithm) PoolLosses(_ context.Context, u int, pool []int, priced family.Accounting) ([]family.PairLoss, error) {
	if isHistogram(a.Spec) {
		return nil, nil
	}
	m, err := family.Metric(&a.Spec.Privacy)
	if err != nil {
		return nil, err
	}
	law, err := a.togetherLaw(u, pool)
	if err != nil {
		return nil, err
	}
	name := pathName
	if isRing(a.Spec) {
		name = exactName
	}
	if law == nil { // its value reaches them without noise
		return []family.PairLoss{{Accountant: name, Status: report.Sound, Loss: report.Number(math.Inf(1))}}, nil
	}
	loss, err := law.Loss(priced.Sigma, family.Tightest(m))
	if err != nil {
		return nil, err
	}
	return []family.PairLoss{family.NewPairLoss(name, loss, law.Claim)}, nil
}
