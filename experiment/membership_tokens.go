package experiment

import (
	"context"
	"slices"

	"github.com/hearsay-dp/hearsay/attack/membership"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// tokens attacks by nodes that hold a token: by its change between two sights of it.
func (g *game) tokens(ctx context.Context, sets [][]int) ([]scored, []int, error) {
	direction, err := g.pull(ctx, sets)
	if err != nil {
		return nil, nil, err
	}
	view := func(ctx context.Context, a family.Algorithm, seed uint64) ([][]membership.Excursion, error) {
		return g.excursions(ctx, a.(family.Followed), seed, sets, direction, nil)
	}
	half := g.question.Shadows / 2
	fits, err := heard(ctx, g, fitting, half, view)
	if err != nil {
		return nil, nil, err
	}
	models := make([]*membership.Walk, len(sets))
	for k := range models {
		models[k] = membership.FitWalk(of(fits, k))
	}
	score := func(ctx context.Context, a family.Algorithm, seed uint64) ([]float64, error) {
		seen, err := view(ctx, a, seed)
		if err != nil {
			return nil, err
		}
		scores := make([]float64, len(sets))
		for k := range seen {
			scores[k] = models[k].Score(seen[k])
		}
		return scores, nil
	}
	chosen, err := heard(ctx, g, choosing, g.question.Shadows-half, score)
	if err != nil {
		return nil, nil, err
	}
	measured, err := heard(ctx, g, measuring, g.question.Runs, score)
	if err != nil {
		return nil, nil, err
	}
	all := make([]scored, len(sets))
	for k := range all {
		all[k] = scored{of(chosen, k), of(measured, k)}
	}
	return all, make([]int, len(sets)), nil
}

// pull returns the direction in which tokens on the same path come to differ between the worlds.
func (g *game) pull(ctx context.Context, sets [][]int) ([]float64, error) {
	whole := make([]float64, g.worlds[0].Local().Params)
	for i := range aims {
		for world, sign := range []float64{1, -1} {
			_, err := g.excursions(ctx, g.worlds[world].(family.Followed), g.seed(aiming, world, i), sets, whole,
				func(moved []float64) { sparse.Axpy(whole, sign, moved) })
			if err != nil {
				return nil, err
			}
			g.count.add()
		}
	}
	g.foretell()
	unit(whole)
	return whole, nil
}

// A lookout is the memory of a set of attackers about a token that it does not hold.
type lookout struct {
	left        []float64 // the token's value when it left
	turn        step.Turn // the first turn after that
	first, to   bool
	away        bool
	contributed int
}

// excursions returns the views of one run by each set of attackers, along a direction. shown, if it is not nil, is called with the
// whole change of a token in each. A token's value is not seen if no node of a set ever receives the token again.
func (g *game) excursions(ctx context.Context, a family.Followed, seed uint64, sets [][]int, direction []float64, shown func(moved []float64)) ([][]membership.Excursion, error) {
	begins, turns := a.Begins(), step.Turn(a.Turns())
	seen, look := make([][]membership.Excursion, len(sets)), make([][]lookout, len(sets))
	for k := range look {
		for _, x := range begins {
			look[k] = append(look[k], lookout{left: slices.Clone(x), first: true, away: true})
		}
	}
	moved := make([]float64, len(direction))
	err := a.Follow(ctx, seed, func(r step.Release, token []float64) {
		last := r.Turn+1 == turns
		for k, set := range sets {
			l := &look[k][r.Lane]
			if slices.Contains(set, int(r.From)) {
				copy(l.left, token)
				*l = lookout{left: l.left, turn: r.Turn + 1, to: int(r.To) == g.target, away: true}
				continue
			}
			if r.Contributed && int(r.From) == g.target {
				l.contributed++
			}
			if back := !last && slices.Contains(set, int(r.To)); !(l.away && (back || last && a.Shown())) {
				continue
			}
			copy(moved, token)
			sparse.Axpy(moved, -1, l.left)
			if shown != nil {
				shown(moved)
			}
			e := membership.Excursion{
				Turns: int(r.Turn + 1 - l.turn), Begin: float64(l.turn) / float64(turns), First: l.first, To: l.to, From: int(r.From) == g.target,
				At: sparse.Dot(l.left, direction), Moved: sparse.Dot(moved, direction), Contributed: l.contributed,
			}
			for t := l.turn; t <= r.Turn; t++ {
				rate := a.Rate(t)
				e.Rates, e.Energy = e.Rates+rate, e.Energy+float64(rate*rate)
			}
			seen[k] = append(seen[k], e)
			l.away, l.contributed = false, 0
		}
	})
	return seen, err
}
