package rehearse

import (
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
)

// An outing holds the scores of one trial, for each examined participant.
type outing struct {
	joined, alone, home, quiet, pooled, nothing []float64
	learnt, tested                              []int
	rare                                        []Rare // of classifiers
	choices                                     []choice
}

// A choice holds the fits that a participant chose on its own rows, alone and at home.
type choice struct{ alone, home model.Fit }

// outing runs one trial. It uses the choices of chosen. If chosen is nil it makes its own, if any are needed.
func (r *Rehearsal) outing(ctx context.Context, v venue, world, trial int, looked []int, chosen *outing) (*outing, error) {
	round, err := v.round(ctx, world, trial)
	if err != nil {
		return nil, err
	}
	if r.everybody {
		round.together()
	}
	s := newScorer(r.Measure, round)
	quiet, err := round.run.Quiet()
	if err != nil {
		return nil, err
	}
	out, joined := &outing{}, make([][]float64, 0, len(looked))
	for _, side := range []struct {
		run  *experiment.Priced
		into *[]float64
	}{{round.run, &out.joined}, {quiet, &out.quiet}} {
		ends, err := side.run.Ends(ctx, round.seed)
		if err != nil {
			return nil, err
		}
		for _, u := range looked {
			theta := ends[min(u, len(ends)-1)]
			if !finite(theta) {
				return nil, fault.New(fmt.Sprintf("the model diverged: that of %s has no score", v.names()[u]), "use a smaller step size, or a projection radius")
			}
			*side.into = append(*side.into, s.of(u, theta))
			if side.into == &out.joined {
				joined = append(joined, theta)
				out.nothing = append(out.nothing, s.nothing(u))
				if r.Measure.Classes > 0 {
					rare, none := s.rare(u, theta), report.Number(math.NaN())
					rare.Home = Told{none, none, none}
					out.rare = append(out.rare, rare)
				}
			}
		}
	}
	o, begin := round.run.Objective, round.run.Algorithm.Local().Begin()
	var all []float64
	if !r.Measure.Counts {
		all = o.Minimise(round.run.Train, begin, iterations)
	}
	for i, u := range looked {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		out.learnt, out.tested = append(out.learnt, round.train[u].Len()), append(out.tested, s.tests[u].Len())
		out.alone, out.pooled = append(out.alone, math.NaN()), append(out.pooled, 0)
		out.home, out.choices = append(out.home, math.NaN()), append(out.choices, choice{})
		if round.train[u].Len() > 0 {
			own, home := r.fit(out, i, chosen, o, round.train[u], begin, joined[i])
			if out.alone[i] = s.of(u, own); out.rare != nil {
				out.rare[i].Alone = s.told(u, own)
			}
			if home == nil {
				continue
			}
			if out.home[i] = s.of(u, home); out.rare != nil {
				out.rare[i].Home = s.told(u, home)
			}
		}
		if all != nil {
			out.pooled[i] = s.of(u, all)
		}
	}
	if external, outside := o.Model.(model.External); outside {
		return out, external.Program.Err()
	}
	return out, nil
}

// fit returns the models of the i-th participant on its own rows, alone and at home. home is nil if it is not
// requested.
func (r *Rehearsal) fit(out *outing, i int, chosen *outing, o model.Objective, own model.Examples, begin, joined []float64) (alone, home []float64) {
	switch {
	case r.choosing == 0:
		return o.Minimise(own, begin, iterations), nil
	case chosen == nil:
		c := choice{o.Tuned(own, begin, iterations), o.AtHome(own, joined, iterations)}
		out.choices[i] = c
		return c.alone.Theta, c.home.Theta
	}
	c := chosen.choices[i]
	return o.Refit(own, begin, c.alone, iterations), o.Refit(own, joined, c.home, iterations)
}
