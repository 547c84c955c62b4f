package gossipview

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/exact"
	"github.com/hearsay-dp/hearsay/internal/subspace"
)

// together is the number of stretches through which vectors are multiplied before they are orthogonalised, in
// high-precision arithmetic.
const together = 16

// stages returns the stretches in portions of together.
func stages(stretches []subspace.Stretch) [][]subspace.Stretch {
	return slices.Collect(slices.Chunk(stretches, together))
}

// rescaled returns the same stretches with factors divided by a number from 1 to 2. The spaces are the same,
// the rounding errors differ.
func rescaled(stretches []subspace.Stretch, by float64) []subspace.Stretch {
	scaled := slices.Clone(stretches)
	for k, s := range scaled {
		scaled[k].Factors = slices.Clone(s.Factors)
		scaled[k].Factors[0].Rescale(by)
	}
	return scaled
}

// stretches cuts the run, from its end, after each round in which the observers hear something, and after each
// in which so many nodes have averaged since the last cut that directions could fade. The factors carry
// residues in a field.
func (g *Accountant) stretches(observers []int, field int) (all []subspace.Stretch) {
	var s subspace.Stretch
	averaged := 0
	for round := g.steps - 1; round >= 0; round-- {
		p := &g.parts[g.at(round)]
		factor := p.factor
		factor.Residues, factor.Entries = p.residues[field], p.long
		s.Factors = append(s.Factors, factor)
		averaged += len(factor.Rows)
		s.Heard = g.heard(observers, round)
		if len(all) == 0 && len(s.Heard) == 0 {
			s, averaged = subspace.Stretch{}, 0 // no observer hears of an average that late
			continue
		}
		if len(s.Heard) > 0 || 2*averaged >= g.n || round == 0 {
			all = append(all, s)
			s, averaged = subspace.Stretch{}, 0
		}
	}
	return all
}

// changingView builds the view from the last round to the first. V_t is the part of the view from round t on,
// as a space of linear combinations of the values at its beginning:
//
//	V_t = span{ e_w : heard in round t } + { x'W_t : x in V_{t+1} }.
//
// Every V_t at the end of a stretch has an orthonormal basis, so that no product of matrices is formed.
func (g *Accountant) changingView(observers []int, work effort) *View {
	stretches := g.stretches(observers, 0)
	span := g.pulledBack(stretches, observers, 1)
	space := measure(span)
	v := &View{n: g.n, cells: exact.Discrete(g.n), rank: span.Rank(), space: space}
	steady := func() bool { return g.steadyChanging(space, stretches, observers) }
	cost := float64(len(stages(stretches))) * float64(g.n) * float64(span.Rank()) * float64(span.Rank())
	always := g.exactThroughout() && cost <= work.always
	clear := isClear(span) && (always || g.complete(observers, observers, g.n, span.Rank()) && steady())
	switch {
	case always || g.exactThroughout() && !clear && cost <= work.exact:
		g.confirmChanging(v, observers, clear, steady, cost <= work.precise)
	case clear:
		v.certainty, v.units = Clear, space.near()
	case span.Full():
		v.certainty, v.units = Saturated, space.near()
	default:
		v.certainty, v.units = Open, space.near()
	}
	if v.certainty == Open {
		v.reached = g.reached(observers)
	}
	return v
}

func (g *Accountant) exactThroughout() bool {
	for _, p := range g.parts {
		if p.fractions == nil {
			return false
		}
	}
	return true
}

// confirmChanging does as confirm for changing matrices.
func (g *Accountant) confirmChanging(v *View, observers []int, clear bool, steady func() bool, affordable bool) {
	ranks, units := g.modularRanks(observers)
	rank := ranks[len(ranks)-1]
	v.certainty, v.exact, v.units = Confirmed, true, units
	switch {
	case rank == g.n:
		v.space = everything{}
	case clear && rank == v.rank && steady():
	case affordable:
		precise := g.preciseView(observers, ranks, 1)
		if precise.Faintest() < preciseNew || !alike(precise, g.preciseView(observers, ranks, otherScale), g.n) {
			v.certainty = Open
		}
		v.space = precise
	default:
		v.certainty = Open
	}
	v.rank = rank
}

// modularRanks returns the dimensions of V_t after each stage, and as the last one that of V_0 with the
// observers' own values. units are the unit vectors in that space.
func (g *Accountant) modularRanks(observers []int) (ranks, units []int) {
	for i, f := range exact.Fields() {
		e, found := exact.NewEchelon(g.n, f), []int{}
		for _, stage := range stages(g.stretches(observers, i)) {
			e = subspace.PullbackExactly(e, stage...)
			found = append(found, e.Rank())
		}
		e.InsertUnits(observers)
		found = append(found, e.Rank())
		if i == 0 || e.Rank() >= ranks[len(ranks)-1] {
			ranks, units = found, e.Units()
		}
	}
	return ranks, units
}

// preciseView returns pulledBack in 72 digits, given the ranks.
func (g *Accountant) preciseView(observers, ranks []int, scale float64) *subspace.PreciseSpan {
	weights := make([]float64, g.n)
	for i := range weights {
		weights[i] = 1
	}
	span := subspace.NewPreciseSpan(weights)
	for k, stage := range stages(g.stretches(observers, 0)) {
		span = span.Pullback(ranks[k], rescaled(stage, scale)...)
	}
	whole := ranks[len(ranks)-1]
	span.InsertUnits(observers, whole-span.Rank())
	return span
}
