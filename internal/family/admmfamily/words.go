package admmfamily

import (
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/algo/fixedpoint"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy/admmview"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
)

// Towards implements family.Algorithm.
func (a *Algorithm) Towards(_ context.Context, u int) ([]*walkpath.Law, error) {
	laws := make([]*walkpath.Law, a.Spec.Nodes)
	for v := range laws {
		if v == u {
			continue
		}
		law, err := a.law(u, v)
		if err != nil {
			return nil, err
		}
		laws[v] = law
	}
	return laws, nil
}

// Together implements family.Algorithm. It returns none, because the local loss bounds any joint view.
func (a *Algorithm) Together(context.Context, int, int, []*walkpath.Law) ([]walkpath.Coalition, error) {
	return nil, nil
}

// OnGrid implements family.Algorithm. The noise of contributions charged as public includes the grid. Where other nodes hide a
// change, they move by whole steps of the grid (docs/ADMM.md).
func (a *Algorithm) OnGrid(energy, slack float64) float64 {
	if a.Spec.Privacy.Accountant != means {
		return energy
	}
	return admmview.Curated{Nodes: a.Protocol.Nodes, Rounds: a.Protocol.Rounds}.OnGrid(energy, slack)
}

// Active implements family.Algorithm.
func (a *Algorithm) Active() bool { return false }

// Coalition implements family.Algorithm.
func (a *Algorithm) Coalition(context.Context, family.Accounting) (*report.Coalition, error) {
	return nil, nil
}

// Explain implements family.Algorithm.
func (a *Algorithm) Explain(about, observer int, priced family.Accounting) (*family.Explanation, error) {
	e := family.NewExplanation(a, about, observer, priced.Sigma)
	law, err := a.law(about, observer)
	if err != nil {
		return nil, err
	}
	e.Accountant, e.Status, e.Assumptions = a.Spec.Privacy.Accountant, report.Status(law.Status), law.Grounds()
	if e.Accountant == published {
		e.Accountant = local
	}
	why := &e.Why
	why.Steps, why.Visits, why.Seen = a.Protocol.Rounds, a.Draws()/float64(a.Spec.Nodes), law.Mean()
	why.Final, why.Sender = true, "known"
	if why.Among = a.hiding(observer); e.Accountant == local || why.Among == 0 {
		why.Among, why.Charged = 0, a.charged(observer)
	}
	e.ChargeView(law.Epsilon(e.Delta, priced.Sigma), law.Guess(priced.Sigma, e.Delta))
	more := priced.Sigma * family.Noisier
	e.Remedies = append(e.Remedies, family.Remedy{Change: fmt.Sprintf("privacy.sigma: %.4g", more), Epsilon: law.Epsilon(e.Delta, more), Sigma: more})
	return e, nil
}

// charged says why every contribution counts as public.
func (a *Algorithm) charged(observer int) string {
	switch {
	case observer == int(a.Protocol.Server) && !a.keys.SecureSum:
		return a.Name(observer) + " sums, and is sent every one of them"
	case a.Protocol.Server >= 0:
		return "how much of a node's data the sums of several show is bounded by this only"
	}
	return "how much of a node's data the last mean shows is bounded by this only"
}

// Pairs implements family.Algorithm.
func (a *Algorithm) Pairs() error {
	if a.Protocol.Server >= 0 {
		return nil
	}
	return fault.New(fmt.Sprintf("algorithm.kind: with a curator, as in %s, all pairs lose the same", central), "see hearsay plan, or use kind: "+federated)
}

// Audit implements family.Algorithm.
func (a *Algorithm) Audit() (family.Audit, error) {
	return nil, fault.New(fmt.Sprintf("algorithm.kind: nobody attacks %s", a.Spec.Algorithm.Kind), "audit kind: walk or proximal-walk")
}

// Scoring implements family.Algorithm. All losses have equal weight in a mean of one variable a node.
func (a *Algorithm) Scoring() family.Scoring {
	n := a.Protocol.Nodes
	return family.Scoring{Shares: slices.Repeat([]float64{1 / float64(n)}, n)}
}

// Utility implements family.Algorithm.
func (a *Algorithm) Utility() family.Utility {
	u, p := family.Utility{NoisePerHop: family.NoiseNorm(a.Local())}, a.Protocol
	sampled := a.keys.Sampled
	if sampled < p.Nodes && a.Spec.Algorithm.Contributions < p.Rounds {
		u.Why = "002 Theorem 8.5 is about users that are drawn whatever came before, and one at its cap (algorithm.contributions) updates no more"
		return u
	}
	b, why := fixedpoint.ConsensusBound(&p.Local, a.Guarantees, float64(sampled)/float64(p.Nodes))
	if why != "" {
		u.Why = why
		return u
	}
	distance := b.After(p.Rounds)
	u.Distance2, u.Why = &distance, b.Says(p.Rounds)
	if a.Objective.Regulariser.None() {
		excess := a.Guarantees.Smoothness() / 2 * distance
		u.Excess = &excess
	}
	return u
}

// Cost implements family.Algorithm. A drawn node receives a model and answers with a vector of the same length.
func (a *Algorithm) Cost() family.Cost {
	if a.Protocol.Server < 0 {
		return family.Cost{Unit: "message", BytesPerHop: a.Protocol.Bytes()}
	}
	messages, size := 2*int(a.Draws()), a.Protocol.Bytes()
	return family.Cost{Unit: "message", Hops: messages, BytesPerHop: size, Bytes: messages * size, PerNode: float64(messages) / float64(a.Spec.Nodes)}
}

// Notes implements family.Algorithm. The notes say who is trusted with which data.
func (a *Algorithm) Notes() []string {
	if a.Protocol.Server < 0 {
		return []string{"A curator is trusted with all rows, with every node's variable and with the noise; everybody else sees the last model, and nothing before it."}
	}
	server := a.Name(int(a.Protocol.Server))
	notes := []string{fmt.Sprintf("%s sums and is shown every change, each with the noise of its node: towards it counts what the node's own noise hides. "+
		"All others are shown the model in the rounds that they are drawn in, and at the end.", server)}
	if a.keys.SecureSum {
		notes = []string{fmt.Sprintf("%s is taken to learn nothing but sums of changes, by a protocol for secure sums that the simulation leaves out and that all must trust. "+
			"The local loss holds without it.", server)}
	}
	if a.Protocol.Rota != nil {
		notes = append(notes, fmt.Sprintf("In each round %d of %d nodes are drawn from the seed, for all to know, among those that have taken part less than %d times.",
			a.keys.Sampled, a.Protocol.Nodes, a.Spec.Algorithm.Contributions))
	}
	return notes
}

// Conditions implements family.Algorithm.
func (a *Algorithm) Conditions() []string {
	return []string{"a participant answers the one who sums at most once in each round that the seed draws it in, whatever it is asked"}
}
