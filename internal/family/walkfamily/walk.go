// Package walkfamily implements algorithms with a token that walks.
package walkfamily

import (
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// Family implements the walk.
type Family struct{}

// Kinds implements family.Family.
func (f Family) Kinds() []spec.Kind {
	return []spec.Kind{{
		Name: "walk", Family: f, OwnWeights: true, OwnClips: true, Accountants: []string{"published", "local", "path"}, Pooled: []string{"path"},
		Story: "a single copy of the model walks from node to node, each improving it on its own rows and adding noise before passing it on",
		Many:  "%d copies of the model walk from node to node, each node improving them on its own rows and adding noise before passing them on",
	}, {
		Name: proximal, Family: f, OwnWeights: true, Accountants: []string{"local", "path"}, Pooled: []string{"path"},
		Story: "a single copy of the model walks from node to node, each moving it to where its own rows and the model it is given balance, " +
			"and adding noise before passing it on",
		Many: "%d copies of the model walk from node to node, each node moving them to where its own rows and the model it is given balance, " +
			"and adding noise before passing them on",
	}}
}

// proximal is the walk whose steps lead to proximal points.
const proximal = "proximal-walk"

// OnlyLocal implements spec.Rules.
func (Family) OnlyLocal(*spec.Spec) string { return "" }

// An Algorithm is a walk on one graph.
type Algorithm struct {
	family.Holdings
	Protocol *walk.Protocol
	Choose   walk.Chooser
	keys     Keys
	// PublicRoute says that the starts and paths of tokens, and who skips, follow from the spec's seed. They are then the same
	// in all trials and known to all participants.
	PublicRoute bool
	// Besides is mu^2 of each node's release to everybody before the walk (schedule.Walk).
	Besides float64
	scales  []float64
}

// Prepare implements family.Family. In a federation everybody knows the start of the token, and accountants charge it so. A
// start that is left open is drawn from the public seed.
func (Family) Prepare(ctx context.Context, h family.Holdings) (family.Algorithm, error) {
	a, err := New(ctx, h.WithSpec(func(s *spec.Spec) {
		if h.Public {
			s.Algorithm.Start = Drawn(s)
		}
	}), h.Transition, 0)
	if err != nil {
		return nil, err
	}
	a.SetStarts()
	return a, nil
}

// SetStarts sets the starts of tokens from the spec, or from its seed.
func (a *Algorithm) SetStarts() { a.Protocol.Start, a.Protocol.Starts = a.starts(a.Spec.Seed) }

// Drawn returns the starts of a spec, with open ones drawn from its seed.
func Drawn(s *spec.Spec) spec.Start {
	each := make([]spec.Start, s.Algorithm.Tokens)
	for lane := range each {
		if each[lane] = s.Algorithm.Start.Of(lane); each[lane].Uniform {
			each[lane] = spec.Start{Node: int(walk.StartAt(s.Nodes, s.Seed, step.Lane(lane)))}
		}
	}
	if len(each) == 1 || s.Algorithm.Start.Each == nil && !s.Algorithm.Start.Uniform {
		return each[0]
	}
	return spec.Start{Each: each}
}

// New returns a walk that is routed by choose. after says how nodes at their cap act.
func New(ctx context.Context, h family.Holdings, choose walk.Chooser, after walk.After) (*Algorithm, error) {
	return NewWith(ctx, h, choose, after, Variant{})
}

// A Variant holds the differences of another algorithm from a walk.
type Variant struct {
	Importance []float64                                            // public factors of nodes' losses (descent.Local); nil: none
	Step       func(h *family.Holdings, local *descent.Local) error // replaces the local step; nil: the step of the kind
}

// NewWith returns a walk like New, with the differences of v.
func NewWith(ctx context.Context, h family.Holdings, choose walk.Chooser, after walk.After, v Variant) (*Algorithm, error) {
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
		v.Step = setProximal
	}
	if v.Step != nil {
		if err := v.Step(&h, &local); err != nil {
			return nil, err
		}
	}
	local.Importance = v.Importance
	keys := KeysOf(h.Spec)
	a := &Algorithm{Holdings: h, Choose: choose, keys: keys, Protocol: &walk.Protocol{
		Local: local, Nodes: h.Spec.Nodes, Steps: s.Steps, BurnIn: s.BurnIn, Cap: s.Contributions, After: after,
		Final: h.Spec.Privacy.Release == "final", Tokens: s.Tokens, Skip: keys.Skip,
	}}
	if s.Tokens > 1 && float64(s.Tokens)*float64(h.Spec.Nodes) > mostRemembered {
		return nil, fault.New(fmt.Sprintf("algorithm.tokens: %d nodes that remember %d tokens are too many", h.Spec.Nodes, s.Tokens), "use fewer tokens")
	}
	for lane := range s.Tokens {
		if at := s.Start.Of(lane); !at.Uniform && (at.Node < 0 || at.Node >= h.Spec.Nodes) {
			return nil, fault.New(fmt.Sprintf("algorithm.start: there is no node %d among %d", at.Node, h.Spec.Nodes),
				"number nodes from 0, put a name that is a number in quotes, or use start: uniform")
		}
	}
	if err := a.setStepSize(s.StepSize.Theory); err != nil {
		return nil, err
	}
	a.scales, err = h.Scales(ctx, a.Local())
	return a, err
}

// mostRemembered is the largest number of pairs of a node and a token.
const mostRemembered = 5e7

// named returns h with node numbers in place of the names of its starts.
func named(h family.Holdings) (family.Holdings, error) {
	start := h.Spec.Algorithm.Start
	start.Each = slices.Clone(start.Each)
	all := []*spec.Start{&start}
	for lane := range start.Each {
		all = append(all, &start.Each[lane])
	}
	for _, one := range all {
		if one.Name == "" {
			continue
		}
		node, err := h.Find(one.Name)
		if err != nil {
			return h, fault.Wrap(err, "algorithm.start", fault.Hint(err))
		}
		one.Node = node
	}
	return h.WithSpec(func(s *spec.Spec) { s.Algorithm.Start = start }), nil
}

// setStepSize checks the spec's step size, or sets that of the theorem, which is for unscaled gradients.
func (a *Algorithm) setStepSize(theory bool) error {
	local := a.Local()
	if theory {
		local.MaxScale = 1
		return a.theoryStep()
	}
	if local.Proximal {
		local.MaxScale = math.Inf(1) // for any convex function, at any smoothness
		return nil
	}
	if local.Importance != nil { // nodes limit their own (ScaleOf)
		if most := 2 / a.Spec.Model.L2; local.StepSize.Largest() >= most {
			return fault.New(fmt.Sprintf("algorithm.step_size: %g is not below 2/l2 = %.4g", local.StepSize.Largest(), most), "use a smaller step size")
		}
		return nil
	}
	local.MaxScale = a.MaxScale(local.StepSize)
	return a.CheckStepSize(local.StepSize)
}

// notProximal says why a model that is no function of a margin has no proximal steps.
func notProximal(h *family.Holdings) string {
	if !h.Guarantees.Convex() {
		return "its losses are not convex, so that such steps may move two models apart"
	}
	return "its losses are functions of more than one margin of a row, and proximal points are certified for one"
}

// setProximal makes a step proximal.
func setProximal(h *family.Holdings, local *descent.Local) error {
	if _, ok := h.Objective.Model.(model.Margined); !ok {
		return fault.New(fmt.Sprintf("model.kind: a %s model has no proximal steps: %s", h.Objective.Name(), notProximal(h)),
			"use logistic, hinge, ridge or absolute, or kind: walk")
	}
	if err := h.CheckProximal(); err != nil {
		return err
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
func (a *Algorithm) Draws() float64 { return float64(a.hops()) }

// hops returns the number of turns of all tokens.
func (a *Algorithm) hops() int64 { return a.Turns() * int64(a.Protocol.AllTokens()) }

// Bound implements family.Algorithm.
func (a *Algorithm) Bound() float64 { return a.Protocol.Bound() }

// Work implements family.Algorithm.
func (a *Algorithm) Work() float64 {
	return float64(a.hops()) * (float64(a.Train.Len())/float64(a.Protocol.Nodes) + 1) * float64(a.Protocol.Params)
}

// Copied returns the same algorithm under a changed spec and noise multiplier.
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
	run := a.run(seed, a.Examples, a.scales)
	if a.Protocol.AllTokens() > 1 {
		last, err := a.together(ctx, run, see)
		return walk.Mean(last), err
	}
	return run.Bulk(ctx, func(release step.Release, token []float64) {
		see(int(release.Turn)-run.Protocol.BurnIn+1, token, 0)
	})
}

// run returns one run of a seed on the holdings h.
func (a *Algorithm) run(seed uint64, h sim.Holdings, scales []float64) *sim.Walk {
	protocol := *a.Protocol
	routes := a.routes(seed)
	protocol.Start, protocol.Starts = a.starts(routes)
	return &sim.Walk{Protocol: &protocol, Holdings: h, Choose: a.Choose, Seed: seed, Routes: &routes, Scales: scales}
}

// starts returns the first nodes of the tokens of a trial: the first token's, and all if there are several.
func (a *Algorithm) starts(seed uint64) (first step.NodeID, all []step.NodeID) {
	for lane := range a.Protocol.AllTokens() {
		at := a.Spec.Algorithm.Start.Of(lane)
		node := step.NodeID(at.Node)
		if at.Uniform {
			node = walk.StartAt(a.Spec.Nodes, seed, step.Lane(lane))
		}
		all = append(all, node)
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return all[0], all
}

// Cost implements family.Algorithm.
func (a *Algorithm) Cost() family.Cost {
	hops := int(a.hops())
	return family.Cost{
		Time: a.Time(a.Spec.Seed),
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
	return family.Scoring{Shares: shares, OwnModels: a.keys.Combine == apart, Tokens: a.keys.Combine == apart}
}

// Notes implements family.Algorithm.
func (a *Algorithm) Notes() []string {
	if a.Protocol.AllTokens() > 1 && a.keys.Combine == average && !a.Protocol.Final {
		return []string{fmt.Sprintf("The model is the mean of %d tokens, which only the simulator sees (release: final shows them to everybody).", a.Protocol.AllTokens())}
	}
	switch a.Spec.Algorithm.Average {
	case "half":
		return []string{"The model is the mean of all iterates of the second half of the run, which only the simulator sees."}
	case "weighted":
		return []string{"The model is the mean of all iterates weighted by step size, which only the simulator sees."}
	}
	return nil
}
