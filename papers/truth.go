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
	"github.com/hearsay-dp/hearsay/privacy/gossip"
	"github.com/hearsay-dp/hearsay/privacy/path"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// atDelta is the metric in which both families have sound losses. At Renyi
// order 2 and sigma = 1 a walk that may stay where it is has none: each stay
// adds one to the energy and has a probability that may exceed 1/e.
var atDelta = privacy.Metric{Delta: 1e-6}

// klUnit is Kullback-Leibler divergence, order 1, over that of one contribution
// seen alone: leakage for gossip, mean energy for a walk.
const klUnit = "divergence of order 1, over the local one"

const epsilonUnit = "epsilon at delta 1e-6, sigma 1"

// hops are the distances from u.
func (t *topology) hops(u int) []int32 { return graph.NewSearch(t.g).From(u) }

// exactGossip is the leakage towards the nodes of t from all others, and the
// epsilon that goes with it.
func (t *topology) exactGossip(ctx context.Context) (energy, epsilon Curve, err error) {
	accountant, err := gossip.New(t.w, t.rounds())
	if err != nil {
		return Curve{}, Curve{}, err
	}
	energies, epsilons := tally{}, tally{}
	for _, v := range t.nodes {
		view, err := accountant.View([]int{v})
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return Curve{}, Curve{}, err
		}
		for u, d := range t.hops(v) {
			if u != v {
				energies.add(int(d), view.Leakage(u))
				epsilons.add(int(d), atDelta.GaussianView(view.Leakage(u)))
			}
		}
	}
	c := Curve{Graph: t.name, Name: "gossip, exact", Unit: klUnit, Status: report.Sound, Rounds: t.rounds(), Points: energies.points()}
	energy, epsilon = c, c
	epsilon.Unit, epsilon.Points = epsilonUnit, epsilons.points()
	return energy, epsilon, nil
}

// pair is an ordered pair at a distance.
type pair struct{ u, v, distance int }

// drawn are up to each pairs at every distance asked for.
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

// pathWalk is the walk of private averaging, 000's setting: squared distance,
// smooth with constant 2, without a cap on contributions.
func (t *topology) pathWalk() path.Walk {
	p := walk.Protocol{
		Local: descent.Local{Objective: model.Objective{Model: model.Mean{}}, Noise: noise.Gaussian{Clip: 1, Multiplier: 1}, StepSize: descent.StepSize{Base: 0.5}},
		Nodes: t.g.Len(), Steps: t.turns(),
	}
	w := path.Walk{Walk: p.Schedule(t.w, p.Objective.Guarantees(1))}
	w.Start = schedule.AnyStart
	return w
}

// pathLosses are what the path accountant charges the pairs drawn: the mean
// energy, and epsilon. Observers know the path, and so the sender.
func (t *topology) pathLosses(ctx context.Context, pairs []pair) (energy, epsilon Curve, err error) {
	laws := make([]*path.Law, len(pairs))
	err = sim.Each(ctx, len(pairs), workers(), func(_ context.Context, i int) (err error) {
		laws[i], err = t.pathWalk().Law(pairs[i].u, pairs[i].v)
		return err
	})
	if err != nil {
		return Curve{}, Curve{}, err
	}
	energies, epsilons := tally{}, tally{}
	for i, p := range pairs {
		energies.add(p.distance, laws[i].Mean())
		epsilons.add(p.distance, laws[i].Epsilon(atDelta.Delta, 1))
	}
	c := Curve{Graph: t.name, Name: "walk, path", Unit: klUnit, Status: report.Sound, Rounds: t.turns(), Points: energies.points()}
	energy, epsilon = c, c
	epsilon.Unit, epsilon.Points = epsilonUnit, epsilons.points()
	return energy, epsilon, nil
}
