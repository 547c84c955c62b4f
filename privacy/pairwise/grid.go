package pairwise

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// Noise on a grid, as the network has it: vectors of d coordinates are rounded to whole
// multiples of a step g, and own and shared noise are independent discrete Gaussians on
// multiples of g, N_Z scaled. A sum of discrete Gaussians is none, and to look at one edge's
// noise as known loses everything that it hides. But what is seen is a function of all the
// noise (z, r), and a change of u's data by a whole vector v can be undone by shifting it by
// whole vectors: r by b and z by v e_u - B b, B the signed incidence of the edges inside H. The
// Renyi divergence of order alpha of what is seen is then at most
//
//	alpha/2 (|v e_u - B b|^2/own^2 + |b|^2/pair^2)
//
// (post-processing; Canonne, Kamath and Steinke 2020, Proposition 5). The least real b is
// pair^2 B' S^-1 v e_u; rounded to the nearest whole one it moves by e, no entry more than g/2,
// and because the gradient vanishes at the least, all that comes on top is
//
//	|B e|^2/own^2 + |e|^2/pair^2 <= d m g^2/4 (lambda_max(L_H)/own^2 + 1/pair^2),
//
// m the edges inside H. Rounding the data moves it by sqrt(d) g more at most.
//
// The Gaussian's own epsilon holds too, up to some delta: by the argument of noise/discrete every
// draw of (z, r) is, up to a factor within e^(+-eta), a continuous one that was rounded at random by
// a rule which commutes with whole shifts, and whole plans shift by nothing else. With N draws in all,
// shared ones once, that is mu^2 = what stands in brackets above, with the noise of
// discrete.EffectiveMultiplier, and discrete.ExtraDelta(N) on top of delta.

// A Grid is where noise on a grid lies, all in the unit of Own: multiples of Step, noise that
// is shared on multiples of PairStep, vectors of Dims coordinates. One step is a whole multiple
// of the other.
type Grid struct {
	Step, PairStep float64
	Dims           int
}

// OnGrid are, of every node, what stands in place of the energies of Energies with noise on a grid: the
// Renyi divergence of every order alpha > 1 is at most alpha/2 times as much (zCDP of half of
// it), rounds and all. The exact Gaussian's epsilon does not hold for it: see Loss.
func (a *Accountant) OnGrid(g Grid, coalition []int, workers int) ([]float64, error) {
	if err := a.p.checkCoalition(coalition); err != nil {
		return nil, err
	}
	energies, extra := a.resistances(coalition, workers), a.rounding(g, coalition)
	for u, r := range energies {
		energies[u] = a.onGrid(g, u, r, extra)
	}
	return energies, nil
}

// WorstOnGrid is Worst with noise on a grid.
func (a *Accountant) WorstOnGrid(g Grid, size, workers int) ([]float64, privacy.Claim, error) {
	worst, claim, err := a.Worst(size, workers)
	if err != nil {
		return nil, claim, err
	}
	extra := a.rounding(g, nil) // of any coalition it is less
	for u, energy := range worst {
		worst[u] = a.onGrid(g, u, min(1, energy/a.unit(u)*(1+8*ulp)), extra)
	}
	claim.Accountant += ", on a grid"
	return worst, claim, nil
}

// onGrid is the energy of u's contributions given its resistance.
func (a *Accountant) onGrid(g Grid, u int, resistance, extra float64) float64 {
	d := a.p.sensitivity(u)
	if d == 0 {
		return 0
	}
	moved := float64(math.Sqrt(a.p.energy())*d) + float64(math.Sqrt(a.p.rounds()*float64(g.Dims))*g.Step)
	moved /= a.p.Own
	return (float64(moved*moved*resistance) + float64(a.p.rounds()*extra)) * (1 + 32*ulp)
}

// rounding is what a whole plan costs more than the best one, a round. Shifts of
// shared noise are multiples of the coarser step. lambda_max of a Laplacian is at most the largest
// sum of the degrees of an edge's ends (Anderson and Morley 1985).
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

// Lifted bounds an energy of this accountant's where noise is drawn on grids and the
// sensitivity covers the rounding of data already: what whole plans cost is added. It is
// in the unit of energies at a noise multiplier (Of), in which rounding is at least the
// multiplier times sqrt(dims) times 2^-28: noise of package discrete, own and shared each on its
// own grid, has steps of at most 2^-28 of its standard deviation.
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
