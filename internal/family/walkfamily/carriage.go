package walkfamily

import (
	"fmt"
	"iter"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/attack/walklikelihood"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/step"
)

// Carriage implements family.Carrier.
func (a *Algorithm) Carriage() (*family.Carriage, error) {
	p := a.Protocol
	if p.Keeps {
		return nil, fault.New(fmt.Sprintf("algorithm.kind: %s carries a mean of what nodes keep to themselves, and nobody attacks that", a.Spec.Algorithm.Kind), "attack a walk or a sum")
	}
	w := a.schedule()
	c := &family.Carriage{
		Walk: &w, Lanes: p.AllTokens(), Updates: a.updates(), Sign: -1, Linear: a.bends(), Releases: a.releases,
		Quiet: a.quiet,
		Law: func(u int, attackers []int) (*walkpath.Law, error) {
			return a.PathWalk().CoalitionLaw(u, attackers)
		},
	}
	if p.Kernel != nil {
		c.Sign = 1
	}
	if a.PublicRoute {
		c.Walk = nil
	}
	if !a.Public {
		c.Run = a.Simulation
	}
	return c, nil
}

// updates returns the public properties of the token's updates.
func (a *Algorithm) updates() walklikelihood.Updates {
	p := a.Protocol
	bend := a.bend()
	return walklikelihood.Updates{
		BurnIn: p.BurnIn, Turns: p.Steps, Final: p.Final, Initial: p.Begin(), Size: p.StepSize.At,
		Keep: func(update int, contributed bool) float64 {
			rate := p.StepSize.At(update)
			switch {
			case p.Kernel != nil:
				return 1
			case p.Proximal:
				return 1 / (1 + float64(rate*p.Objective.L2))
			case contributed:
				return 1 - float64(rate*(p.Objective.L2+bend))
			}
			return 1 - float64(rate*p.Objective.L2)
		},
		Noise: func(r step.Release, _ int) float64 {
			if r.Contributed || p.After == walk.NoiseOnly {
				return 1
			}
			return 0
		},
	}
}

// bend returns the factor by which a contribution's gradient grows with the token, if that is the same everywhere. This holds
// for means whose clip binds nowhere in the range of the data. Otherwise it returns 0.
func (a *Algorithm) bend() float64 {
	p := a.Protocol
	if p.Kernel != nil || p.Proximal || p.Fill || p.Rows > 0 || p.Importance != nil || p.Objective.Name() != (model.Mean{}).Name() {
		return 0
	}
	if math.IsInf(p.Noise.Clip, 1) {
		return 2
	}
	if a.Public {
		return 0
	}
	for i := range a.Train.Len() {
		if x, _ := a.Train.Row(i); 4*model.RowNorm(x, false) > p.Noise.Clip {
			return 0
		}
	}
	return 2
}

// bends says why contributions depend on the token, "" if they do not.
func (a *Algorithm) bends() string {
	switch p := a.Protocol; {
	case p.Kernel != nil:
		return ""
	case a.bend() > 0 && p.Noise.Multiplier == 0:
		return ""
	case a.bend() > 0:
		return "a mean's gradients are clipped where noise takes the token far from all rows"
	default:
		return fmt.Sprintf("gradients of a %s model change with the token, and what attackers find takes them for constant", p.Objective.Name())
	}
}

// releases returns the releases of one token in the run of a seed, by the schedule.
func (a *Algorithm) releases(seed uint64, lane step.Lane) iter.Seq[step.Release] {
	s, routes := a.schedule(), walk.NewSeeded(a.Choose, a.routes(seed))
	first, all := a.starts(a.routes(seed))
	path := schedule.Path{Start: first, Lane: lane, Next: routes.Next, Skips: func(at step.NodeID, t step.Turn, lane step.Lane) bool { return routes.Away(at, t, lane, s.Skip) }}
	if all != nil {
		path.Start = all[lane]
	}
	if !a.Public {
		path.Holds = func(v step.NodeID) bool { return a.Examples.Examples(v).Len() > 0 }
	}
	return s.Releases(path)
}

// quiet returns a function that repeats a turn without its noise.
func (a *Algorithm) quiet() func(token []float64, r step.Release) {
	p := a.Protocol
	local := p.Local
	local.Noise.Multiplier = 0
	source := noise.NewSimulated(0)
	var kernel walk.Kernel
	if p.Kernel != nil {
		kernel = p.Kernel(&local, source, nil)
	} else {
		kernel = descent.NewKernel(&local, source)
	}
	bound := p.Bound()
	return func(token []float64, r step.Release) {
		descent.Confine(token, bound)
		update, ex := int(r.Turn)-p.BurnIn, a.Examples.Examples(r.From)
		if r.Contributed {
			kernel.Contribute(token, &ex, a.scales[r.From], update, &r)
		} else if update >= 0 && p.After == walk.NoiseOnly {
			kernel.NoiseOnly(token, update, &r)
		}
	}
}
