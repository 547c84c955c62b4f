// Package walk is the family of algorithms with a token that walks.
package walk

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// Family is the walk.
type Family struct{}

// Kinds implements family.Family.
func (f Family) Kinds() []spec.Kind {
	return []spec.Kind{{
		Name: "walk", Family: f, Accountants: []string{"published", "local", "path"}, Pooled: "path",
		Story: "a single copy of the model walked from node to node, each improving it on its own rows and adding noise before passing it on",
	}, {
		Name: proximal, Family: f, Accountants: []string{"local", "path"}, Pooled: "path",
		Story: "a single copy of the model walked from node to node, each moving it to where its own rows and the model it was given balance, " +
			"and adding noise before passing it on",
	}}
}

// proximal is the walk whose steps lead to proximal points.
const proximal = "proximal-walk"

// Keys implements spec.Rules.
func (Family) Keys() any { return nil }

// Check implements spec.Rules.
func (Family) Check(s *spec.Spec) error {
	if s.Algorithm.Kind == proximal && s.Algorithm.StepSize.Theory {
		return fault.New("algorithm.step_size: the theorem behind theory is about gradient steps", "give a number")
	}
	return nil
}

// OnlyLocal implements spec.Rules.
func (Family) OnlyLocal(*spec.Spec) string { return "" }

// CheckReal implements spec.Rules.
func (Family) CheckReal(s *spec.Spec) error {
	if s.Algorithm.Contributions == 0 {
		return fault.New("algorithm.contributions: without a cap nothing bounds what a participant gives away",
			"set contributions, such as 1.2 times steps over participants")
	}
	return nil
}

// An Algorithm is a walk on one graph.
type Algorithm struct {
	family.Holdings
	Protocol *walk.Protocol
	Choose   walk.Chooser
	scales   []float64
}

// Prepare implements family.Family. The token starts where everybody knows in a
// federation, and is charged so: a start that is left open is drawn from the
// public seed.
func (Family) Prepare(ctx context.Context, h family.Holdings) (family.Algorithm, error) {
	a, err := New(ctx, h.WithSpec(func(s *spec.Spec) {
		if h.Public && s.Algorithm.Start.Uniform {
			s.Algorithm.Start = spec.Start{Node: int(walk.StartAt(s.Nodes, s.Seed, 0))}
		}
	}), h.Transition, 0)
	if err != nil {
		return nil, err
	}
	a.Protocol.Start = step.NodeID(a.Spec.Algorithm.Start.Node)
	return a, nil
}

// New makes a walk that is routed by choose and does after once its nodes have
// given all that they may.
func New(ctx context.Context, h family.Holdings, choose walk.Chooser, after walk.After) (*Algorithm, error) {
	h, err := named(h)
	if err != nil {
		return nil, err
	}
	s := h.Spec.Algorithm
	local, err := h.Step()
	if err != nil {
		return nil, err
	}
	if s.Kind == proximal {
		if err := setProximal(&h, &local); err != nil {
			return nil, err
		}
	}
	a := &Algorithm{Holdings: h, Choose: choose, Protocol: &walk.Protocol{
		Local: local, Nodes: h.Spec.Nodes, Steps: s.Steps, BurnIn: s.BurnIn, Cap: s.Contributions, After: after,
		Final: h.Spec.Privacy.Release == "final",
	}}
	if !s.Start.Uniform && s.Start.Node >= h.Spec.Nodes {
		return nil, fault.New(fmt.Sprintf("algorithm.start: there is no node %d among %d", s.Start.Node, h.Spec.Nodes),
			"number nodes from 0, put a name that is a number in quotes, or use start: uniform")
	}
	if err := a.setStepSize(s.StepSize.Theory); err != nil {
		return nil, err
	}
	a.scales, err = h.Scales(ctx, a.Local())
	return a, err
}

// named is h with the number of the node that its start names.
func named(h family.Holdings) (family.Holdings, error) {
	name := h.Spec.Algorithm.Start.Name
	if name == "" {
		return h, nil
	}
	node, err := h.Find(name)
	if err != nil {
		return h, fault.Wrap(err, "algorithm.start", fault.Hint(err))
	}
	return h.WithSpec(func(s *spec.Spec) { s.Algorithm.Start.Node = node }), nil
}

// setStepSize checks the spec's step size or sets the theorem's, which is for
// gradients as they are.
func (a *Algorithm) setStepSize(theory bool) error {
	local := a.Local()
	if theory {
		local.MaxScale = 1
		return a.theoryStep()
	}
	if local.Proximal {
		local.MaxScale = math.Inf(1) // of any convex function, however steep
		return nil
	}
	local.MaxScale = a.MaxScale(local.StepSize)
	return a.CheckStepSize(local.StepSize)
}

// setProximal makes a step proximal.
func setProximal(h *family.Holdings, local *descent.Local) error {
	if _, ok := h.Objective.Model.(model.Margined); !ok {
		return fault.New(fmt.Sprintf("model.kind: proximal points of a %s model are not known", h.Objective.Name()),
			"use logistic, hinge, ridge or absolute, or kind: walk")
	}
	least := 1.0
	if relatives := local.Noise.Relatives(); relatives != nil {
		least = slices.Min(relatives) * local.Noise.Sensitivity() / (2 * local.Noise.Clip)
	}
	local.Proximal, local.Precision = true, descent.Precise(h.Spec.Algorithm.Steps, least)
	return nil
}

// Of implements family.Algorithm.
func (a *Algorithm) Of() *family.Holdings { return &a.Holdings }

// Local implements family.Algorithm.
func (a *Algorithm) Local() *descent.Local { return &a.Protocol.Local }

// Scales implements family.Algorithm.
func (a *Algorithm) Scales() []float64 { return a.scales }

// Contributions implements family.Algorithm.
func (a *Algorithm) Contributions() int { return a.Protocol.Cap }

// Turns implements family.Algorithm.
func (a *Algorithm) Turns() int64 { return int64(a.Protocol.Turns()) }

// Draws implements family.Algorithm.
func (a *Algorithm) Draws() float64 { return float64(a.Turns()) }

// Bound implements family.Algorithm.
func (a *Algorithm) Bound() float64 { return a.Protocol.Bound() }

// Work implements family.Algorithm.
func (a *Algorithm) Work() float64 {
	return float64(a.Turns()) * (float64(a.Train.Len())/float64(a.Protocol.Nodes) + 1) * float64(a.Protocol.Params)
}

// Copied is the same algorithm under a changed spec and noise multiplier.
func (a *Algorithm) Copied(multiplier float64, change func(*spec.Spec)) *Algorithm {
	other, protocol := *a, *a.Protocol
	protocol.Noise.Multiplier = multiplier
	other.Holdings, other.Protocol = a.WithSpec(change), &protocol
	return &other
}

// WithNoise implements family.Algorithm.
func (a *Algorithm) WithNoise(multiplier float64) (family.Algorithm, error) {
	return a.Copied(multiplier, func(*spec.Spec) {}), nil
}

// WithPrivacy implements family.Algorithm.
func (a *Algorithm) WithPrivacy(p spec.Privacy) family.Algorithm {
	return a.Copied(a.Protocol.Noise.Multiplier, func(s *spec.Spec) { s.Privacy = p })
}

// Trial implements family.Algorithm.
func (a *Algorithm) Trial(ctx context.Context, seed uint64, see family.Seen) ([]float64, error) {
	protocol := *a.Protocol
	protocol.Start = a.start(seed)
	run := &sim.Walk{Protocol: &protocol, Holdings: a.Examples, Choose: a.Choose, Seed: seed, Scales: a.scales}
	return run.Bulk(ctx, func(release step.Release, token []float64) {
		see(int(release.Turn)-protocol.BurnIn+1, token, 0)
	})
}

// start is where the token of a trial begins.
func (a *Algorithm) start(seed uint64) step.NodeID {
	if at := a.Spec.Algorithm.Start; !at.Uniform {
		return step.NodeID(at.Node)
	}
	return walk.StartAt(a.Spec.Nodes, seed, 0)
}

// Cost implements family.Algorithm.
func (a *Algorithm) Cost() family.Cost {
	hops := int(a.Protocol.Turns())
	return family.Cost{
		Unit: "hop", Hops: hops, BytesPerHop: a.Protocol.Bytes(), Bytes: hops * a.Protocol.Bytes(),
		PerNode: float64(hops) / float64(a.Protocol.Nodes),
	}
}

// Scoring implements family.Algorithm.
func (a *Algorithm) Scoring() family.Scoring {
	shares, err := a.Transition.Stationary()
	if err != nil {
		shares = nil
	}
	return family.Scoring{Shares: shares}
}

// Notes implements family.Algorithm.
func (a *Algorithm) Notes() []string {
	switch a.Spec.Algorithm.Average {
	case "half":
		return []string{"The model is the mean of all iterates of the second half of the run, which only the simulator sees; the pairwise losses do not cover releasing that mean."}
	case "weighted":
		return []string{"The model is the mean of all iterates weighted by step size, which only the simulator sees; the pairwise losses do not cover releasing that mean."}
	}
	return nil
}
