// Package weighted implements walks that visit nodes in proportion to the smoothness constants of their losses (004, importance
// sampling by a walk). Each node shows its constant once, with noise.
package weighted

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/family/walkfamily"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/gamma"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// Family implements the weighted walk.
type Family struct{}

// Kinds implements family.Family.
func (f Family) Kinds() []spec.Kind {
	return []spec.Kind{{
		Name: "weighted-walk", Family: f, Accountants: []string{"path", "local"}, Asserted: []string{"path"}, Pooled: []string{"path"}, Shows: true,
		Story: "a single copy of the model walks from node to node, more often to nodes whose rows bend the loss more, each improving it on its own rows, " +
			"the less the more often it comes, and adding noise before passing it on",
		Many: "%d copies of the model walk from node to node, more often to nodes whose rows bend the loss more, each node improving them on its own rows, " +
			"the less the more often they come, and adding noise before passing them on",
	}}
}

// An Algorithm is a weighted walk on one graph.
type Algorithm struct {
	*walkfamily.Algorithm
	shown  []float64 // constants as they were shown
	design *family.Design
}

// Prepare implements family.Family. The law of the path follows from the shown constants. A simulation draws these from the
// seed, the same in all trials; a federation's spec lists them.
func (Family) Prepare(ctx context.Context, h family.Holdings) (family.Algorithm, error) {
	release, err := NewRelease(&h)
	if err != nil {
		return nil, err
	}
	shown, err := release.all(&h)
	if err != nil {
		return nil, err
	}
	h = h.WithSpec(func(s *spec.Spec) {
		s.Algorithm.Own = &Keys{Constants: release.Constants}
		if h.Public {
			s.Algorithm.Start = walkfamily.Drawn(s)
		}
	})
	h.Resplit = nil // because other rows have other constants
	a := Algorithm{shown: shown}
	if err := a.weigh(&h); err != nil {
		return nil, err
	}
	a.Algorithm, err = walkfamily.NewWith(ctx, h, h.Transition, walk.NoiseOnly, walkfamily.Variant{Importance: importance(shown)})
	if err != nil {
		return nil, err
	}
	if a.SetStarts(); a.Protocol.AllTokens() == 1 {
		a.Protocol.Start = step.NodeID(a.Spec.Algorithm.Start.Node)
	}
	a.Besides = release.Mu * release.Mu
	return a, a.checkTarget()
}

// weigh replaces the graph's own matrix by the weighted one, and compares both.
func (a *Algorithm) weigh(h *family.Holdings) error {
	weighted, err := graph.NewWeighted(h.Graph, a.shown)
	if err != nil {
		return err
	}
	uniform, err := graph.NewTransition(h.Graph, "metropolis")
	if err != nil {
		return err
	}
	h.Transition = weighted
	if h.Gap, err = weighted.SpectralGap(); err != nil {
		return err
	}
	h.Mixing = 0 // because theorems about mixing are for nodes that weigh alike
	other, err := uniform.SpectralGap()
	if err != nil {
		return err
	}
	a.design = family.NewDesign(a.shown, h.Gap.Value, other.Value)
	return nil
}

// importance returns the factor on each node's losses where visits are in proportion to shown. Its product with the visits is
// the same for all nodes (004, Algorithm 2, with shown constants in place of the true ones).
func importance(shown []float64) []float64 {
	factors, mean := make([]float64, len(shown)), 0.0
	for _, x := range shown {
		mean += x / float64(len(shown))
	}
	for v, x := range shown {
		factors[v] = mean / x
	}
	return factors
}

// checkTarget refuses a target that the loss of showing constants alone exceeds.
func (a Algorithm) checkTarget() error {
	c := a.Spec.Privacy.Calibrate
	m, err := family.Metric(&a.Spec.Privacy)
	if err != nil || c == nil {
		return err
	}
	if loss := m.GaussianView(a.Besides); !(loss < c.Target()) {
		return fault.New(fmt.Sprintf("privacy.calibrate: %g, but showing constants costs %s alone", c.Target(), report.Loss(loss, report.Sound)),
			"give constants more noise (a smaller constants.epsilon), or allow more")
	}
	return nil
}

// A Release is the mechanism by which a node shows its constant.
type Release struct {
	Constants         // with bounds and scale filled in
	Mu        float64 // its release reveals no more than a Gaussian with this mu
	channel   *gamma.Channel
	objective model.Objective
}

// usualRange is the ratio of the bounds where the lower bound is not given.
const usualRange = 8

// NewRelease fills in the bounds and the scale that the spec leaves to the model.
func NewRelease(h *family.Holdings) (*Release, error) {
	r := &Release{Constants: *own(h.Spec), objective: h.Objective}
	if r.Mechanism == noNoise {
		return r, nil
	}
	if r.Most == 0 {
		r.Most = h.Guarantees.Smoothness()
	}
	if math.IsInf(r.Most, 1) {
		return nil, fault.New("algorithm.constants.most: nothing bounds how fast gradients change", "give it, as large as constants may be; larger ones are moved to it")
	}
	if r.Least == 0 {
		r.Least = r.Most / usualRange
	}
	if r.Least >= r.Most {
		return nil, fault.New(fmt.Sprintf("algorithm.constants.least: %g is not below %g, the most", r.Least, r.Most), "give a smaller one")
	}
	var err error
	if r.Scale == 0 {
		var m privacy.Metric
		if m, err = family.Metric(&h.Spec.Privacy); err == nil {
			r.channel, r.Scale, err = gamma.ChannelOf(r.at, (r.Most-r.Least)/100, r.Epsilon, m)
		}
		if err != nil {
			return nil, fault.Wrap(err, "algorithm.constants.epsilon", fault.Hint(err))
		}
		r.Epsilon = 0
	} else if r.channel, err = r.at(r.Scale); err != nil {
		return nil, fault.Wrap(err, "algorithm.constants", fault.Hint(err))
	}
	r.Mu = r.channel.Mu()
	return r, nil
}

func (r *Release) at(scale float64) (*gamma.Channel, error) {
	if r.Mechanism == laplaceNoise {
		return gamma.Laplace{Least: r.Least, Most: r.Most, Scale: scale}.Channel()
	}
	return gamma.Mechanism{Least: r.Least, Most: r.Most, Theta: scale}.Channel()
}

// Draw returns the constant that a node with examples ex shows. It must be called once, because every further draw costs as
// much again.
func (r *Release) Draw(ex model.Examples, random *rand.Rand) float64 {
	return r.channel.Draw(r.constant(ex), random)
}

// constant returns the smoothness constant of a node's loss and penalty. Without rows it is that of the penalty.
func (r *Release) constant(ex model.Examples) float64 {
	if ex.Len() == 0 {
		return r.objective.L2
	}
	return r.objective.LossSmoothnessOn(ex) + r.objective.L2
}

// all returns the constants of all nodes as shown.
func (r *Release) all(h *family.Holdings) ([]float64, error) {
	shown := make([]float64, h.Spec.Nodes)
	var stream step.Stream
	for v := range shown {
		switch ex := h.Examples.Examples(step.NodeID(v)); {
		case h.Public:
			given := h.Spec.Participants[v].Constant
			x, ok := r.channel.Releases(given)
			if !ok {
				return nil, notShown(h.Spec.Participants[v].Name, given, r)
			}
			shown[v] = x
		case r.Mechanism == noNoise:
			if shown[v] = r.constant(ex); !(shown[v] > 0) {
				return nil, fault.New(fmt.Sprintf("the losses of %s do not bend: no walk visits it in proportion to that", h.Name(v)), "use kind: walk, or a mechanism with a least")
			}
		default:
			shown[v] = r.Draw(ex, stream.At(h.Spec.Seed, step.NodeID(v), 0, 0, step.Response))
		}
	}
	return shown, nil
}

// notShown returns the error for a participant's constant that is missing or not a possible value.
func notShown(name string, given float64, r *Release) error {
	const hint = "hearsay constant SPEC --name NAME --data FILE --dir DIR draws it, once; all participants' go into the spec before anybody starts"
	if given == 0 {
		return fault.New(fmt.Sprintf("participants: %s has shown no constant", name), hint)
	}
	return fault.New(fmt.Sprintf("participants: %s: constant: %g is none of the values from %g to %g that are drawn", name, given, r.Least, r.Most), hint)
}

// WithNoise implements family.Algorithm.
func (a Algorithm) WithNoise(multiplier float64) (family.Algorithm, error) {
	a.Algorithm = a.Copied(multiplier, func(*spec.Spec) {})
	return a, nil
}

// WithPrivacy implements family.Algorithm.
func (a Algorithm) WithPrivacy(p spec.Privacy) family.Algorithm {
	a.Algorithm = a.Copied(a.Protocol.Noise.Multiplier, func(s *spec.Spec) { s.Privacy = p })
	return a
}

// Utility implements family.Algorithm.
func (a Algorithm) Utility() family.Utility {
	u := a.Algorithm.Utility()
	u.Design = a.design
	return u
}

// Notes implements family.Algorithm.
func (a Algorithm) Notes() []string {
	limited := 0
	for v, scale := range a.Scales() {
		if scale < a.Protocol.Importance[v]*(1-1e-12) {
			limited++
		}
	}
	notes := append(a.Algorithm.Notes(), "Visits: "+a.design.Says()+".")
	if limited > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d nodes count less than their visits ask for: with the step size as it is their own losses would bend too much. "+
			"Smaller steps, or constants with less noise, would change that.", limited, a.Spec.Nodes))
	}
	if v, turns := longestStay(a.Transition); turns > longStay {
		notes = append(notes, fmt.Sprintf("%s keeps the token for %.3g turns at a stretch on average, since it shows a far larger constant than its neighbours (entrapment, arXiv:2407.20611): "+
			"the model then learns from one node for long. Constants nearer to each other (constants.least, constants.most) or a denser graph would change that.", a.Name(v), turns))
	}
	return notes
}

// longStay is the mean stay at a node, in turns, above which notes warn of it. On a lazy walk it is 2.
const longStay = 5

// longestStay returns the node at which a walk stays longest at a stretch, and for how many turns on average.
func longestStay(t *graph.Transition) (node int, turns float64) {
	for v := range t.Len() {
		if stay := 1 / (1 - t.At(v, v)); stay > turns {
			node, turns = v, stay
		}
	}
	return node, turns
}
