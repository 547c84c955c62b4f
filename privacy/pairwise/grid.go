package pairwise

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// On a grid, vectors of d coordinates are rounded to whole multiples of a step g. Own and shared noise are
// independent discrete Gaussians on multiples of g. A sum of discrete Gaussians is not a discrete Gaussian, and to
// treat one edge's noise as known loses all that it hides. But the observation is a function of all the noise (z,
// r). A change of u's data by a whole vector v can be undone by whole shifts of the noise: r by b and z by v e_u -
// B b, where B is the signed incidence matrix of the edges inside H. The Renyi divergence of order alpha of the
// observation is then at most
//
//	alpha/2 (|v e_u - B b|^2/own^2 + |b|^2/pair^2)
//
// (post-processing; Canonne, Kamath and Steinke 2020, Proposition 5). The real minimiser is b = pair^2 B' S^-1 v
// e_u. Rounding it to the nearest whole vector moves it by e, no entry more than g/2. Because the gradient
// vanishes at the minimum, this adds only
//
//	|B e|^2/own^2 + |e|^2/pair^2 <= d m g^2/4 (lambda_max(L_H)/own^2 + 1/pair^2),
//
// where m is the number of edges inside H. Rounding the data moves it by at most sqrt(d) g more.
//
// The Gaussian's own epsilon holds too, at a slightly larger delta. By the argument of noise/discrete every draw
// of (z, r) is, up to a factor within e^(+-eta), a continuous draw rounded at random. This rounding commutes with
// whole shifts, and whole plans shift by nothing else. Let N count all draws, shared ones once. Then mu^2 is the
// expression in brackets above, at the noise of discrete.EffectiveMultiplier, and discrete.ExtraDelta(N) is added
// to delta.

// A Grid describes the grids of the noise, in the unit of Own. Own noise lies on multiples of Step, shared noise
// on multiples of PairStep, and vectors have Dims coordinates. One step must be a whole multiple of the other.
type Grid struct {
	Step, PairStep float64
	Dims           int
}

// OnGrid returns, for every node, the energy to use in place of that of Energies if noise lies on a grid. The
// Renyi divergence of every order alpha > 1 is at most alpha/2 times it (zCDP of half of it), over all rounds and
// with all rounding. The exact Gaussian's epsilon does not hold for it: see Loss.
func (a *Accountant) OnGrid(g Grid, coalition []int, workers int) ([]float64, error) {
	if err := a.p.checkCoalition(coalition); err != nil {
		return nil, err
	}
	members := slices.Compact(slices.Sorted(slices.Values(coalition)))
	energies, _ := a.mostResistant(members, a.absent(len(members)), workers)
	extra := a.rounding(g, coalition) // an upper bound for those of fewer nodes
	for u, r := range energies {
		energies[u] = a.onGrid(g, u, r, extra)
	}
	return energies, nil
}

// WorstOnGrid returns Worst for noise on a grid.
func (a *Accountant) WorstOnGrid(g Grid, size, workers int) ([]float64, privacy.Claim, error) {
	worst, claim, err := a.Worst(size, workers)
	if err != nil {
		return nil, claim, err
	}
	extra := a.rounding(g, nil) // an upper bound for every coalition
	for u, energy := range worst {
		worst[u] = a.onGrid(g, u, min(1, energy/a.unit(u)*(1+8*ulp)), extra)
	}
	claim.Accountant += ", on a grid"
	return worst, claim, nil
}

// onGrid returns the energy of u's contributions for a resistance and the extra of rounding.
func (a *Accountant) onGrid(g Grid, u int, resistance, extra float64) float64 {
	d := a.p.sensitivity(u)
	if d == 0 {
		return 0
	}
	moved := float64(math.Sqrt(a.p.energy())*d) + float64(math.Sqrt(a.p.rounds()*float64(g.Dims))*g.Step)
	moved /= a.p.Own
	return (float64(moved*moved*resistance) + float64(a.p.rounds()*extra)) * (1 + 32*ulp)
}

// rounding returns the cost per round of a whole plan above the best real one. Shifts of shared noise are
// multiples of the coarser step. lambda_max of a Laplacian is at most the largest sum of the degrees of an edge's
// ends (Anderson and Morley 1985). It panics unless g has positive steps and Dims >= 0.
func (a *Accountant) rounding(g Grid, coalition []int) float64 {
	if !(g.Step > 0) || !(g.PairStep > 0) || g.Dims < 0 {
		panic(fmt.Sprintf("pairwise: grid %+v", g))
	}
	v, degrees := a.p.viewOf(coalition), 0
	for u := range int32(len(v.honest)) {
		for _, w := range v.neighbours(u) {
			degrees = max(degrees, len(v.neighbours(u))+len(v.neighbours(w)))
		}
	}
	edges, step := float64(len(v.columns)/2), max(g.Step, g.PairStep)
	if edges == 0 {
		return 0
	}
	cost := float64(degrees)/(a.p.Own*a.p.Own) + 1/(a.p.Pair*a.p.Pair)
	return float64(g.Dims) * edges * step * step / 4 * cost * (1 + 16*ulp)
}

// Lifted returns an upper bound on an energy of this accountant if noise is drawn on grids and the sensitivity
// already covers the rounding of data. It adds the cost of whole plans. Energies are in the unit of a noise
// multiplier (Of). rounding must be at least the multiplier times sqrt(dims) times 2^-28. The reason is that noise
// of package discrete, own and shared each on its own grid, has steps of at most 2^-28 of its standard deviation.
func (a *Accountant) Lifted(energy, rounding float64) float64 {
	v, degrees := a.p.viewOf(nil), 0
	for u := range int32(len(v.honest)) {
		for _, w := range v.neighbours(u) {
			degrees = max(degrees, len(v.neighbours(u))+len(v.neighbours(w)))
		}
	}
	edges, coarser := float64(len(v.columns)/2), max(1, v.conductance)
	if edges == 0 {
		return energy
	}
	extra := float64(a.p.rounds() * edges * coarser / 4 * (float64(degrees) + 1/v.conductance) * rounding * rounding)
	return float64((energy + extra) * (1 + 0x1p-40))
}
