package papers

import (
	"context"
	"fmt"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/flow"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/spec"
)

// claimed is the loss of every claim.
const claimed = 1.0

// sigmas returns the least noise for each claim, by a sound accountant. Losses do not
// depend on the step size, which scales noise and contributions alike.
func (c contender) sigmas(ctx context.Context, a family.Algorithm) (map[string]float64, error) {
	if c.gossip {
		return c.gossipSigmas(a)
	}
	found := map[string]float64{}
	for claim, target := range map[string]spec.Calibrate{onAverage: {Mean: claimed}, onOthers: {Beyond: claimed}, onAll: {Max: claimed}} {
		if claim == onOthers && c.complete() {
			continue // all are neighbours
		}
		asked := a.Of().Spec.Privacy
		asked.Calibrate = &target
		_, accounting, err := family.SetNoise(ctx, a.WithPrivacy(asked))
		if err != nil {
			return nil, err
		}
		found[claim] = accounting.Sigma
	}
	return found, nil
}

// complete reports whether all nodes are neighbours.
func (c contender) complete() bool { return strings.HasPrefix(c.graph, "complete:") }

// gossipSigmas prices all pairs once. For random matchings the observers know all
// turns in advance, and neighbours are nodes that ever meet.
func (c contender) gossipSigmas(a family.Algorithm) (map[string]float64, error) {
	s := *a.Schedule().(*schedule.Gossip)
	accountant, err := flow.Of(s)
	if err != nil {
		return nil, err
	}
	pairs := accountant.Cheap
	if symmetry, ok := a.Of().Graph.Symmetry(); ok && s.W != nil {
		pairs = func(workers int) *flow.Pairs {
			return accountant.Every(flow.Movements(symmetry.Family, symmetry.Sides), workers)
		}
	}
	energies := pairs(workers())
	if energies.Status != privacy.Sound {
		return nil, fmt.Errorf("the flow accountant is %s here: %v", energies.Status, energies.Assumptions)
	}
	all, err := accountant.Calibrate(energies, claimed, atDelta)
	found := map[string]float64{onAverage: all.Mean.Sigma, onOthers: all.Beyond.Sigma, onAll: all.Max.Sigma}
	if err == nil && c.lots.draws > 0 {
		found[unmet], err = c.lots.sigma(s)
	}
	return found, err
}
