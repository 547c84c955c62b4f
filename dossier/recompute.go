package dossier

import (
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/spec"
)

// alike is how far numbers that are worked out twice may be apart, relatively: sums over
// goroutines are added up in another order.
const alike = 1e-9

// Recompute works the losses out again from the dossier's own spec and compares. What only a
// run's files say, scores and what the ledger has, is not worked out again.
func (f *File) Recompute(ctx context.Context, o Options, c *Check, name string) error {
	s, err := experiment.Parse([]byte(f.Spec), name+", its spec")
	if err != nil {
		return err
	}
	if f.Federated != s.Federated() {
		return damaged(name, "its spec is of another kind than it says")
	}
	o.Asks = f.Asks
	again, err := f.again(ctx, s, o)
	if err != nil {
		return err
	}
	said, found := f.numbers(), again.numbers()
	for key, x := range said {
		y, ok := found[key]
		if !ok || !same(x, y) {
			return fault.New(fmt.Sprintf("%s: %.200s is %s there, and %s worked out again", name, key, up(Number(x)), up(Number(y))),
				"do not rely on it; where another release made it, both numbers may be bounds: make one with this release")
		}
	}
	c.Compared = len(said)
	c.Recomputed = fmt.Sprintf("%d numbers were worked out again from the spec in it, and are the same", len(said))
	return nil
}

// again is the dossier that this release makes of the spec.
func (f *File) again(ctx context.Context, s *spec.Spec, o Options) (*Dossier, error) {
	if f.About != Joined {
		return Plan(ctx, s, o)
	}
	fed, err := federation.Open(ctx, s, f.Whose)
	if err != nil {
		return nil, err
	}
	plan, err := fed.Plan(ctx)
	if err != nil {
		return nil, err
	}
	d, err := begin(fed.Public(), Joined, o)
	if err != nil {
		return nil, err
	}
	d.take(fed, plan)
	for _, ask := range o.Asks {
		if err := d.ask(ctx, fed, ask, o); err != nil {
			return nil, err
		}
	}
	d.order()
	return d, nil
}

func same(x, y float64) bool {
	return x == y || math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= alike*math.Max(math.Abs(x), math.Abs(y))
}

// numbers are the losses that can be worked out again, by what they are.
func (d *Dossier) numbers() map[string]float64 {
	all := map[string]float64{"the noise multiplier": d.Claim.Sigma, "the worst loss": float64(d.Claim.Worst), "the mean loss": float64(d.Mean)}
	for _, p := range d.Pair {
		all["what "+p.Observer+" could learn about "+p.About] = float64(p.Epsilon)
	}
	for _, p := range d.Participants {
		all["the worst loss of "+p.Name], all["the loss of "+p.Name+" towards all others"] = float64(p.Worst), float64(p.Everybody)
	}
	for _, p := range d.Parties {
		all["the loss towards "+p.Who+" if "+p.If] = float64(p.Epsilon)
	}
	for _, q := range d.Questions {
		all["the answer about "+q.Observer+" and "+q.About] = float64(q.Epsilon)
	}
	return all
}
