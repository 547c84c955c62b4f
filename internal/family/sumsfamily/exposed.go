package sumsfamily

import (
	"context"

	"github.com/hearsay-dp/hearsay/internal/family"
)

// plain is any algorithm, without what it has to say of its exposure itself.
type plain struct{ family.Algorithm }

// Exposed implements family.Exposer. On a ring nobody can alone.
func (a *Algorithm) Exposed(ctx context.Context) (*family.Exposure, error) {
	if !isRing(a.Spec) || a.Spec.Nodes < 3 {
		return family.Exposed(ctx, plain{a})
	}
	return &family.Exposure{Alone: make([][]int, a.Spec.Nodes), How: "On a ring the one before a participant and the one after it compare what they saw, and hold what it gave exactly, " +
		"if nobody adds noise. Nobody alone can: others see what several gave together."}, nil
}
