// Package admmwalk implements decentralised ADMM (002 Algorithm 8.4, on any graph). A token carries the mean of variables that
// nodes keep to themselves.
package admmwalk

import (
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/algo/admm"
	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/family/walkfamily"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// Family implements the kind admm-walk.
type Family struct{}

const kind = "admm-walk"

// Kinds implements family.Family.
func (f Family) Kinds() []spec.Kind {
	return []spec.Kind{{
		Name: kind, Family: f, Accountants: []string{published, local, path}, SetsSteps: true, Regularises: true,
		Story: "a single copy of the model walks from node to node; each fits a model of its own to its rows and to the model that it is given, moves that one " +
			"by its share, and adds noise before passing it on",
	}}
}

// An Algorithm is ADMM by a token on one graph.
type Algorithm struct {
	*walkfamily.Algorithm
	local admm.Local
	found *energies
}

// Prepare implements family.Family.
func (Family) Prepare(ctx context.Context, h family.Holdings) (family.Algorithm, error) {
	h = h.WithSpec(func(s *spec.Spec) {
		if (h.Public || own(s).Route == public) && s.Algorithm.Start.Uniform {
			s.Algorithm.Start = spec.Start{Node: int(walk.StartAt(s.Nodes, s.Seed, 0))}
		}
	})
	a := Algorithm{found: new(energies)}
	w, err := walkfamily.NewWith(ctx, h, h.Transition, walk.NoiseOnly, walkfamily.Variant{Step: a.setStep})
	if err != nil {
		return nil, err
	}
	w.Protocol.Start = step.NodeID(w.Spec.Algorithm.Start.Node)
	if pull := a.local.Gamma * a.local.Objective.L2; h.Public && pull > 2 {
		return nil, fault.New(fmt.Sprintf("algorithm.gamma: %.4g times model.l2 is %.4g, and above 2 nothing bounds how far a token can go: the grid of real noise has an end", a.local.Gamma, pull),
			"give a smaller gamma, or model.regulariser: {kind: l2, weight: w} in the place of l2")
	}
	w.PublicRoute = own(w.Spec).Route == public
	w.Protocol.Keeps, w.Protocol.Kernel = true, admm.NewCarrier(a.local, w.Protocol.Nodes)
	w.Protocol.Updates = new(model.Update) // so that no accountant of walks takes the updates for its own
	a = a.of(w.Copied(0, func(s *spec.Spec) {
		k := *own(s)
		k.Gamma, k.Tolerance = a.local.Gamma, a.local.Tolerance
		s.Algorithm.Own = &k
	}))
	return a, a.checkRoute()
}

// setStep replaces a gradient step by the update of a variable, as it moves the token.
func (a *Algorithm) setStep(h *family.Holdings, l *descent.Local) error {
	made, err := own(h.Spec).Step().Local(h, *l)
	if err == nil {
		a.local = made.Carried(h.Spec.Nodes)
		*l = a.local.Local
	}
	return err
}

// of returns the algorithm around another walk of its own.
func (a Algorithm) of(w *walkfamily.Algorithm) Algorithm {
	a.local.Local = w.Protocol.Local
	w.Protocol.Box = a.local.Box(w.Protocol.Nodes, w.Protocol.Steps)
	a.Algorithm = w
	return a
}

func nothing(*spec.Spec) {}

// WithNoise implements family.Algorithm.
func (a Algorithm) WithNoise(multiplier float64) (family.Algorithm, error) {
	return a.of(a.Copied(multiplier, nothing)), nil
}

// WithPrivacy implements family.Algorithm.
func (a Algorithm) WithPrivacy(p spec.Privacy) family.Algorithm {
	return a.of(a.Copied(a.Protocol.Noise.Multiplier, func(s *spec.Spec) { s.Privacy = p }))
}

// Trial implements family.Algorithm. The model is the proximal point of the token.
func (a Algorithm) Trial(ctx context.Context, seed uint64, see family.Seen) ([]float64, error) {
	z := make([]float64, a.Protocol.Params)
	token, err := a.Algorithm.Trial(ctx, seed, func(done int, token []float64, apart float64) {
		a.local.Consensus(z, token)
		see(done, z, apart)
	})
	if err != nil {
		return nil, err
	}
	a.local.Consensus(token, token)
	return token, nil
}

// Machine implements family.Algorithm.
func (a Algorithm) Machine(own family.Participant) family.Machine {
	m := a.Algorithm.Machine(own)
	last := m.Model
	m.Model = func() []float64 {
		token := slices.Clone(last())
		if token != nil {
			a.local.Consensus(token, token)
		}
		return token
	}
	return m
}

// Scoring implements family.Algorithm. For any walk the mean is over one variable a node, so that all nodes' losses have equal
// weight in the objective.
func (a Algorithm) Scoring() family.Scoring {
	n := a.Protocol.Nodes
	return family.Scoring{Shares: slices.Repeat([]float64{1 / float64(n)}, n)}
}

// Utility implements family.Algorithm.
func (a Algorithm) Utility() family.Utility {
	return family.Utility{NoisePerHop: family.NoiseNorm(a.Local()), Why: "002 Theorem 8.5 is about users that are drawn whatever came before, and a walk goes on from where it is"}
}

// Notes implements family.Algorithm.
func (a Algorithm) Notes() []string {
	notes := a.Algorithm.Notes()
	if !a.PublicRoute {
		return notes
	}
	return append(notes, "Where the token goes follows from the seed, is the same in all trials and known to all (route: public): with another seed other nodes meet, and single pairs lose more or less.")
}

// Audit implements family.Algorithm.
func (a Algorithm) Audit() (family.Audit, error) {
	return nil, fault.New(fmt.Sprintf("algorithm.kind: nobody attacks %s", kind), "audit kind: walk or proximal-walk")
}

// CheckHeard implements family.Closed. Nodes keep variables, so that a token's change between two sights of it depends on turns
// before the first.
func (a Algorithm) CheckHeard() error {
	return fault.New(fmt.Sprintf("algorithm.kind: what nodes see of %s is not attacked", kind),
		"attack by whoever receives the final model (--attackers model), or attack kind: walk or proximal-walk")
}

// Explain implements family.Algorithm.
func (a Algorithm) Explain(about, observer int, priced family.Accounting) (*family.Explanation, error) {
	e, err := a.Algorithm.Explain(about, observer, priced)
	if err == nil && a.Spec.Privacy.Accountant != local && a.checkPath() == nil {
		a.explainPath(e, priced.Sigma)
		return e, nil
	}
	if err == nil && e.Why.Charged != "" {
		e.Why.Charged = "how far a node's data spreads through the variables that others keep is bounded by this only"
	}
	return e, err
}
