package sumsfamily

import (
	"context"

	"github.com/hearsay-dp/hearsay/internal/family"
)

// plain hides the Exposed method of an algorithm.
type plain struct{ family.Algorithm }

// Exposed implements family.Exposer. On a ring no node can reconstruct a value alone.
func (a *Algorithm) Exposed(ctx context.Context) (*family.Exposure, error) {
	if !isRing(a.Spec) || a.Spec.Nodes < 3 {
		return family.Exposed(ctx, plain{a})
	}
	return &family.Exposure{Alone: make([][]int, a.Spec.Nodes), How: "On a ring the one before a participant and the one after it compare what they see, and hold what it gave exactly, " +
		"if nobody adds noise. Nobody alone can: others see what several gave together."}, nil
}
