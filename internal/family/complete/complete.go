// Package complete implements projected SGD by a token that goes to uniform nodes (002 Algorithm 7.2), with a cap on a node's
// contributions after receipts from any one node.
package complete

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/family/walkfamily"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/privacy/walkpublished"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// Family implements the kind complete-sgd.
type Family struct{}

const sgd, published, local, path = "complete-sgd", "published", "local", "path"

// Keys holds the keys of a spec's algorithm that only this family has.
type Keys struct {
	EdgeCap int `yaml:"edge_cap,omitempty"` // largest number of contributions of a node after receipts from one other; 0: no cap
}

// Kinds implements family.Family.
func (f Family) Kinds() []spec.Kind {
	return []spec.Kind{{
		Name: sgd, Family: f, Graphless: true, OwnRoute: true, Accountants: []string{published, local, path}, Pooled: []string{path},
		Story: "a single copy of the model goes to nodes at random, each improving it on its own rows and adding noise before passing it on",
	}}
}

// Keys implements spec.Rules.
func (Family) Keys() any { return &Keys{} }

// Check implements spec.Rules.
func (Family) Check(s *spec.Spec) error {
	switch {
	case s.Algorithm.Tokens != 1:
		return fault.New(fmt.Sprintf("algorithm.tokens: %d, and %s has one", s.Algorithm.Tokens, sgd), "leave tokens out, or use kind: walk")
	}
	return spec.CheckAll(spec.Number{Key: "algorithm.edge_cap", Value: float64(s.Algorithm.Own.(*Keys).EdgeCap), Low: 0, High: math.MaxInt32})
}

// OnlyLocal implements spec.Rules.
func (Family) OnlyLocal(*spec.Spec) string { return "" }

// CheckReal implements spec.Rules.
func (Family) CheckReal(s *spec.Spec) error { return walkfamily.Family{}.CheckReal(s) }

// An Algorithm is a walk that visits all nodes uniformly.
type Algorithm struct{ *walkfamily.Algorithm }

// Prepare implements family.Family.
func (Family) Prepare(ctx context.Context, h family.Holdings) (family.Algorithm, error) {
	if err := h.CheckComplete(); err != nil {
		return nil, err
	}
	a, err := walkfamily.New(ctx, h.WithSpec(func(s *spec.Spec) {
		if h.Public && s.Algorithm.Start.Uniform {
			s.Algorithm.Start = spec.Start{Node: int(walk.StartAt(s.Nodes, s.Seed, 0))}
		}
	}), walk.Uniform(h.Spec.Nodes), 0)
	if err != nil {
		return nil, err
	}
	a.Protocol.EdgeCap, a.Protocol.Start = h.Spec.Algorithm.Own.(*Keys).EdgeCap, step.NodeID(a.Spec.Algorithm.Start.Node)
	return Algorithm{a}, nil
}

// WithNoise implements family.Algorithm.
func (a Algorithm) WithNoise(multiplier float64) (family.Algorithm, error) {
	return Algorithm{a.Copied(multiplier, func(*spec.Spec) {})}, nil
}

// WithPrivacy implements family.Algorithm.
func (a Algorithm) WithPrivacy(p spec.Privacy) family.Algorithm {
	return Algorithm{a.Copied(a.Protocol.Noise.Multiplier, func(s *spec.Spec) { s.Privacy = p })}
}

// Accountants implements family.Algorithm. All pairs have the same loss, except where the start is known.
func (a Algorithm) Accountants(m privacy.Metric) []family.Accountant {
	return []family.Accountant{
		{Name: published, Check: a.checkPrinted, Beside: func() bool { return a.checkPrinted() == nil }, Price: a.printed(m).InRange().Price(published, &a.Spec.Privacy, floor(m))},
		{Name: path, Check: a.CheckAmplified, Beside: func() bool { return a.CheckAmplified() == nil }, Price: a.path(family.Tightest(m))},
		family.Local(&a.Holdings, a.Protocol.Cap, a.Protocol.Noise, m, a.CheckCap),
	}
}

// worst returns the largest loss by the path accountant, about a node of the largest sensitivity. It takes one pair for each
// type of pair.
func (a Algorithm) worst(m privacy.Metric) family.Formula {
	laws := sync.OnceValues(a.PathWalk().CompleteLaws)
	return func(sigma float64) (float64, privacy.Claim, error) {
		all, err := laws()
		if err != nil {
			return 0, privacy.Claim{}, err
		}
		return walkpath.Most(all, sigma, m)
	}
}

// path returns the price by worst. For records it uses every node's own noise multiplier.
func (a Algorithm) path(m privacy.Metric) func(*float64) (family.Account, float64, error) {
	worst, relatives := a.worst(m), a.Protocol.Noise.Relatives()
	if relatives == nil {
		return worst.Price(path, &a.Spec.Privacy, privacy.LeastSigma)
	}
	all := family.TowardsAll{Name: path, Relatives: relatives, Loss: func(_, own float64) (float64, privacy.Claim, error) { return worst(own) }}
	return func(sigma *float64) (family.Account, float64, error) { return all.Price(&a.Holdings, sigma) }
}

// Coalition implements family.Algorithm.
func (a Algorithm) Coalition(_ context.Context, priced family.Accounting) (*report.Coalition, error) {
	m, err := family.Metric(&a.Spec.Privacy)
	if err != nil {
		return nil, err
	}
	return walkfamily.CompleteCoalition(a.PathWalk(), a.Spec.Privacy.Coalition, priced.Sigma, family.Tightest(m))
}

// checkPrinted refuses runs that the formulas in print do not cover.
func (a Algorithm) checkPrinted() error {
	if a.Spec.Records() {
		return fault.New("privacy.accountant: the formulas for the complete graph are about participants", "use accountant: path, or leave privacy.unit out")
	}
	return a.CheckAmplified()
}

// floor returns the least sigma of the printed formula.
func floor(m privacy.Metric) float64 {
	if m.Order > 1 {
		return privacy.Needed.MinSigma(m.Order)
	}
	return privacy.LeastSigma
}

// printed returns 002 Proposition D.11 (the proof of Theorem 7.2) where no node learns the sender or receiver of the token.
// Where nodes do, it adds Proposition D.14 for spotted contributions, at half of delta each. Half of the latter is for their
// count. An edge cap bounds the half of these contributions that come right after the observer.
func (a Algorithm) printed(m privacy.Metric) family.Formula {
	c := walkpublished.CompleteSGD{Nodes: a.Spec.Nodes, Turns: a.Protocol.Steps}
	return func(sigma float64) (float64, privacy.Claim, error) {
		hidden := m
		if a.Spec.Privacy.Sender == "known" {
			hidden.Delta /= 2
		}
		loss, claim, err := c.PublishedLoss(a.Protocol.Cap, sigma, hidden)
		if err == nil && a.Spec.Privacy.Sender == "known" {
			var spotted privacy.Guarantee
			spotted, err = a.spotted(sigma, m.Delta/2)
			claim.Assumptions = append(append(slices.Clone(claim.Assumptions[1:]), "the token goes to a uniform node each turn"), spotted.Assumptions...)
			loss += spotted.Epsilon
		}
		return loss, claim, err
	}
}

// spotted returns the loss of contributions right before or after the observer.
func (a Algorithm) spotted(sigma, delta float64) (privacy.Guarantee, error) {
	if !(delta > 0) {
		return privacy.Guarantee{}, fault.New("002 Proposition D.14 states an epsilon at a delta", "use metric: {epsilon_at_delta: 1.0e-6}, or sender: hidden")
	}
	s := walkpublished.Spotted{Nodes: a.Spec.Nodes, Contributions: a.Protocol.Cap}
	k, err := s.CountPublished(delta / 2)
	if err != nil {
		return privacy.Guarantee{}, err
	}
	eps, err := privacy.ClassicalEpsilon(sigma, delta/2/math.Max(1, k))
	if err != nil {
		return privacy.Guarantee{}, err
	}
	g, err := s.Published(eps, delta, delta/2, true)
	if edge := float64(a.Protocol.EdgeCap); err == nil && edge > 0 && edge < k/2 {
		g.Epsilon = (float64(k/2) + edge) * eps
		g.Assumptions = append(g.Assumptions, fmt.Sprintf("at most %g of them come right after the observer: the rest of these turns adds noise only", edge))
	}
	return g, err
}

// Scoring implements family.Algorithm.
func (a Algorithm) Scoring() family.Scoring {
	n := a.Protocol.Nodes
	return family.Scoring{Shares: slices.Repeat([]float64{1 / float64(n)}, n)}
}

// Audit implements family.Algorithm.
func (a Algorithm) Audit() (family.Audit, error) {
	return nil, fault.New(fmt.Sprintf("algorithm.kind: nobody attacks a %s", sgd), "audit kind: walk on graph: complete:N")
}

// uses says how each accountant uses each key.
var uses = walkfamily.Family{}.Uses().But(map[string][]family.Use{
	"combine": nil, "latency": nil, "skip": nil,
	"edge_cap":  {family.Free, family.Free, family.Priced}, // path counts every visit: a cap removes contributions
	"tokens":    family.All(3, family.Needed),
	"limits":    family.All(3, family.Absent),
	"coalition": {family.Priced, family.Free, family.Free},
})

// Uses implements family.Family.
func (Family) Uses() family.Uses { return uses }
