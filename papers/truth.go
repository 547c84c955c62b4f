package papers

import (
	"cmp"
	"context"
	"slices"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// atDelta is the metric in which both families have sound losses. At Renyi
// order 2 and sigma = 1 a lazy walk has none: each stay adds one to the energy
// and may have a probability above 1/e.
var atDelta = privacy.Metric{Delta: 1e-6}

// klUnit is Kullback-Leibler divergence, order 1, over that of one contribution
// seen alone: leakage for gossip, mean energy for a walk.
const klUnit = "divergence of order 1, over the local one"

const epsilonUnit = "epsilon at delta 1e-6, sigma 1"

// hops returns the distances from u.
func (t *topology) hops(u int) []int32 { return graph.NewSearch(t.g).From(u) }

// exactGossip returns the leakage towards the nodes of t from all others, and
// the corresponding epsilon.
func (t *topology) exactGossip(ctx context.Context) (energy, epsilon Curve, err error) {
	both, err := again(ctx, func() (pricing, error) { return t.leakages(ctx) }, "gossip, exact", t.name, digest(t.w), t.nodes, t.rounds())
	return both.Energy, both.Epsilon, err
}

func (t *topology) leakages(ctx context.Context) (pricing, error) {
	accountant, err := gossipview.New(t.w, t.rounds())
	if err != nil {
		return pricing{}, err
	}
	energies, epsilons := tally{}, tally{}
	for _, v := range t.nodes {
		view, err := accountant.View([]int{v})
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return pricing{}, err
		}
		for u, d := range t.hops(v) {
			if u != v {
				energies.add(int(d), view.Leakage(u))
				epsilons.add(int(d), atDelta.GaussianView(view.Leakage(u)))
			}
		}
	}
	return inBothUnits(Curve{Graph: t.name, Name: "gossip, exact", Status: report.Sound, Rounds: t.rounds()}, energies, epsilons), nil
}

// inBothUnits returns a curve with energies, and the same with epsilons.
func inBothUnits(c Curve, energies, epsilons tally) pricing {
	p := pricing{c, c}
	p.Energy.Unit, p.Energy.Points = klUnit, energies.points()
	p.Epsilon.Unit, p.Epsilon.Points = epsilonUnit, epsilons.points()
	return p
}

// pair is an ordered pair at a distance.
type pair struct{ u, v, distance int }

// drawn returns up to each random pairs at every requested distance.
func (t *topology) drawn(distances []int, each int) []pair {
	var stream step.Stream
	draw := stream.At(2, 0, 0, 0, step.Audit)
	var pairs []pair
	for _, d := range distances {
		for found, tries := 0, 0; found < each && tries < 50; tries++ {
			v := draw.IntN(t.g.Len())
			hops := t.hops(v)
			from := draw.IntN(len(hops))
			at := slices.Index(slices.Concat(hops[from:], hops[:from]), int32(d))
			if at >= 0 {
				pairs = append(pairs, pair{(from + at) % len(hops), v, d})
				found++
			}
		}
	}
	return pairs
}

// pathWalk returns the walk of private averaging in 000's setting: squared
// distance, smooth with constant 2, without a cap on contributions.
func (t *topology) pathWalk() walkpath.Walk {
	p := walk.Protocol{
		Local: descent.Local{Objective: model.Objective{Model: model.Mean{}}, Noise: noise.Gaussian{Clip: 1, Multiplier: 1}, StepSize: descent.StepSize{Base: 0.5}},
		Nodes: t.g.Len(), Steps: t.turns(),
	}
	w := walkpath.Walk{Walk: p.Schedule(t.w, p.Objective.Guarantees(1))}
	w.Start = schedule.AnyStart
	return w
}

// pathLosses returns the path accountant's charge for the drawn pairs: the mean
// energy, and epsilon. Observers know the path, and so the sender.
func (t *topology) pathLosses(ctx context.Context, pairs []pair) (energy, epsilon Curve, err error) {
	both, err := again(ctx, func() (pricing, error) { return t.laws(ctx, pairs) }, "walk, path", t.name, digest(t.w), pairs, t.turns())
	return both.Energy, both.Epsilon, err
}

func (t *topology) laws(ctx context.Context, pairs []pair) (pricing, error) {
	laws := make([]*walkpath.Law, len(pairs))
	err := sim.Each(ctx, len(pairs), workers(), func(_ context.Context, i int) (err error) {
		laws[i], err = t.pathWalk().Law(pairs[i].u, pairs[i].v)
		return err
	})
	if err != nil {
		return pricing{}, err
	}
	energies, epsilons := tally{}, tally{}
	for i, p := range pairs {
		energies.add(p.distance, laws[i].Mean())
		epsilons.add(p.distance, laws[i].Epsilon(atDelta.Delta, 1))
	}
	return inBothUnits(Curve{Graph: t.name, Name: "walk, path", Status: report.Sound, Rounds: t.turns()}, energies, epsilons), nil
}
