package pairwise

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/privacy"
)

// An Accountant prices a Problem. It is not changed by use.
type Accountant struct {
	p Problem
}

// New checks a problem and borrows it.
func New(p Problem) (*Accountant, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	return &Accountant{p: p}, nil
}

// denseNodes is the largest number of nodes of a connected part for which all conductances are stored as a matrix.
const denseNodes = 3000

// Energies returns the energy mu^2 of all contributions of every node towards a coalition that sees every message.
// Entries of members are NaN. An empty coalition stands for an outsider. Energies are upper bounds, less than 1e-8
// above the exact ones, if nobody misses a round. Else they are those where the worst Problem.Absent others miss each
// round, which the claim of Beside describes. A node is charged for rounds that it does not miss itself.
func (a *Accountant) Energies(coalition []int, workers int) ([]float64, error) {
	energies, _, err := a.Beside(coalition, workers)
	return energies, err
}

// Beside returns Energies and their claim.
func (a *Accountant) Beside(coalition []int, workers int) ([]float64, privacy.Claim, error) {
	if err := a.p.checkCoalition(coalition); err != nil {
		return nil, privacy.Claim{}, err
	}
	members := slices.Compact(slices.Sorted(slices.Values(coalition)))
	energies, claim := a.beside(members, a.absent(len(members)), workers)
	return energies, claim, nil
}

// absent returns how many nodes beside size observers may miss a round, so that one node is left to ask about.
func (a *Accountant) absent(size int) int { return max(0, min(a.p.Absent, a.p.Pairs.N-1-size)) }

// unit returns the energy per unit of resistance of node u.
func (a *Accountant) unit(u int) float64 {
	d := a.p.sensitivity(u) / a.p.Own
	return a.p.energy() * d * d * (1 + 8*ulp)
}

// Local returns the energy of node u towards an observer that knows all noise but u's own. It equals the cost of
// independent noise, which does not cancel.
func (a *Accountant) Local(u int) float64 { return a.unit(u) }

// resistances returns the energy of one contribution of every node, for sensitivity 1 and own noise 1. Members get
// NaN.
func (a *Accountant) resistances(coalition []int, workers int) []float64 {
	resistances := make([]float64, a.p.Pairs.N)
	for u := range resistances {
		resistances[u] = math.NaN()
	}
	if a.p.Class != nil && len(coalition) <= 1 {
		a.alike(resistances, coalition, workers)
		return resistances
	}
	v := a.p.viewOf(coalition)
	for _, part := range v.parts() {
		v.each(part, part, workers, func(u int32, r float64) { resistances[u] = r })
	}
	return resistances
}

// alike computes one node of each kind. Towards an outsider all nodes are alike. Towards one node those are alike
// that Class pairs with it in the same way.
func (a *Accountant) alike(resistances []float64, coalition []int, workers int) {
	kind := func(int) int { return 0 }
	if len(coalition) == 1 {
		kind = func(u int) int { return a.p.Class(u, coalition[0]) }
	}
	first, asked := map[int]int32{}, []int32(nil)
	for u := range resistances {
		if _, known := first[kindOf(u, coalition, kind)]; !known {
			first[kindOf(u, coalition, kind)] = int32(u)
			if !slices.Contains(coalition, u) {
				asked = append(asked, int32(u))
			}
		}
	}
	v := a.p.viewOf(coalition)
	for _, part := range v.parts() {
		var some []int32
		for _, u := range asked {
			if slices.Contains(part, u) {
				some = append(some, u)
			}
		}
		v.each(part, some, workers, func(u int32, r float64) { resistances[u] = r })
	}
	for u := range resistances {
		resistances[u] = resistances[first[kindOf(u, coalition, kind)]]
	}
}

// kindOf returns the kind of node u, -1 for a member of the coalition.
func kindOf(u int, coalition []int, kind func(int) int) int {
	if slices.Contains(coalition, u) {
		return -1
	}
	return kind(u)
}

// each calls found with the resistance of every node of some in a connected part. Calls come in no order and
// concurrently for different nodes.
func (v *view) each(part, some []int32, workers int, found func(u int32, r float64)) {
	switch {
	case len(some) == 0:
	case len(part) == 1:
		found(part[0], 1)
	case len(part) <= denseNodes && v.dense(len(part), len(some)):
		v.densely(part).resistances(workers, found)
	default:
		v.flows(part, some, workers, found)
	}
}

// dense reports whether elimination is faster than conjugate gradients. It also prefers elimination if pair is
// more than 1000 times own, because conjugate gradients are then less precise.
func (v *view) dense(part, some int) bool {
	m, ratio := float64(part), math.Sqrt(v.conductance)
	edges := float64(len(v.columns))
	steps := 15 * (1 + float64(ratio*math.Sqrt(edges/float64(len(v.honest)))))
	return ratio > 1000 || m*m*m < float64(some)*steps*(float64(2*edges)+float64(10*m))
}

func (v *view) flows(part, some []int32, workers int, found func(u int32, r float64)) {
	whole := v.circuit(part)
	at := make(map[int32]int, len(part))
	for i, node := range part {
		at[node] = i
	}
	workers = min(max(1, workers), len(some))
	parallel.Each(workers, workers, func(w int) {
		c := whole.apart()
		for k := w; k < len(some); k += workers {
			found(some[k], c.resistance(at[some[k]]))
		}
	})
}
