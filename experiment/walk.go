package experiment

import (
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// walkFamily is the walk, and the baselines, which are walks over all nodes
// alike.
type walkFamily struct{ *Setup }

func (f walkFamily) setUp() error {
	a := f.Spec.Algorithm
	f.Protocol = &walk.Protocol{
		Local: f.local(), Nodes: f.Spec.Nodes, Steps: a.Steps, BurnIn: a.BurnIn, Cap: a.Contributions, Final: f.Spec.Privacy.Release == "final",
	}
	if a.Kind == "local" {
		f.Protocol.After = walk.Forward
	}
	if err := f.checkStart(a.Start); err != nil {
		return err
	}
	if a.StepSize.Theory {
		if err := f.theoryStep(); err != nil {
			return err
		}
	} else if err := f.checkStepSize(); err != nil {
		return err
	}
	f.setMaxScale()
	return nil
}

func (f walkFamily) account(context.Context) (Accounting, error) {
	if err := f.checkAssumptions(); err != nil {
		return Accounting{}, err
	}
	switch f.Spec.Algorithm.Kind {
	case "central":
		return f.centralAccounting()
	case "local":
		return f.localAccounting()
	}
	return f.walkAccounting()
}

// trial walks once.
func (f walkFamily) trial(ctx context.Context, seed uint64, r *recorder) ([]float64, error) {
	protocol := *f.Protocol
	protocol.Start = f.start(seed)
	run := &sim.Walk{Protocol: &protocol, Holdings: f.holdings, Choose: f.Choose, Seed: seed, Scales: f.scales}
	return run.Bulk(ctx, func(release step.Release, token []float64) {
		r.see(int(release.Turn)-protocol.BurnIn+1, token, 0)
	})
}

// start is where the token of a trial begins.
func (s *Setup) start(seed uint64) step.NodeID {
	if at := s.Spec.Algorithm.Start; !at.Uniform {
		return step.NodeID(at.Node)
	}
	return walk.StartAt(s.Spec.Nodes, seed, 0)
}

func (f walkFamily) cost() Cost {
	hops := int(f.Protocol.Turns())
	return Cost{
		Unit: "hop", Hops: hops, BytesPerHop: f.Protocol.Bytes(), Bytes: hops * f.Protocol.Bytes(),
		PerNode: float64(hops) / float64(f.Protocol.Nodes),
	}
}

// utility applies 002 Theorem 7.6, or says why it does not apply.
func (f walkFamily) utility() Utility {
	u := Utility{NoisePerHop: f.noiseNorm()}
	if u.Why = f.noPromise(); u.Why != "" {
		return u
	}
	c := f.conditions(f.Protocol.Noise.Multiplier)
	gamma, distance := c.TheoryStep(), c.Distance2()
	excess := f.Guarantees.Smoothness() / 2 * distance
	u.StepSize, u.Distance2, u.Excess = &gamma, &distance, &excess
	u.Why = fmt.Sprintf("at the theorem's step size without fill, with mixing time at most %.4g, gradients at most %g, the "+
		"optimum within %.4g of 0, and no node at its cap", f.Mixing, c.Gradient, c.Distance)
	return u
}

func (f walkFamily) notes() []string {
	switch f.Spec.Algorithm.Average {
	case "half":
		return []string{"The model is the mean of all iterates of the second half of the run, which only the simulator sees; the pairwise losses do not cover releasing that mean."}
	case "weighted":
		return []string{"The model is the mean of all iterates weighted by step size, which only the simulator sees; the pairwise losses do not cover releasing that mean."}
	}
	return nil
}

func (s *Setup) checkStart(start spec.Start) error {
	if !start.Uniform && start.Node >= s.Spec.Nodes {
		return fault.New(fmt.Sprintf("algorithm.start: there is no node %d among %d", start.Node, s.Spec.Nodes),
			"number nodes from 0, or use start: uniform")
	}
	return nil
}

// conditions are the public bounds that 002 Theorem 7.6 takes: the gradient
// at the optimum is at most the clipping norm, and a mu-strongly convex
// objective with gradients at most C moves its optimum at most C/mu from 0.
// They are those of unscaled gradients (fill: false) and of a run in which no
// node reaches its cap.
func (s *Setup) conditions(multiplier float64) walk.Conditions {
	clip, mu := s.Protocol.Noise.Clip, s.strongConvexity()
	std := multiplier * 2 * clip
	distance := clip / mu
	if r := s.Spec.Algorithm.Radius; r > 0 {
		distance = min(distance, r)
	}
	return walk.Conditions{
		Steps: s.Spec.Algorithm.Steps, StrongConvex: mu, Smoothness: s.Guarantees.Smoothness(),
		Mixing: s.Mixing, Gradient: clip, Distance: distance, NoiseEnergy: float64(s.Protocol.Params) * std * std,
	}
}

// strongConvexity is what clipping leaves of the objective's: all of it where
// no gradient is ever clipped, else that of the penalty alone.
func (s *Setup) strongConvexity() float64 {
	if s.largestGradient() <= s.Protocol.Noise.Clip {
		return s.Guarantees.StrongConvex()
	}
	return s.Spec.Model.L2
}

// largestGradient bounds the gradient of an example for all parameters that
// the projection allows.
func (s *Setup) largestGradient() float64 {
	if r := s.Protocol.Radius; r > 0 && s.Objective.Name() == (model.Mean{}).Name() {
		return 2 * (r + s.Federation.Bound)
	}
	return s.Guarantees.Lipschitz()
}

// noPromise says why 002 Theorem 7.6 says nothing about this run, "" if it does.
func (s *Setup) noPromise() string {
	switch {
	case s.strongConvexity() == 0:
		return "Theorem 2 needs an objective that clipping leaves strongly convex"
	case s.Mixing == 0:
		return "no bound on the mixing time is known for this graph"
	case !(s.conditions(0).TheoryStep() > 0):
		return fmt.Sprintf("Theorem 2 says nothing about as few as %d steps at mixing time %.3g", s.Spec.Algorithm.Steps, s.Mixing)
	}
	return ""
}

// theoryStep sets the step size of 002 Theorem 7.6.
func (s *Setup) theoryStep() error {
	if why := s.noPromise(); why != "" {
		return fault.New("algorithm.step_size: theory gives none: "+why,
			"set model.l2 above 0 (for mean: a radius, and a clip that never binds in it), take more steps, or give a number")
	}
	s.Protocol.StepSize = descent.StepSize{Base: s.conditions(0).TheoryStep()}
	return nil
}

// setMaxScale bounds what fill may multiply gradients by: the theorem's step
// size is for gradients as they are, any other for steps up to 2/beta.
func (s *Setup) setMaxScale() {
	s.Local().MaxScale = 1
	if !s.Spec.Algorithm.StepSize.Theory {
		s.Local().MaxScale = (2/s.Local().StepSize.Largest() - s.Spec.Model.L2) / s.Objective.Model.Guarantees(s.Federation.Bound).Smoothness()
	}
}
