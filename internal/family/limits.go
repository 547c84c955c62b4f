package family

import (
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/digits"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// clips returns the clip of every node, of which none exceeds clip. It returns nil if no limit makes them differ.
func (h *Holdings) clips(clip float64) ([]float64, error) {
	var all []float64
	limited := map[int]string{}
	for _, name := range h.Spec.Privacy.Limited() {
		u, err := h.Find(name)
		if err != nil {
			return nil, fault.Wrap(err, "privacy.limits", fault.Hint(err))
		}
		if other, twice := limited[u]; twice {
			return nil, fault.New(fmt.Sprintf("privacy.limits: %s and %s are one node", other, name), "keep one of them")
		}
		limited[u] = name
		if own := h.Spec.Privacy.Limits[name].Clip; own != 0 && own < clip {
			if all == nil {
				all = slices.Repeat([]float64{clip}, h.Spec.Nodes)
			}
			all[u] = own
		}
	}
	return all, nil
}

// limitsLoss reports whether the clip of node u follows from its loss.
func (h *Holdings) limitsLoss(u int) bool {
	return slices.ContainsFunc(h.Spec.Privacy.Limited(), func(name string) bool {
		at, err := h.Find(name)
		return err == nil && at == u && h.Spec.Privacy.Limits[name].Eps != 0
	})
}

// A pricing settles an algorithm at a noise multiplier, or calibrates it if sigma is nil.
type pricing func(a Algorithm, sigma *float64) (Algorithm, Accounting, error)

// limited prices with the limits of nodes. Noise is calibrated as if nobody had a limit, so that nobody's protection depends on
// the limit of another. Then each limit on a loss becomes a clip, and the run with these clips is priced at that noise.
func limited(ctx context.Context, a Algorithm, first, price pricing) (Algorithm, Accounting, error) {
	p := a.Of().Spec.Privacy
	if len(p.Limits) == 0 {
		return price(a, p.Sigma)
	}
	open, all, err := a, Accounting{}, error(nil)
	if p.Sigma == nil || p.LimitsLoss() {
		if p.Sigma == nil {
			if open, err = limiting(ctx, a, nil); err != nil {
				return a, all, err
			}
		}
		if open, all, err = first(open, p.Sigma); err != nil {
			return open, all, err
		}
		p.Sigma = &all.Sigma
	}
	limits, err := limitsOf(open, a.Of().Spec.Privacy.Limits, &all)
	if err != nil {
		return a, all, err
	}
	own, err := limiting(ctx, open, limits)
	if err != nil {
		return a, all, err
	}
	if err := sameSteps(open, own); err != nil {
		return a, all, err
	}
	own, priced, err := price(own, p.Sigma)
	if all.Chosen != "" { // open names it
		priced.Chosen, priced.Why = all.Chosen, all.Why
	}
	return own, priced, err
}

// sameSteps refuses limits under which steps may spread models further than under the price that clips were found by. That
// depends on clips for models whose clipped gradients need not be gradients.
func sameSteps(open, own Algorithm) error {
	switch open.Of().Spec.Privacy.Accountant {
	case report.LocalAccountant, "pairwise":
		return nil
	}
	spread := func(a Algorithm) float64 {
		local := a.Local()
		return local.Update(a.Of().Guarantees).Lipschitz(local.StepSize.Largest())
	}
	if spread(own) <= spread(open) {
		return nil
	}
	return fault.New(fmt.Sprintf("privacy.limits: clipped further, gradients of a %s model need not be gradients, and others would lose more", own.Of().Objective.Name()),
		"use accountant: local or pairwise, or a model that stays convex when it is clipped, such as logistic")
}

// limiting returns the algorithm anew, with these limits.
func limiting(ctx context.Context, a Algorithm, limits map[string]spec.Limit) (Algorithm, error) {
	h := a.Of().WithSpec(func(s *spec.Spec) { s.Privacy.Limits = limits })
	return Of(h.Spec).Prepare(ctx, h)
}

// leastShare is the least clip that a limit on a loss may ask for, over the clip of others.
const leastShare = 1e-6

// gridShare is the share of a clip that pays for the grid of real noise.
const gridShare = 1e-3

// limitsOf returns limits with the clips that their losses ask for. priced is the price of a, where each node may have a larger
// clip than that. A limit that has a clip already, and keeps to its loss with it, stays as it is.
func limitsOf(a Algorithm, limits map[string]spec.Limit, priced *Accounting) (map[string]spec.Limit, error) {
	found, h := map[string]spec.Limit{}, a.Of()
	m, err := Metric(&h.Spec.Privacy)
	if err != nil {
		return nil, err
	}
	for name, l := range limits {
		u, err := h.Find(name)
		if err != nil {
			return nil, err
		}
		clip := a.Local().Noise.ClipOf(step.NodeID(u))
		if l.Eps != 0 {
			share, err := shareFor(priced, u, h.Spec.Nodes, l.Eps, m)
			if err != nil {
				return nil, fault.Wrap(err, "privacy.limits."+name+".eps", fault.Hint(err))
			}
			if h.Public {
				share *= 1 - gridShare
			}
			if most := digits.Down(clip*share, 6); share < 1 && (l.Clip == 0 || most < l.Clip) {
				l.Clip = most
			}
		}
		found[name] = l
	}
	return found, nil
}

// shareFor returns the largest share of node u's sensitivity at which it loses at most eps towards any single other node. Its
// losses depend on its own noise multiplier alone, which is larger by that factor.
func shareFor(priced *Accounting, u, n int, eps float64, m privacy.Metric) (float64, error) {
	account := priced.Own()
	if account.In == nil && account.alone == nil {
		return 0, fault.New(fmt.Sprintf("accountant %s does not price one node at another noise", account.Accountant), "give its clip instead, or use accountant: local")
	}
	found, err := privacy.SmallestSigma(func(sigma float64) (worst float64, err error) {
		if account.alone != nil {
			return account.alone(u, sigma)
		}
		for v := range n {
			if v == u {
				continue
			}
			loss, err := account.In(u, v, sigma, m)
			if worst = max(worst, loss); err != nil {
				return 0, err
			}
		}
		return worst, nil
	}, priced.Sigma, eps)
	switch share := priced.Sigma / found.Sigma; {
	case err != nil:
		return 0, err
	case share < leastShare:
		return 0, fault.New("so small a loss leaves less than a millionth of its gradients", "raise it, or leave the participant out")
	default:
		return share, nil
	}
}
